"""What an account's owner says on its page: a few lines of plain text."""

from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.core.db.name_keys import misleads

MOST_LINES = 8


class BadProfile(Exception):
    """str(e) says what cannot be shown, in the reader's language."""


def validated(text: str) -> str:
    """The text as it is stored. Raises BadProfile."""
    lines = [line.rstrip() for line in text.splitlines()]
    if len(lines) > MOST_LINES:
        words = _("At most %(most)d lines; these are %(found)d.")
        raise BadProfile(words % {"most": MOST_LINES, "found": len(lines)})
    for number, line in enumerate(lines, start=1):
        if line.strip() and misleads(line):
            words = _("Line %(number)d contains characters that are invisible or turn text around.")
            raise BadProfile(words % {"number": number})
    return "\n".join(lines)


def save(user: User, about: str) -> None:
    """Store a text that was validated."""
    User.objects.filter(pk=user.pk).update(about=about)
    user.about = about
