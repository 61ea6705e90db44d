"""Which notices the account of the token wants, and where. They are in its feed in any case."""

from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.accounts.models import User
from agon.site.api.access import READ, SUBMIT, check_whole_account
from agon.site.api.problems import invalid
from agon.site.api.shapes import Shape
from agon.site.events import choices, mailing, words
from agon.site.events.choices import KINDS, Chosen
from agon.site.events.models import Kind

router = Router(tags=["me"])


class ChoiceShape(Shape):
    """A kind of notices. name: in words. site, mail: whether they are on the page of notices, and mailed."""

    type: Kind
    name: str
    site: bool
    mail: bool


class ChoicesShape(Shape):
    """mail: whether e-mail arrives: the site sends some, and you have confirmed an address."""

    mail: bool
    choices: list[ChoiceShape]


class WantedShape(Shape):
    """What you want of one kind."""

    type: Kind
    site: bool
    mail: bool = False


class ChoicesWanted(Shape):
    choices: list[WantedShape] = Field(
        min_length=1, max_length=len(KINDS), description="Kinds that are not named stay as they are."
    )


@router.get("/me/notices", auth=READ, response=ChoicesShape)
def notice_choices(request: Any) -> dict[str, Any]:
    """Which notices you want, and where. Your feed of events has everything."""
    return _shape(request.user)


@router.patch("/me/notices", auth=SUBMIT, response=ChoicesShape)
def choose_notices(request: Any, wanted: ChoicesWanted) -> dict[str, Any]:
    """Choose which notices you want, and where. Mails are in the language of this request."""
    check_whole_account(request)
    chosen: dict[Kind, Chosen] = {}
    for index, choice in enumerate(wanted.choices):
        field = f"/choices/{index}"
        if choice.type not in KINDS:
            raise invalid(f"{field}/type", _("There are no notices of this kind."))
        if choice.type in chosen:
            raise invalid(f"{field}/type", _("This kind is named twice."))
        if choice.mail and not settings.MAIL:
            raise invalid(f"{field}/mail", _("This site sends no e-mail."))
        chosen[choice.type] = Chosen(choice.site, choice.mail)
    choices.choose(request.user, chosen, translation.get_language() or "en")
    return _shape(request.user)


def _shape(user: User) -> dict[str, Any]:
    chosen = choices.of_account(user)
    return {
        "mail": settings.MAIL and mailing.has_address(user),
        "choices": [
            {
                "type": kind,
                "name": str(words.NAMES[kind]),
                "site": chosen[kind].on_site,
                "mail": chosen[kind].by_mail,
            }
            for kind in KINDS
        ],
    }
