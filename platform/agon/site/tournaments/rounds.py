"""The bracket, groups or rounds of a tournament whose format needs results, as its page shows them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from agon.contest.formats import History, Pairing, Plan, double_elimination, groups, single_elimination
from agon.contest.formats.knockout import Bracket, Part, TieState
from agon.contest.formats.tables import Stage, Table, Tables
from agon.site.tournaments import scheduling
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.recent import recent

BRACKETS: dict[str, Callable[[Plan, History], Bracket | Tables | None]] = {
    "single_elimination": single_elimination.bracket,
    "double_elimination": double_elimination.bracket,
    "groups": groups.bracket,
}
PARTS: dict[Part, Any] = {
    Part.MAIN: gettext_lazy("Main bracket"),
    Part.LOWER: gettext_lazy("Lower bracket"),
    Part.FINAL: gettext_lazy("Final"),
    Part.THIRD: gettext_lazy("Match for third place"),
}


def _winner() -> str:
    return _("(winner)")


MOST_SHOWN = 12  # rounds to list, the latest ones


@dataclass
class Side:
    """An entrant in a tie, a match, or at a table.

    entrant: None for a place that is still open, or stays empty. points: None if they do not matter here.
    in_words: what `won` means.
    """

    entrant: Entrant | None
    points: Fraction | None = None
    won: bool = False
    in_words: str = field(default_factory=_winner)


@dataclass
class TieShown:
    """A tie of a bracket, a table, or a match of a round.

    matches: their ids. note: why it was decided without points ("bye"), or "".
    """

    sides: list[Side]
    matches: list[int] = field(default_factory=list)
    note: str = ""
    over: bool = False


@dataclass
class Column:
    """The ties of a stage. lead: how they lead to those of the next: two and two ("pairs"), each to one
    ("straight"), or otherwise ("").
    """

    title: str
    ties: list[TieShown]
    lead: str = ""


@dataclass
class Chart:
    """A part of a bracket, by stage."""

    title: str
    columns: list[Column]


@dataclass
class GroupShown:
    """A group of the first stage: its entrants, best first, each with its points."""

    title: str
    rows: list[tuple[Entrant, Fraction]]


@dataclass
class RoundShown:
    """A round. number: from 1. byes: the entrants without a match in it."""

    number: int
    ties: list[TieShown]
    byes: list[Entrant]


@dataclass
class Shown:
    """The content of the page: charts of the bracket and groups, or the latest rounds, last one first."""

    charts: list[Chart] = field(default_factory=list)
    groups: list[GroupShown] = field(default_factory=list)
    rounds: list[RoundShown] = field(default_factory=list)


def recently_shown(tournament: Tournament) -> Shown:
    """`shown`, cached for a moment; empty for formats without a bracket or rounds to show."""
    if tournament.format not in (*BRACKETS, "swiss"):
        return Shown()
    return recent(tournament, f"rounds-shown-{get_language()}", lambda: shown(tournament))


def shown(tournament: Tournament) -> Shown:
    """The bracket and groups, or the rounds, of a started tournament in a format that has them."""
    entrants = list(tournament.entrants.select_related("bot"))
    history = scheduling.history(tournament)
    pairings = scheduling.pairings(tournament)
    # Read last: if a round is queued meanwhile, there are more ids than pairings, and none is missing.
    numbers = dict(tournament.matches.values_list("index", "pk"))
    plan = scheduling.plan(tournament)
    if tournament.format in BRACKETS:
        bracket = BRACKETS[tournament.format](plan, history)
        ids = {(each.round, each.number): numbers[each.index] for each in pairings}
        in_groups = _groups(plan, history, entrants) if tournament.format == "groups" else []
        return Shown(_charts(bracket, entrants, ids), in_groups)
    return Shown(rounds=_rounds(history, pairings, entrants, numbers))


def _groups(plan: Plan, history: History, entrants: list[Entrant]) -> list[GroupShown]:
    return [
        GroupShown(
            _("Group %(number)d") % {"number": number},
            [
                (entrants[entrant], points)
                for entrant, points in groups.group_table(plan, history.before(min(1, history.number)), group)
            ],
        )
        for number, group in enumerate(groups.groups(plan), start=1)
    ]


def _charts(
    bracket: Bracket | Tables | None, entrants: list[Entrant], ids: dict[tuple[int, int], int]
) -> list[Chart]:
    if isinstance(bracket, Bracket):
        return _charts_of_ties(bracket, entrants, ids)
    if bracket is None or not bracket.stages:
        return []
    columns = [
        Column(
            _table_stage_title(stage),
            [_table(table, entrants, ids) for table in stage.tables] + _byes(stage, entrants),
        )
        for stage in bracket.stages
    ]
    return [Chart(str(PARTS[Part.MAIN]), columns)]


def _table_stage_title(stage: Stage) -> str:
    first = stage.tables[0]
    return _("Final") if first.going == 1 else _("Stage %(number)d") % {"number": first.stage + 1}


def _table(table: Table, entrants: list[Entrant], ids: dict[tuple[int, int], int]) -> TieShown:
    sides = [
        Side(
            entrants[entrant],
            table.points[entrant] if table.matches else None,
            entrant in table.advancing,
            _winner() if table.going == 1 else _("(advances)"),
        )
        for entrant in table.standing
    ]
    return TieShown(sides, [ids[place] for place in table.matches], over=table.over)


def _byes(stage: Stage, entrants: list[Entrant]) -> list[TieShown]:
    sides = [Side(entrants[entrant]) for entrant in stage.byes]
    return [TieShown(sides, note=_("bye"), over=True)] if sides else []


def _charts_of_ties(
    bracket: Bracket, entrants: list[Entrant], ids: dict[tuple[int, int], int]
) -> list[Chart]:
    charts: list[Chart] = []
    double = any(state.tie.part is Part.FINAL for state in bracket.ties)
    for part in Part:
        states = [state for state in bracket.ties if state.tie.part is part and not _is_needless(state)]
        stages = [
            [state for state in states if state.tie.stage == stage]
            for stage in sorted({state.tie.stage for state in states})
        ]
        columns = [
            Column(
                _stage_title(part, place, len(stages) - place, double),
                [_tie(state, entrants, ids) for state in stage],
                _lead(stage, stages[place + 1] if place + 1 < len(stages) else []),
            )
            for place, stage in enumerate(stages)
        ]
        if columns:
            charts.append(Chart(str(PARTS[part]), columns))
    return charts


def _lead(stage: list[TieState], following: list[TieState]) -> str:
    numbers = [state.number for state in stage]
    joined = [
        sorted(each.number for each in state.tie.sources if each.kind == "winner" and each.number in numbers)
        for state in following
    ]
    if not joined:
        return ""
    if joined == [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=False)]:
        return "pairs"
    return "straight" if joined == [[number] for number in numbers] else ""


def _is_needless(state: TieState) -> bool:
    """Whether it is never played: a tie of two empty places, or a second final that is not needed."""
    if state.tie.after_upset is not None:
        return not state.known or state.by == "bye"
    return state.known and state.sides == (None, None)


def _stage_title(part: Part, place: int, left: int, double: bool) -> str:
    """place: of the stage in its part, from 0. left: stages of the part from this one on.

    "" where the title of the part says it.
    """
    if part in (Part.FINAL, Part.THIRD) and place == 0 and left == 1:
        return ""
    if part is Part.MAIN and not double and left <= 3:
        return {1: _("Final"), 2: _("Semifinals"), 3: _("Quarterfinals")}[left]
    return _("Stage %(number)d") % {"number": place + 1}


def _tie(state: TieState, entrants: list[Entrant], ids: dict[tuple[int, int], int]) -> TieShown:
    notes = {
        "bye": _("bye"),
        "walkover": _("walkover: an entrant left"),
        "seeding": _("equal: the better seed advances"),
    }
    sides = [
        Side(
            None if entrant is None else entrants[entrant],
            points if state.matches else None,
            state.over and entrant is not None and entrant == state.winner,
        )
        for entrant, points in zip(state.sides, state.points, strict=True)
    ]
    return TieShown(sides, [ids[place] for place in state.matches], notes.get(state.by, ""), state.over)


def _rounds(
    history: History, pairings: Iterable[Pairing], entrants: list[Entrant], numbers: dict[int, int]
) -> list[RoundShown]:
    """The latest rounds, the last one first."""
    by_round: dict[int, list[Pairing]] = {}
    for pairing in pairings:
        by_round.setdefault(pairing.round, []).append(pairing)
    found = []
    for number in range(history.number - 1, max(-1, history.number - 1 - MOST_SHOWN), -1):
        played = history.rounds[number]
        ties = [
            TieShown(
                [
                    Side(entrants[entrant], None, bool(outcome.ranks) and outcome.ranks[seat] == 1)
                    for seat, entrant in enumerate(outcome.seats)
                ],
                [numbers[pairing.index]],
                over=bool(outcome.ranks),
            )
            for pairing, outcome in zip(by_round[number], played.outcomes, strict=True)
        ]
        found.append(RoundShown(number + 1, ties, [entrants[entrant] for entrant in played.idle]))
    return found
