"""What decides between entrants of a knock-out that are equal after their matches.

They play on: DECIDERS matches at a time, until one leads, and `most_deciders` in all. If they are equal even
then, the setting EQUAL decides: a lot, or the better seed. The lot is drawn from the seeds of the matches
that they played. On a site no one knows these before the matches are over; and matches that are run again
have other seeds, so that no one can know the lot first and then choose whether to run them again.
"""

from collections.abc import Sequence
from fractions import Fraction

from agon.contest.formats.base import Plan, Setting
from games.core.story import mark

DECIDERS = 2  # matches at a time; with two seats one in each seating
_MOST_TIMES = {"lot": 3, "seed": 1}
BY_LOT = mark("equal after all matches: drawn by lot")
EQUAL = Setting(
    "equal",
    mark("If bots stay equal"),
    "lot",
    choices={
        "lot": mark("six more matches at most, then a lot drawn from their seeds"),
        "seed": mark("two more matches, then the better seed advances"),
    },
    before="seed",
)


def decides_by_lot(plan: Plan) -> bool:
    return plan.settings["equal"] == "lot"


def most_deciders(plan: Plan) -> int:
    """The most matches that are played on."""
    return DECIDERS * _MOST_TIMES[str(plan.settings["equal"])]


def open_matches(plan: Plan, played: int, lead: Fraction) -> int:
    """How many matches are to be played before a pairing or table can next be decided; 0 if it is decided.

    lead: in points, of those that would advance now.
    """
    left = plan.number("best_of") - played
    if left > 0:
        return min(left, int((left - lead) // 2) + 1) if lead <= left else 0
    return 0 if lead or -left >= most_deciders(plan) else DECIDERS


def drawn(plan: Plan, entrants: Sequence[int], seeds: Sequence[int], *place: object) -> list[int]:
    """The entrants in an order drawn by lot. seeds: of their matches. place: theirs in the tournament."""
    return plan.draw("equal", *place, *seeds).sample(entrants, len(entrants))


def criteria(
    plan: Plan, name: str, won: Sequence[int], by_lot: Sequence[int]
) -> tuple[tuple[str, ...], tuple[tuple[Fraction, ...], ...]]:
    """The criteria of a ranking and their values: what each entrant won, and how much of it by lot."""
    if not decides_by_lot(plan):
        return (name,), tuple((Fraction(number),) for number in won)
    return (name, "lots_won"), tuple(
        (Fraction(number), Fraction(lots)) for number, lots in zip(won, by_lot, strict=True)
    )
