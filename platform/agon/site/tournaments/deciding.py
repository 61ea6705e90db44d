"""What decides next in a running tournament: the pairings and tables in play, or what is open among
the leaders.

For those who may see the results: pairings of later rounds follow from them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import get_language

from agon.contest.undecided import Meeting, leaders, meetings
from agon.site.matches.models import Seat
from agon.site.matches.states import GOING_ON
from agon.site.tournaments import rounds, scheduling
from agon.site.tournaments.cached import cached
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.standings import shown_standings

TOP = 3  # places among which open matches are shown
MOST_LEADERS = 6  # entrants, where many share these places
SHOWN = 12  # meetings


class Who(NamedTuple):
    """An entrant that meets others. points: in this pairing so far; None if they do not matter."""

    number: int
    name: str
    points: Fraction | None


class Open(NamedTuple):
    """Entrants that meet, and how many of their matches are open."""

    entrants: list[Who]
    matches: int


class Stage(NamedTuple):
    """A stage of a bracket that is in play. number: from 1. of: how many there are; None if unknown."""

    bracket: str
    title: str
    number: int
    of: int | None


class Next(NamedTuple):
    """What decides next.

    round, rounds: the one in play, from 1, and how many there are; None where the format does not count them.
    stages: of a bracket. top: among how many first places `open` is; None if it is everything in play.
    more: how many meetings are open besides.
    """

    round: int | None
    rounds: int | None
    stages: list[Stage]
    top: int | None
    open: list[Open]
    more: int


def next_to_decide(tournament: Tournament) -> Next:
    """What decides next in a running or paused tournament; cached for a moment, in the reader's language."""
    return cached(tournament, f"decides-next-{get_language()}", lambda: _next(tournament))


def _next(tournament: Tournament) -> Next:
    round, all_rounds = round_in_play(tournament)
    chosen = tournament.chosen_format
    if not chosen.needs_results:
        rows = [
            shown_standing
            for shown_standing in shown_standings(tournament)
            if not shown_standing.disqualified
        ]
        top = leaders(((row.entrant, row.rank) for row in rows), TOP, MOST_LEADERS)
        return Next(round, all_rounds, [], TOP, *_named(tournament, _open_among(tournament, top)))
    if not chosen.counts_rounds and chosen.show is not None:
        shown = rounds.shown(tournament)
        if shown.charts:
            return _in_brackets(tournament, shown)
    return Next(round, all_rounds, [], None, *_named(tournament, meetings(_open_seatings(tournament))))


def round_in_play(tournament: Tournament) -> tuple[int | None, int | None]:
    """The number of the round in play, from 1, and how many there are; None for what cannot be said."""
    chosen = tournament.chosen_format
    if chosen.needs_results and not chosen.counts_rounds:
        return None, None
    in_play = tournament.matches.filter(state__in=GOING_ON).order_by("index")
    first = in_play.values_list("round", flat=True).first()
    return (None if first is None else first + 1), tournament.rounds


def _in_brackets(tournament: Tournament, shown: rounds.Shown) -> Next:
    stages: list[Stage] = []
    pairings: list[Open] = []
    going_on = set(tournament.matches.filter(state__in=GOING_ON).values_list("pk", flat=True))
    for chart in shown.charts:
        for number, column in enumerate(chart.columns, start=1):
            in_play = [
                pairing
                for pairing in column.pairings
                if not pairing.over and going_on.intersection(pairing.matches)
            ]
            if in_play:
                columns = (
                    len(chart.columns) if tournament.seats == 2 else None
                )  # tables of later stages are not known
                stages.append(Stage(chart.title, column.title or chart.title, number, columns))
            pairings += [
                Open(
                    [
                        Who(side.entrant.number, side.entrant.name, side.points)
                        for side in pairing.sides
                        if side.entrant
                    ],
                    len(going_on.intersection(pairing.matches)),
                )
                for pairing in in_play
            ]
    return Next(None, None, stages, None, pairings[:SHOWN], max(0, len(pairings) - SHOWN))


def _open_seatings(tournament: Tournament, among: Sequence[int] | None = None) -> list[list[int]]:
    """The entrants of the matches that exist and are not over, by seat, in order."""
    numbers = dict(tournament.entrants.values_list("submission", "number"))
    seats = Seat.objects.filter(match__tournament=tournament, match__state__in=GOING_ON)
    if among is not None:
        seats = seats.filter(
            submission__in=[
                entrant_submission for entrant_submission, number in numbers.items() if number in among
            ]
        )
    open_seats: dict[int, list[int]] = defaultdict(list)
    for index, submission in seats.order_by("match__index", "number").values_list(
        "match__index", "submission"
    ):
        open_seats[index].append(numbers[submission])
    return list(open_seats.values())


def _open_among(tournament: Tournament, top: Sequence[int]) -> list[Meeting]:
    """The open matches in which two of these meet, those that are not queued yet included."""
    later = scheduling.scheduled_matches(tournament)[tournament.scheduled :]
    return meetings(
        [*_open_seatings(tournament, top), *(scheduled_match.seats for scheduled_match in later)], set(top)
    )


def _named(tournament: Tournament, meetings: Iterable[Meeting]) -> tuple[list[Open], int]:
    every = list(meetings)
    shown = every[:SHOWN]
    wanted = {number for meeting in shown for number in meeting.entrants}
    names = dict(
        Entrant.objects.filter(tournament=tournament, number__in=wanted).values_list("number", "name")
    )
    opened = [
        Open([Who(number, names[number], None) for number in meeting.entrants], meeting.matches)
        for meeting in shown
    ]
    return opened, len(every) - len(shown)
