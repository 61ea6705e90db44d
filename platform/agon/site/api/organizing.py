"""What organizers do to tournaments.

An operation that leads to a state is no error where the state is reached already.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import AfterValidator, AwareDatetime, Field
from pydantic_core import PydanticCustomError

from agon.contest.formats import FORMATS
from agon.site.api import lookup
from agon.site.api.access import ORGANIZE, check_competition
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Shape, Why
from agon.site.api.tournaments import TournamentShape, shape_of
from agon.site.api.tournaments import router as of_tournaments
from agon.site.bots.models import Bot
from agon.site.core.db.transitions import IllegalTransition
from agon.site.tournaments import deadlines, reruns, running, services
from agon.site.tournaments.models import Rerun, Tournament
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.rights import may_organize, visible
from agon.site.tournaments.services import Start, draw_seed
from agon.site.tournaments.states import State
from games.core.wording import exact

router = Router(tags=["organizing"], auth=ORGANIZE)


class NewTournament(Shape):
    """bots: ids of the entrants in the order of entry. What is left out has the default of the page."""

    competition: str
    name: str = Field(max_length=120)
    format: str = Field(json_schema_extra={"enum": list(FORMATS)})
    rounds: int | None = Field(None, ge=1, description="Default: as proposed for the entrants.")
    seed: int | None = Field(None, ge=0, description="Default: drawn.")
    settings: dict[str, bool | int | str] = Field({}, description="Of the format, such as `seeding`.")
    bots: list[int] = []
    field: Tournament.Field = Tournament.Field.CHOSEN
    starts_at: AwareDatetime | None = None
    release: Tournament.Release = Tournament.Release.PUBLIC
    sources_open: bool = False


class EntrantAct(Shape):
    entrant: int = Field(ge=0, description="Its number.")
    reason: str = Field(min_length=1, max_length=500, description="Entrants see it.")


class NewRelease(Why):
    release: Tournament.Release


class NewReveal(Why):
    shown: int = Field(
        ge=0, description="How many places are revealed already, so that one is revealed once."
    )


class NewPrize(Why):
    prize: str = Field(max_length=200)


class NewAwards(Why):
    awards: bool


def _in_utc(moment: datetime) -> datetime:
    """The same time in UTC, in which databases compare it."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # before the first year, or after the last
        raise PydanticCustomError("datetime_object_invalid", "out of range") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]


class NewRerun(Shape):
    """The matches to run again: those that meet all that is given."""

    entrant: int | None = None
    worker: str = Field("", max_length=120)
    fault: str = Field("", max_length=20)
    since: Moment | None = None
    until: Moment | None = None
    matches: list[int] = Field([], max_length=1000)
    reason: str = Field(min_length=1, max_length=500, description="Entrants see it.")


class RankChangeShape(Shape):
    """An entrant's rank and points now, and if the new results were applied."""

    name: str
    rank: int
    new_rank: int
    points: str
    new_points: str


class RerunShape(Shape):
    id: int
    state: str
    reason: str
    matches: int
    done: int
    changes: list[RankChangeShape] = Field(description="In the order of the new standings.")


@of_tournaments.post("", auth=ORGANIZE, tags=["organizing"], response={201: TournamentShape})
def create(request: Any, wanted: NewTournament) -> Status[Any]:
    """Create a draft."""
    competition = lookup.competition_to_change(request, wanted.competition)
    if not may_organize(request.user, competition=competition):
        raise Problem("not_allowed", _("Only organizers create tournaments."))
    lookup.choice("/format", wanted.format, FORMATS)
    if wanted.starts_at is not None and wanted.starts_at <= timezone.now():
        raise invalid("/starts_at", _("Expected a time in the future."))
    bots = _bots(wanted.bots)
    tournament = services.create(
        request.user,
        competition,
        wanted.name,
        wanted.format,
        _rounds(wanted),
        draw_seed() if wanted.seed is None else wanted.seed,
        bots,
        wanted.settings,
        Start(wanted.starts_at, wanted.field, wanted.release),
        wanted.sources_open,
    )
    return Status(201, shape_of(tournament, request.user))


