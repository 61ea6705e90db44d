"""Programs that the editor sends to be entered: as a version of one bot, or as a new one; newcomers' as well.

The button of the editor said what it does, so nothing is asked again: a visitor's program is entered when
they have signed up or in. If it is refused then, the form shows it with the reason.
"""

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots import naming
from agon.site.bots.access import own_bots
from agon.site.bots.bot_of_name import NEW
from agon.site.bots.models import Bot, Submission
from agon.site.bots.owners import owner_of
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive_text
from agon.site.competitions.models import Competition
from agon.site.trials import visitors
from agon.site.web.bots import drafts, forms


def receive_program(user: User, competition: Competition, data: Mapping[str, str]) -> Submission:
    """Receive a program that is text. data: as in the form; `bot` says what it becomes. Raises Refused."""
    key, name, wanted = data["bot"], data["name"], None
    if key and key != forms.NEW:
        wanted = own_bot(user, competition, key)
        if wanted is None:
            raise Refused("", _("The bot that this program was written for is not one of yours here."))
        owner, name = wanted.owner, wanted.name
    else:
        owner = owner_of(user, competition, name, data.get("team", ""))
    return receive_text(
        owner, competition, name, data["text"], data["language"], user, NEW if key == forms.NEW else wanted
    )


def own_bot(user: User | AnonymousUser, competition: Competition, key: str) -> Bot | None:
    """The user's bot with this key, which may be anything that a form holds."""
    return own_bots(user, competition).filter(pk=int(key)).first() if key.isdecimal() else None


def address_of(request: HttpRequest, submission: Submission, bot: str) -> str:
    """The page of what was entered. Where the editor sent it, its draft has had its day: see page.js."""
    address = submission.get_absolute_url()
    if not bot:
        return address
    if bot == forms.NEW:
        visitors.became(request, submission.bot)
    return f"{address}#entered"


def enter_draft(request: HttpRequest, user: User) -> str | None:
    """Enter what the visitor pressed Enter for before they signed in; its page, or None if there is nothing.

    Of what is refused, the reason becomes a message, and the draft stays for the form.
    """
    draft = drafts.waiting(request)
    competition = Competition.objects.filter(slug=draft["slug"]).first() if draft else None
    if draft is None or competition is None:
        return None
    name = draft["name"] or naming.proposed(competition, user)
    try:
        submission = receive_program(user, competition, draft | {"name": name})
    except Refused as refused:
        messages.error(request, str(refused))
        return None
    drafts.forget(request)
    return address_of(request, submission, draft["bot"])
