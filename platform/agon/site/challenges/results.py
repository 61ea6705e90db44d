"""What the matches of a challenge say so far."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from agon.site.bots.models import Submission
from agon.site.challenges.models import Challenge
from agon.site.matches.models import Seat
from agon.site.matches.states import State
from agon.statistics.score import Estimate, score


class Against(NamedTuple):
    """How often the challenger was ahead of one opponent, beside it, and behind."""

    opponent: Submission
    ahead: int
    equal: int
    behind: int


class Results(NamedTuple):
    """score: the part of its opponents that the challenger beats; None without a match.

    void: matches that the platform could not play.
    """

    played: int
    void: int
    won: int
    drawn: int
    lost: int
    score: Estimate | None
    against: list[Against]


def results_of(challenge: Challenge) -> Results:
    """In two queries."""
    rows = Seat.objects.filter(match__challenge=challenge).order_by("match__index", "number")
    fields = ("match__index", "match__state", "submission", "rank", "won")
    matches = [list(seats) for _, seats in groupby(rows.values_list(*fields), key=itemgetter(0))]
    played = [seats for seats in matches if seats[0][1] == State.FINISHED]
    own = challenge.challenger_id
    seats_of_own = [seat for seats in played for seat in seats if seat[2] == own]
    won = sum(seat[4] for seat in seats_of_own)
    drawn = sum(seat[3] == 1 and not seat[4] for seat in seats_of_own)
    counts = _counts(own, ({seat[2]: seat[3] or 0 for seat in seats} for seats in played))
    opponents = challenge.opponents.select_related("submission__bot__owner")
    return Results(
        played=len(played),
        void=sum(seats[0][1] == State.VOID for seats in matches),
        won=won,
        drawn=drawn,
        lost=len(played) - won - drawn,
        score=score(_points(counts.values()), len(played)),
        against=[
            Against(opponent.submission, *counts.get(opponent.submission_id, [0, 0, 0]))
            for opponent in opponents
        ],
    )


def _counts(own: int, ranks_of_matches: Iterable[dict[int, int]]) -> dict[int, list[int]]:
    """By opponent, in how many matches the challenger was ahead, equal, behind."""
    counts: dict[int, list[int]] = {}
    for ranks in ranks_of_matches:
        for opponent, rank in ranks.items():
            if opponent != own:
                count = counts.setdefault(opponent, [0, 0, 0])
                count[1 + (ranks[own] > rank) - (ranks[own] < rank)] += 1
    return counts


def _points(counts: Iterable[Sequence[int]]) -> float:
    """The sum over all matches of the part of the opponents that the challenger beat."""
    every = list(counts)
    return sum(ahead + equal / 2 for ahead, equal, _ in every) / max(len(every), 1)
