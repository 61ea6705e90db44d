"""For games of 2 seats: a round is every pair of different entrants, in entry order.

Guarantees. Ordered: each ordered pair exactly once a round, in the order of `itertools.permutations`.
Unordered: each pair exactly once a round; the seats of a pair alternate from round to round, and within a
round every entrant's numbers of matches in either seat differ by one at most. With self-play: also each
entrant once a round against itself, in the order of `itertools.product` where pairs are ordered. The seed
changes nothing.
"""

import itertools
from collections.abc import Iterator

from agon.contest.formats.base import Format, Plan, Seating, Setting, fixed
from games.core.story import mark

ORDERED = Setting(
    "ordered",
    mark("Both seatings"),
    True,
    help=mark("Each pair plays twice in a round, once with each bot in the first seat."),
)
SELF_PLAY = Setting("self_play", mark("Self-play"), False, help=mark("Each bot also plays against itself."))
TIES = Setting(
    "ties",
    mark("Equal points"),
    "shared",
    choices={
        "shared": mark("share the rank"),
        "head_to_head": mark("are separated by the matches among them, if these can"),
    },
)


def _fill(plan: Plan, number: int) -> Iterator[Seating]:
    entrants = range(plan.entrants)
    if plan.settings["ordered"]:
        if plan.settings["self_play"]:
            return itertools.product(entrants, repeat=2)
        return itertools.permutations(entrants, 2)
    return _unordered(plan, number)


def _unordered(plan: Plan, number: int) -> Iterator[Seating]:
    """Each pair once.

    In even rounds the earlier entrant sits first if the numbers differ by an odd number.
    """
    least = 0 if plan.settings["self_play"] else 1
    for early in range(plan.entrants):
        for late in range(early + least, plan.entrants):
            yield (early, late) if (late - early + number) % 2 else (late, early)


def _count(plan: Plan) -> int:
    pairs = plan.entrants * (plan.entrants - 1) // (1 if plan.settings["ordered"] else 2)
    return plan.rounds * (pairs + (plan.entrants if plan.settings["self_play"] else 0))


FORMAT = Format(
    "round_robin",
    mark("Round robin"),
    mark("Every pair of entrants plays equally often; with both seatings, each bot is first equally often."),
    2,
    2,
    fixed(_fill),
    _count,
    (ORDERED, SELF_PLAY, TIES),
    repeats_rounds=True,
)
