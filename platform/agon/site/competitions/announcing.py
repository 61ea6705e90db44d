"""Announcements of a competition: making, editing and withdrawing one, each with an entry in the audit log.

agon.site.events.announced notifies people of a new one; an edited one is marked, without a notice. A
request that is sent twice makes one announcement: what is said already, in the same words, is not said again.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Announcement, Competition
from agon.site.competitions.organizing import ChangedMeanwhile, NotPossible
from agon.site.competitions.settings import LONGEST_TITLE, has_text_controls
from agon.site.core.db.name_keys import misleads

LONGEST_TEXT = 10_000
MOST_A_DAY = 10  # of a competition: each of them is a notice for all who take part


class BadAnnouncement(ValueError):
    """Words that cannot be announced. problems: a sentence for each field that is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {why}" for name, why in problems.items()))
        self.problems = dict(problems)


class Words(NamedTuple):
    """What an announcement says. text: Markdown."""

    title: str
    text: str


def shown(competition: Competition) -> QuerySet[Announcement]:
    """The announcements that everyone reads, the newest first."""
    return competition.announcements.filter(withdrawn=None).select_related("author", "competition")


def validated(words: Words) -> Words:
    """The words in their normal form. Raises BadAnnouncement."""
    title = " ".join(words.title.split())
    text = words.text.replace("\r\n", "\n").strip()
    problems = {}
    if not title or misleads(title):
        problems["title"] = _("A title needs visible letters, and no control characters.")
    if not text:
        problems["text"] = _("It is missing.")
    if has_text_controls(text):
        problems["text"] = _("It contains characters that are invisible or turn text around.")
    for name, value, most in (("title", title, LONGEST_TITLE), ("text", text, LONGEST_TEXT)):
        if len(value) > most:
            sentence = _("At most %(most)d characters; these are %(length)d.")
            problems[name] = sentence % {"most": most, "length": len(value)}
    if problems:
        raise BadAnnouncement(problems)
    return Words(title, text)


@transaction.atomic
def announce(competition: Competition, words: Words, by: User) -> Announcement:
    """A new announcement or, if these words are announced already, that one.

    Raises BadAnnouncement, and NotPossible for one too many a day.
    """
    words = validated(words)
    current = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
    same = shown(current).filter(title=words.title, text=words.text).first()
    if same is not None:
        return same
    since = timezone.now() - timedelta(days=1)
    if current.announcements.filter(created__gt=since).count() >= MOST_A_DAY:
        raise NotPossible(_("At most %(most)d announcements a day.") % {"most": MOST_A_DAY})
    made = Announcement.objects.create(competition=current, author=by, **words._asdict())
    _record(Verb.ANNOUNCE, made, by)
    return made


@transaction.atomic
def edit(announcement: Announcement, words: Words, revision: int, by: User) -> Announcement:
    """Change its words. revision: of the announcement as the form showed it.

    Raises BadAnnouncement; ChangedMeanwhile if it was edited since; NotPossible if it was withdrawn.
    """
    words = validated(words)
    current = _lock(announcement)
    if current.withdrawn is not None:
        raise NotPossible(_("This announcement was withdrawn."))
    differ = [name for name in Words._fields if getattr(current, name) != getattr(words, name)]
    if not differ:
        return current
    if current.revision != revision:
        raise ChangedMeanwhile(differ)
    current.title, current.text = words
    current.revision += 1
    current.edited = timezone.now()
    current.save(update_fields=["title", "text", "revision", "edited"])
    _record(Verb.EDIT_ANNOUNCEMENT, current, by)
    return current


@transaction.atomic
def withdraw(announcement: Announcement, by: User) -> bool:
    """From now on no one can read it; False if it was withdrawn already."""
    current = _lock(announcement)
    if current.withdrawn is not None:
        return False
    current.withdrawn = timezone.now()
    current.save(update_fields=["withdrawn"])
    _record(Verb.WITHDRAW_ANNOUNCEMENT, current, by)
    return True


def _lock(announcement: Announcement) -> Announcement:
    rows = Announcement.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("competition", "author").get(pk=announcement.pk)


def _record(verb: Verb, announcement: Announcement, by: User) -> None:
    details = {"announcement": announcement.pk, "text": announcement.text}
    acts.record(verb, by, announcement.competition, subject=announcement.title, details=details)