@router.post("/tournaments/{id}/start", response=TournamentShape)
def start(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Start a draft: the active versions of its entrants are frozen."""
    return _move(request, id, why, deadlines.start_now, State.RUNNING)


@router.post("/tournaments/{id}/pause", response=TournamentShape)
def pause(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Begin no more matches; those that are played end normally."""
    return _move(request, id, why, services.pause, State.PAUSED)


@router.post("/tournaments/{id}/resume", response=TournamentShape)
def resume(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Continue after a pause."""
    return _move(request, id, why, services.resume, State.RUNNING)


@router.post("/tournaments/{id}/cancel", response=TournamentShape)
def cancel(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """End it without a result. Matches that are not over are not played."""
    return _move(request, id, why, services.cancel, State.CANCELLED)


@router.post("/tournaments/{id}/withdraw", response=TournamentShape)
def withdraw(request: Any, id: int, wanted: EntrantAct) -> dict[str, Any]:
    """Take an entrant out, as withdrawn."""
    return _change(request, id, wanted, running.withdraw, wanted.entrant)


@router.post("/tournaments/{id}/disqualify", response=TournamentShape)
def disqualify(request: Any, id: int, wanted: EntrantAct) -> dict[str, Any]:
    """Take an entrant out, as disqualified; also after the end."""
    return _change(request, id, wanted, running.disqualify, wanted.entrant)


@router.post("/tournaments/{id}/reinstate", response=TournamentShape)
def reinstate(request: Any, id: int, wanted: EntrantAct) -> dict[str, Any]:
    """Let an entrant that was taken out play again."""
    return _change(request, id, wanted, running.reinstate, wanted.entrant)


@router.post("/tournaments/{id}/release", response=TournamentShape)
def release(request: Any, id: int, wanted: NewRelease) -> dict[str, Any]:
    """Say who sees the results."""
    return _change(request, id, wanted, running.release, wanted.release)


@router.post("/tournaments/{id}/reveal", response=TournamentShape)
def reveal(request: Any, id: int, wanted: NewReveal) -> dict[str, Any]:
    """Show everyone the next place, from the last to the first, with all that share it."""
    return _change(request, id, wanted, partial(running.reveal, shown=wanted.shown))


@router.post("/tournaments/{id}/prize", response=TournamentShape)
def set_prize(request: Any, id: int, wanted: NewPrize) -> dict[str, Any]:
    """Set the prize, in words; an empty text for none."""
    return _change(request, id, wanted, running.set_prize, wanted.prize)


@router.post("/tournaments/{id}/awards", response=TournamentShape)
def set_awards(request: Any, id: int, wanted: NewAwards) -> dict[str, Any]:
    """Say whether the competition's prizes go to its ranks. At most one tournament awards them."""
    return _change(request, id, wanted, running.set_awards, wanted.awards)


@router.get("/tournaments/{id}/reruns", response=list[RerunShape])
def list_reruns(request: Any, id: int) -> list[dict[str, Any]]:
    """Its re-runs, the newest first, with what applying an open one would change."""
    return [_rerun(rerun) for rerun in _to_organize(request, id).reruns.order_by("-pk")]


@router.post("/tournaments/{id}/reruns", response={201: RerunShape})
def rerun(request: Any, id: int, wanted: NewRerun) -> Status[Any]:
    """Run matches again. Their results count only if they are applied."""
    matches = tuple(map(lookup.within, wanted.matches))
    entrant = None if wanted.entrant is None else lookup.within(wanted.entrant)
    choice = Choice(entrant, wanted.worker, wanted.fault, wanted.since, wanted.until, matches)
    tournament = _to_organize(request, id)
    return Status(201, _rerun(reruns.begin(tournament, choice, request.user, wanted.reason)))


@router.post("/reruns/{id}/apply", response=RerunShape)
def apply(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Let the new results count."""
    return _end(request, id, why, reruns.apply, Rerun.State.APPLIED)


@router.post("/reruns/{id}/discard", response=RerunShape)
def discard(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Keep the old results."""
    return _end(request, id, why, reruns.discard, Rerun.State.DISCARDED)


def _to_organize(request: Any, id: int) -> Tournament:
    tournament = _seen(request, id)
    check_competition(request, tournament.competition)
    if not may_organize(request.user, tournament):
        raise Problem("not_allowed", _("Only its organizer may do this."))
    return tournament


def _move(request: Any, id: int, why: Why | None, act: Callable[..., None], target: str) -> dict[str, Any]:
    """Make a transition. A tournament that is in the state already is returned as it is."""
    moved = _to_organize(request, id)
    if moved.state == target:
        return shape_of(moved, request.user)
    return _change(request, id, why, act)


def _change(
    request: Any, id: int, why: Why | EntrantAct | None, act: Callable[..., None], *to: object
) -> dict[str, Any]:
    tournament = _to_organize(request, id)
    with _in_this_state():
        act(tournament, *to, request.user, why.reason if why else "")
    return shape_of(_seen(request, id), request.user)


def _seen(request: Any, id: int) -> Tournament:
    tournaments = Tournament.objects.filter(visible(request.user))
    return lookup.one(tournaments.select_related("competition", "organizer"), id)


def _end(
    request: Any, id: int, why: Why | None, act: Callable[[Rerun, Any, str], None], target: str
) -> dict[str, Any]:
    rerun = lookup.one(Rerun.objects.select_related("tournament"), id)
    _to_organize(request, rerun.tournament_id)
    if rerun.state != target:
        with _in_this_state():
            act(rerun, request.user, why.reason if why else "")
    return _rerun(Rerun.objects.get(pk=rerun.pk))


def _rerun(rerun: Rerun) -> dict[str, Any]:
    preview = reruns.preview(rerun) if rerun.state == Rerun.State.PLAYING else None
    total = rerun.matches.count()
    return RerunShape.from_row(
        rerun,
        matches=total,
        done=total if preview is None else preview.done,
        changes=[
            {
                "name": new.bot,
                "rank": old.rank,
                "new_rank": new.rank,
                "points": exact(old.points),
                "new_points": exact(new.points),
            }
            for old, new in (preview.table if preview else [])
        ],
    )


def _bots(ids: list[int]) -> list[Bot]:
    """The bots, in this order. Raises Problem for one that there is not."""
    known = Bot.objects.in_bulk([lookup.within(id) for id in ids])
    for place, id in enumerate(ids):
        if id not in known:
            raise invalid(f"/bots/{place}", _("There is no such bot."))
    return [known[id] for id in ids]


def _rounds(wanted: NewTournament) -> int | None:
    """The rounds; None for as many as the format proposes for those who enter."""
    chosen = FORMATS[wanted.format]
    if chosen.takes_rounds:
        return wanted.rounds
    return 1


@contextmanager
def _in_this_state() -> Iterator[None]:
    try:
        yield
    except IllegalTransition as illegal:
        state = State(illegal.actual).label
        detail = _("You cannot do this now: the tournament is %(state)s.") % {"state": state}
        raise Problem("conflict", detail) from None
