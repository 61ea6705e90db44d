"""Every state that something may wait in: whose turn it is, where it is shown, and what ends it.

Users never wait without being shown why. So each state of each model is either here, or in SETTLED: what is
in it waits for nothing. `make docs` writes docs/reference/waiting.md from this;
tests/agon/site/core/test_unfinished.py compares both with the enumerations, so that a new state has to be put
somewhere.

Limits are those of the code, not copies of them.
"""

from collections.abc import Iterator
from datetime import timedelta
from enum import Enum
from typing import NamedTuple

from agon.site.bots.states import BotState
from agon.site.bots.states import State as SubmissionState
from agon.site.challenges.states import State as ChallengeState
from agon.site.comparisons.states import State as ComparisonState
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import ATTEMPTS, LEASE
from agon.site.courses.states import AssessmentState
from agon.site.courses.states import State as CourseState
from agon.site.fleet.states import WorkerState
from agon.site.matches.states import AskState
from agon.site.matches.states import State as MatchState
from agon.site.teams.states import State as TeamState
from agon.site.tokens.device import LIFE
from agon.site.tokens.states import State as LoginState
from agon.site.tournaments.models import Rerun
from agon.site.tournaments.states import State as TournamentState
from agon.site.trials.states import State as TrialState
from agon.site.use_cases import qualification
from agon.site.workers import building, trying
from agon.site.workers.home_seats import GRACE, PAUSE


class Unfinished(NamedTuple):
    """A state that ends.

    turn: whose it is to act: the workers' of a queue, a task's, or a person's. page: name of the URL that
    says so, with a place and an estimate if it waits in a queue. within: what bounds it. then: what happens
    if those whose turn it is die, or do nothing.
    """

    what: str
    state: Enum
    turn: str
    page: str
    within: str
    then: str


def _span(time: timedelta) -> str:
    seconds = round(time.total_seconds())
    return f"{seconds // 60} min" if seconds % 60 == 0 else f"{seconds} s"


_LEASED = f"given back {_span(LEASE)} after the worker's last word, by the sweep"
_TRIES = f"{ATTEMPTS} attempts"
_SWEPT = "the sweep does it, every 3 s"
_BY_MATCHES = "its matches, which end like all others"
_OPEN_END = "no deadline: its page says who decides"

Row = tuple[Enum, str, str, str]  # state, turn, within, then


def _of(what: str, page: str, *rows: Row) -> Iterator[Unfinished]:
    for state, turn, within, then in rows:
        yield Unfinished(what, state, turn, page, within, then)


UNFINISHED = (
    *_of(
        *("submission", "submission"),
        (SubmissionState.RECEIVED, "queue build", f"{building.ATTEMPTS} attempts", _SWEPT),
        (SubmissionState.BUILDING, "a worker of build", "the limits of a build", _LEASED),
        (SubmissionState.BUILT, "the sweep", f"{qualification.MATCHES} void matches", _SWEPT),
        (SubmissionState.QUALIFYING, "queue interactive", _TRIES, _LEASED),
    ),
    *_of(
        *("match", "match"),
        (MatchState.QUEUED, "queue interactive, bulk or home", _TRIES, _SWEPT),
        (MatchState.HELD, "an organizer", _OPEN_END, "its tournament is paused: resumed or cancelled"),
        (MatchState.RUNNING, "a worker", "the limits of the game", f"{_LEASED}; void after {_TRIES}"),
    ),
    *_of(
        *("ask of a bot at home", "match"),
        (
            *(
                AskState.OPEN,
                "the bot's author",
                f"the game's limit, {GRACE:.0f} s, and {PAUSE:.0f} s a match",
            ),
            "its seat forfeits",
        ),
    ),
    *_of(
        *("trial", "trial"),
        (TrialState.QUEUED, "queue interactive", _TRIES, _SWEPT),
        (TrialState.RUNNING, "a worker", f"{trying.LONGEST} s a match", f"{_LEASED}; failed after {_TRIES}"),
    ),
    *_of("comparison", "comparison", (ComparisonState.RUNNING, "queue bulk", _BY_MATCHES, _SWEPT)),
    *_of("challenge", "challenge", (ChallengeState.RUNNING, "queue bulk or home", _BY_MATCHES, _SWEPT)),
    *_of(
        *("tournament", "tournament"),
        (TournamentState.DRAFT, "an organizer", "its start, if it has one", _SWEPT),
        (TournamentState.RUNNING, "queue bulk", _BY_MATCHES, _SWEPT),
        (TournamentState.PAUSED, "an organizer", _OPEN_END, "resumed or cancelled"),
    ),
    *_of(
        "rerun",
        "tournament_rerun",
        (Rerun.State.PLAYING, "queue bulk", _BY_MATCHES, "decided by an organizer"),
    ),
    *_of(
        *("assessment", "course_assessment"),
        (AssessmentState.WAITING, "the sweep", "the deadline of the milestone", _SWEPT),
        (AssessmentState.RUNNING, "queue bulk", _BY_MATCHES, _SWEPT),
    ),
    *_of(
        *("device login", "device"),
        (LoginState.PENDING, "a person", _span(LIFE), "it expires"),
        (LoginState.APPROVED, "the program", _span(LIFE), "it expires"),
    ),
    *_of(
        *("worker", "operate"),
        (WorkerState.PARKED, "an operator", _OPEN_END, "released"),
        (WorkerState.REPORTED, "an operator", _OPEN_END, "parked or released"),
    ),
)

SETTLED: tuple[Enum, ...] = (
    *(SubmissionState.ACTIVE, SubmissionState.REJECTED, SubmissionState.REPLACED),
    *(SubmissionState.OUT, SubmissionState.REMOVED, SubmissionState.HOME),
    *BotState,
    *(MatchState.FINISHED, MatchState.VOID, MatchState.WITHDRAWN),
    *(AskState.ANSWERED, AskState.LATE),
    *(TrialState.FINISHED, TrialState.REJECTED, TrialState.FAILED),
    *(ComparisonState.FINISHED, ComparisonState.CANCELLED),
    *(ChallengeState.FINISHED, ChallengeState.CANCELLED),
    *(TournamentState.FINISHED, TournamentState.CANCELLED),
    *(Rerun.State.APPLIED, Rerun.State.DISCARDED),
    *(AssessmentState.PASSED, AssessmentState.FAILED, AssessmentState.CANCELLED),
    *(LoginState.REFUSED, LoginState.COLLECTED),
    WorkerState.RELEASED,
    *CourseState,
    *TeamState,
    *Competition.State,
)
