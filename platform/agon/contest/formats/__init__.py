"""Tournament formats: which entrants meet in which seats, in which order.

A format is one file here, or in the folder AGON_FORMATS, that defines FORMAT: a pure function from a Plan and
what was played to what is played next, and what people see of it (agon.contest.formats.base).
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agon.contest.added import modules, with_added
from agon.contest.formats.base import (
    Absence,
    BadFormat,
    Format,
    History,
    Outcome,
    Plan,
    PlayedRound,
    Ranking,
    Setting,
    Value,
)
from games.core.manifest import BadManifest, GameInfo
from games.core.story import mark

__all__ = [
    "FORMATS",
    "MOST_MATCHES",
    "SERIES",
    "Absence",
    "BadFormat",
    "Format",
    "History",
    "Outcome",
    "Plan",
    "PlayedRound",
    "Ranking",
    "ScheduledMatch",
    "Setting",
    "Value",
    "count",
    "expected_matches",
    "formats_for",
    "history_of",
    "in_order",
    "likely_count",
    "make_plan",
    "most_matches",
    "next_round",
    "original_of",
    "ranking",
    "replay",
    "schedule",
    "series",
    "with_defaults",
]

MOST_MATCHES = 1_000_000
SERIES = "series"  # not a tournament's format: the same seating again and again, seed after seed
# In this order where formats are listed; then all others, by name.
FIRST = ["round_robin", "round_robin_self", "rotations", "drawn", "balanced", "pools", "started_tens"]
FIRST += ["swiss", "single_elimination", "double_elimination", "groups", "until_decided"]

__path__ = with_added(__path__)
_FOUND = {
    module.FORMAT.name: module.FORMAT for module in modules(__name__, __path__) if hasattr(module, "FORMAT")
}
FORMATS: dict[str, Format] = {name: _FOUND[name] for name in FIRST} | _FOUND

_ = mark


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """One match to be played.

    index: 0, 1, ... through the whole tournament. round: from 0. number: its place within the round, from 0.
    seats: the entrants' numbers (from 0, in entry order) by seat.
    """

    index: int
    round: int
    number: int
    seats: tuple[int, ...]


def make_plan(
    format: str,
    entrants: int,
    seats: int,
    rounds: int,
    seed: int,
    settings: Mapping[str, Value] | None = None,
    points: str = "score",
    ratings: Sequence[int | None] = (),
) -> Plan:
    """The plan with all settings of the format. Raises BadFormat."""
    chosen = _format(format)
    given = dict(settings or {})
    complete: dict[str, Value] = {}
    for setting in chosen.settings:
        complete[setting.name] = given.pop(setting.name, setting.unstated)
        if not setting.allows(complete[setting.name]):
            raise BadFormat(
                setting.name,
                _("expected %(expected)s, got %(got)r"),
                expected=setting.expected,
                got=complete[setting.name],
            )
    if given:
        known = ", ".join(setting.name for setting in chosen.settings) or "none"
        unknown = sorted(given)[0]
        raise BadFormat(
            "settings", _("expected %(known)s for this format, got %(got)r"), known=known, got=unknown
        )
    return Plan(format, entrants, seats, rounds, seed, complete, points, tuple(ratings))


def with_defaults(format: str, settings: Mapping[str, Value] | None = None) -> dict[str, Value]:
    """The settings of a new tournament: those given, else the defaults. Raises BadFormat for an unknown
    format.
    """
    return {setting.name: setting.default for setting in _format(format).settings} | dict(settings or {})


def most_matches(plan: Plan) -> int:
    """How many matches this plan makes, or at most makes if it needs results. Raises BadFormat."""
    chosen = _format(plan.format)
    if not chosen.least_seats <= plan.seats <= chosen.most_seats:
        raise BadFormat(
            "format",
            _("%(format)s does not fit a game of %(seats)d seats; fitting: %(fitting)s"),
            format=plan.format,
            seats=plan.seats,
            fitting=", ".join(formats_for(plan.seats)) or "none",
        )
    least = max(2, plan.seats)
    if plan.entrants < least:
        raise BadFormat(
            "entrants", _("expected %(least)d or more, got %(got)d"), least=least, got=plan.entrants
        )
    if plan.rounds < 1:
        raise BadFormat("rounds", _("expected 1 or more, got %(got)d"), got=plan.rounds)
    chosen.check(plan)
    matches = chosen.count(plan)
    if matches > MOST_MATCHES:
        raise BadFormat(
            "rounds",
            _("%(rounds)d rounds are %(matches)s matches, expected at most %(most)s"),
            rounds=plan.rounds,
            matches=f"{matches:,}",
            most=f"{MOST_MATCHES:,}",
        )
    return matches


def expected_matches(plan: Plan, history: History) -> int | None:
    """How many matches are likely to be played in all; None if `most_matches` says it.

    history: rounds that are over.
    """
    expect = FORMATS[plan.format].expect
    return None if expect is None else math.ceil(expect(plan, history))


def next_round(plan: Plan, history: History, index: int) -> list[ScheduledMatch] | None:
    """The matches that are played next, numbered from `index`; None at the end.

    The plan is one that `most_matches` accepts.
    """
    seatings = FORMATS[plan.format].pair(plan, history)
    if seatings is None:
        return None
    return [
        ScheduledMatch(index + place, history.number, place, seats) for place, seats in enumerate(seatings)
    ]


def replay(
    plan: Plan,
    results: Callable[[ScheduledMatch], Outcome],
    matches: int,
    absences: Sequence[Absence] = (),
) -> tuple[list[ScheduledMatch], History]:
    """Make the first rounds again, until there are `matches` or the tournament ends, from the results alone.

    results: the outcome of a match; Outcome(scheduled.seats) for one without a result. Returns all their
    matches, and the history after them. Raises BadFormat.
    """
    most_matches(plan)
    scheduled_matches: list[ScheduledMatch] = []
    history = History(absences=tuple(absences))
    while len(scheduled_matches) < matches:
        made = next_round(plan, history, len(scheduled_matches))
        if made is None:
            break
        scheduled_matches += made
        history = _after(plan, history, [results(scheduled) for scheduled in made])
    return scheduled_matches, history


def history_of(
    plan: Plan, outcomes: Sequence[tuple[int, Outcome]], absences: Sequence[Absence] = ()
) -> History:
    """The history of a tournament whose scheduled matches are these, in order, each with its round from 0.

    A round may have no match: that of groups in which only one entrant each is left.
    """
    history = History(absences=tuple(absences))
    for number, of_round in itertools.groupby(outcomes, key=lambda outcome: outcome[0]):
        while history.number < number:
            history = _after(plan, history, [])
        history = _after(plan, history, [outcome for _round, outcome in of_round])
    while not history.number and next_round(plan, history, 0) == []:
        history = _after(plan, history, [])
    return history


def _after(plan: Plan, history: History, outcomes: Sequence[Outcome]) -> History:
    """The history with one more round. Formats that need no results keep none."""
    rounds = history.rounds
    if FORMATS[plan.format].needs_results:
        seated = {entrant for outcome in outcomes for entrant in outcome.seats}
        idle = set(range(plan.entrants)) - seated - history.away(history.number)
        rounds += (PlayedRound(tuple(outcomes), tuple(sorted(idle))),)
    return History(history.number + 1, rounds, history.absences)


def ranking(plan: Plan, history: History) -> Ranking | None:
    """The format's own order after these rounds; None if it has none."""
    rank = FORMATS[plan.format].rank
    return None if rank is None else rank(plan, history)


