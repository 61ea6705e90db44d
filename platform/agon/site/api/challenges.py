"""Challenges: unrated matches of an author's bot against bots that the author chose."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.api import cursors, lookup, waiting
from agon.site.api.access import READ, SUBMIT, check_competition, of_token
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import FieldError, Problem
from agon.site.api.shapes import Page, Shape, link
from agon.site.bots.access import owns
from agon.site.bots.models import Bot
from agon.site.challenges import progress, queries, services
from agon.site.challenges.models import Challenge
from agon.site.challenges.results import results_of
from agon.site.challenges.services import MOST_MATCHES, NotChallenged
from agon.site.challenges.states import State
from agon.site.core.db.transitions import IllegalTransition

router = Router(tags=["challenges"])
FIELDS = {"bot": "/bots/0", "opponents": "/bots", "matches": "/matches"}


class NewChallenge(Shape):
    """bots: ids; first your own, then those that it challenges."""

    bots: Annotated[list[int], Field(min_length=2, max_length=100)]
    matches: int = Field(
        ge=1,
        le=MOST_MATCHES,
        description="Rounded up, so that all bots sit in all seats equally often.",
    )


class AgainstShape(Shape):
    """In how many matches the challenger was ahead of an opponent, beside it, behind it."""

    bot: int
    name: str
    version: int
    ahead: int
    equal: int
    behind: int


class ChallengeShape(Shape):
    """share, low, high: of the points, with the 95 % interval; null before the first match."""

    id: int
    competition: str
    bot: int
    name: str
    version: int
    owner: str
    state: str = Field(description=", ".join(State.values))
    is_over: bool
    reason: str = Field(description="Why it was cancelled; empty if it was not.")
    matches: int = Field(description="How many are to be played.")
    played: int
    void: int = Field(description="How many the platform could not play.")
    won: int
    drawn: int
    lost: int
    share: float | None
    low: float | None
    high: float | None
    against: list[AgainstShape]
    created: datetime
    finished: datetime | None
    url: str


def shape_of(challenge: Challenge) -> dict[str, Any]:
    results = results_of(challenge)
    bot = challenge.challenger.bot
    return ChallengeShape.from_row(
        challenge,
        competition=challenge.competition.slug,
        bot=bot.pk,
        name=bot.name,
        version=challenge.challenger.number,
        owner=challenge.owner.shown_name,
        reason=str(challenge.reason),
        matches=challenge.planned,
        played=results.played,
        void=results.void,
        won=results.won,
        drawn=results.drawn,
        lost=results.lost,
        share=results.score and results.score.value,
        low=results.score and results.score.low,
        high=results.score and results.score.high,
        against=[
            AgainstShape.from_row(
                against,
                bot=against.opponent.bot_id,
                name=against.opponent.bot.name,
                version=against.opponent.number,
            )
            for against in results.against
        ],
        finished=challenge.finished_at,
        url=link(challenge.get_absolute_url()),
    )


class ChallengeItemShape(Shape):
    id: int
    competition: str
    bot: int
    name: str
    against: list[str] = Field(description="The names of the opponents.")
    state: str
    matches: int
    played: int
    created: datetime
    finished: datetime | None
    url: str


def item_shape(challenge: Any) -> dict[str, Any]:
    """found: of agon.site.challenges.queries."""
    return ChallengeItemShape.from_row(
        challenge,
        competition=challenge.competition.slug,
        bot=challenge.challenger.bot_id,
        name=challenge.challenger.bot.name,
        against=[opponent.submission.bot.name for opponent in challenge.opponents.all()],
        matches=challenge.planned,
        finished=challenge.finished_at,
        url=link(challenge.get_absolute_url()),
    )


@router.post("/competitions/{slug}/challenges", auth=SUBMIT, response={201: ChallengeShape})
def challenge(request: Any, slug: str, wanted: NewChallenge) -> Status[Any]:
    """Challenge bots to unrated matches. House bots fill the seats that a game has to have."""
    competition = lookup.competition_to_change(request, slug)
    bots = Bot.objects.select_related("competition").filter(competition=competition)
    by_number = bots.in_bulk([lookup.within(number) for number in wanted.bots])
    for index, number in enumerate(wanted.bots):
        if number not in by_number:
            raise Problem(
                "invalid",
                errors=[FieldError(f"/bots/{index}", _("There is no such bot in this competition."))],
            )
    if not competition.is_open:
        raise Problem("closed")
    own, *opponents = [by_number[number] for number in wanted.bots]
    if not owns(request.user, own):
        raise Problem("not_allowed", _("This is a bot of another account."))
    try:
        made = services.start(request.user, own, opponents, wanted.matches)
    except NotChallenged as refused:
        raise _problem(refused) from None
    return Status(201, shape_of(_challenge(made.pk)))


@router.get("/challenges", response=Page[ChallengeItemShape], auth=READ)
def challenges(
    request: Any, bot: int | None = None, cursor: str | None = None, limit: Limit = USUAL
) -> dict[str, Any]:
    """Your challenges, the newest first; with `bot`, all by and of this bot."""
    if bot is None:
        challenges = of_token(request, queries.of_owner(request.user))
    else:
        challenges = queries.of_bot(lookup.shown_bot(request, bot))
    return cursors.newest_first(f"challenges-{bot}", challenges, cursor, limit, item_shape)


@router.get("/challenges/{id}", response=ChallengeShape)
def one_challenge(request: Any, id: int, wait: int = 0) -> Any:
    """A challenge and its results so far. wait: respond when it is over, or after that many seconds, at
    most 30.
    """
    challenge = _challenge(id)
    return waiting.for_change(request, _challenges(), challenge, wait, challenge.is_over, shape_of)


@router.delete("/challenges/{id}", auth=SUBMIT, response=ChallengeShape)
def cancel(request: Any, id: int) -> dict[str, Any]:
    """End a challenge of yours. Its matches that were played stay."""
    challenge = _challenge(id)
    check_competition(request, challenge.competition)
    if not progress.may_cancel(request.user, challenge):
        raise Problem("not_allowed", _("This is a challenge of another account."))
    if challenge.state != State.CANCELLED:
        try:
            progress.cancel(challenge)
        except IllegalTransition:
            raise Problem("conflict", _("The challenge is over.")) from None
    return shape_of(_challenge(id))


def _challenge(id: int) -> Challenge:
    return lookup.one(_challenges(), id)


def _challenges() -> QuerySet[Challenge]:
    return queries.shown().select_related("owner")


def _problem(refused: NotChallenged) -> Problem:
    if refused.field:
        return Problem("refused", str(refused), errors=[FieldError(FIELDS[refused.field], str(refused))])
    return Problem("conflict", str(refused))
