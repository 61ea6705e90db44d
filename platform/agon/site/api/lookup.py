"""Finds what a request names, as its account may see it. What it may not see does not exist for it."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.api.access import check_competition, shown
from agon.site.api.cursors import LARGEST_ID
from agon.site.api.problems import Problem, invalid
from agon.site.bots.access import visible_bots
from agon.site.bots.models import Bot
from agon.site.competitions.access import may_run
from agon.site.competitions.models import Competition

NEAR = 3
_Row = TypeVar("_Row", bound=Model)


def competition(slug: str) -> Competition:
    """The competition. Raises Problem, with near names."""
    result = Competition.objects.filter(slug=slug).first()
    if result is None:
        raise unknown(slug, Competition.objects.values_list("slug", flat=True), "/api/v1/competitions")
    return result


def competition_to_change(request: Any, slug: str) -> Competition:
    """The same, for a request whose token may be limited to another one."""
    result = competition(slug)
    check_competition(request, result)
    return result


def competition_to_run(request: Any, slug: str) -> Competition:
    """The same, for its organizers."""
    result = competition_to_change(request, slug)
    if not may_run(request.user, result):
        raise Problem("not_allowed", _("Only its organizers may do this."))
    return result


def bot(user: User | AnonymousUser, pk: int) -> Bot:
    """A bot that `user` may see. Raises Problem."""
    return one(visible_bots(user, _bots()), pk)


def shown_bot(request: Any, pk: int) -> Bot:
    """A bot that a public operation shows. Raises Problem."""
    return one(shown(request, lambda user: visible_bots(user, _bots())), pk)


def one(items: QuerySet[_Row], pk: int) -> _Row:
    """The item with this id. Raises Problem."""
    result = items.filter(pk=pk).first() if 0 <= pk <= LARGEST_ID else None
    if result is None:
        raise hidden(pk)
    return result


def _bots() -> QuerySet[Bot]:
    return Bot.objects.select_related("owner", "competition", "active")


def unknown(name: str, known: Iterable[str], address: str) -> Problem:
    """The problem of a name that nothing has. address: of the list of all."""
    near = get_close_matches(name.replace("_", "-"), list(known), n=NEAR, cutoff=0.5)
    hint = _("Did you mean %(names)s?") % {"names": ", ".join(near)} if near else f"GET {address}"
    return Problem("not_found", _("There is no “%(name)s”.") % {"name": name[:80]}, hint)


def choice(parameter: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one of those that are known. Raises Problem."""
    names = list(known)
    if value not in names:
        detail = _("Expected one of %(names)s; got “%(value)s”.")
        values = {"names": ", ".join(names), "value": value[:80]}
        raise invalid(parameter, detail % values)
    return value


def within(number: int) -> int:
    """A number that may be an id; one that the database cannot hold is no one's."""
    return min(max(number, -1), LARGEST_ID)


def hidden(pk: int) -> Problem:
    """The problem of something that the account may not see: the same as if it did not exist."""
    return Problem("not_found", _("There is no %(id)d here, or you may not see it.") % {"id": pk})
