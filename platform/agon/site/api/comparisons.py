"""Comparisons: whether one version is better than another, in unrated matches on the site."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.api import lookup
from agon.site.api.access import READ, SUBMIT, check_competition
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Shape, link
from agon.site.bots.access import may_see_private, owns
from agon.site.bots.models import Submission
from agon.site.comparisons import progress, services
from agon.site.comparisons.models import Comparison
from agon.site.comparisons.states import State
from agon.site.core.db.transitions import IllegalTransition

router = Router(tags=["comparisons"])


class NewComparison(Shape):
    """Ids of submissions: a version of yours, and another one of the bot or a house bot's."""

    new: int
    old: int


class ComparisonShape(Shape):
    """share, low, high: of the points that `new` gets, with the 95 % interval; null before the end."""

    id: int
    competition: str
    new: int
    old: int
    state: str
    verdict: str | None = Field(description="better, worse, no difference or undecided; null before the end.")
    matches: int = Field(description="Counted so far.")
    most_matches: int
    share: float | None
    low: float | None
    high: float | None
    created: datetime
    finished: datetime | None
    url: str


def shape_of(comparison: Comparison) -> dict[str, Any]:
    return ComparisonShape.from_row(
        comparison,
        competition=comparison.competition.slug,
        new=comparison.new_id,
        old=comparison.old_id,
        verdict=comparison.verdict or None,
        matches=progress.count(comparison).matches,
        share=_share(comparison.value),
        low=_share(comparison.low),
        high=_share(comparison.high),
        finished=comparison.finished_at,
        url=link(comparison.get_absolute_url()),
    )


def _share(difference: float | None) -> float | None:
    return None if difference is None else (1 + difference) / 2


@router.post("", auth=SUBMIT, response={201: ComparisonShape})
def compare(request: Any, wanted: NewComparison) -> Status[Any]:
    """Compare two versions. One comparison of an account runs at a time."""
    new, old = (_version(request, field, pk) for field, pk in (("new", wanted.new), ("old", wanted.old)))
    check_competition(request, new.bot.competition)
    if not owns(request.user, new.bot):
        raise Problem("not_allowed", _("This is a bot of another account."))
    return Status(201, shape_of(services.start(request.user, new, old)))


@router.get("/{id}", auth=READ, response=ComparisonShape)
def comparison(request: Any, id: int) -> dict[str, Any]:
    """A comparison of yours."""
    comparison = _comparison(request, id)
    check_competition(request, comparison.competition)
    return shape_of(comparison)


@router.delete("/{id}", auth=SUBMIT, response=ComparisonShape)
def cancel(request: Any, id: int) -> dict[str, Any]:
    """End a comparison before it is decided."""
    comparison = _comparison(request, id)
    check_competition(request, comparison.competition)
    if not owns(request.user, comparison.new.bot):
        raise Problem("not_allowed", _("This is a comparison of another account."))
    if comparison.state != State.CANCELLED:
        try:
            progress.cancel(comparison)
        except IllegalTransition:
            raise Problem("conflict", _("The comparison is over.")) from None
    return shape_of(_comparison(request, id))


def _version(request: Any, field: str, pk: int) -> Submission:
    """A version, if the account may know of it: its own, or one of a house bot."""
    submissions = Submission.objects.select_related("bot__owner", "bot__competition")
    version = submissions.filter(pk=lookup.within(pk)).first()
    if version is None or not (version.bot.house or may_see_private(request.user, version)):
        raise invalid(f"/{field}", _("There is no such version of yours."))
    return version


def _comparison(request: Any, id: int) -> Comparison:
    comparisons = Comparison.objects.select_related("competition", "new__bot__owner", "old__bot")
    result = lookup.one(comparisons, id)
    if not may_see_private(request.user, result.new):
        raise lookup.hidden(id)
    return result