def schedule(
    format: str,
    entrants: int,
    seats: int,
    rounds: int,
    seed: int,
    settings: Mapping[str, Value] | None = None,
) -> list[ScheduledMatch]:
    """All matches, in order of play, of a format that needs no results. Raises BadFormat."""
    plan = make_plan(format, entrants, seats, rounds, seed, settings)
    if FORMATS[format].needs_results:
        raise BadFormat("format", _("the matches of %(format)s depend on the results"), format=format)
    most_matches(plan)
    return list(in_order(plan))


def in_order(plan: Plan) -> Iterator[ScheduledMatch]:
    """All matches of a plan that `most_matches` accepts, and whose format needs no results, one by one.

    There may be a million, which together take a third of a GiB.
    """
    index = 0
    for number in itertools.count():
        seatings = FORMATS[plan.format].pair(plan, History(number))
        if seatings is None:
            return
        for place, seats in enumerate(seatings):
            yield ScheduledMatch(index, number, place, seats)
            index += 1


def count(
    format: str, entrants: int, seats: int, rounds: int, settings: Mapping[str, Value] | None = None
) -> int:
    """How many matches there are, or at most. Raises BadFormat."""
    return most_matches(make_plan(format, entrants, seats, rounds, 0, settings))


def likely_count(
    format: str, entrants: int, seats: int, rounds: int, settings: Mapping[str, Value] | None = None
) -> int | None:
    """How many matches are likely; None if `count` says it. Raises BadFormat."""
    return expected_matches(make_plan(format, entrants, seats, rounds, 0, settings), History())


def series(seats: Sequence[int], matches: int) -> list[ScheduledMatch]:
    """Matches of the same entrants in the same seats, each a round of its own. Raises BadFormat."""
    if not 1 <= matches <= MOST_MATCHES:
        most = f"{MOST_MATCHES:,}"
        raise BadFormat("matches", _("expected 1 to %(most)s, got %(got)d"), most=most, got=matches)
    return [ScheduledMatch(index, index, 0, tuple(seats)) for index in range(matches)]


def original_of(info: GameInfo) -> Format:
    """The format of the game's original contest. Raises BadManifest."""
    if info.tournament.format not in FORMATS:
        expected = ", ".join(FORMATS)
        raise BadManifest(f"{info.slug}/game.toml: tournament.format: expected one of {expected}")
    return FORMATS[info.tournament.format]


def formats_for(seats: int) -> tuple[str, ...]:
    """The names of the formats for games with this number of seats."""
    return tuple(
        name for name, format_ in FORMATS.items() if format_.least_seats <= seats <= format_.most_seats
    )


def _format(name: str) -> Format:
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise BadFormat("format", _("expected one of %(known)s, got %(got)r"), known=known, got=name)
    return FORMATS[name]
