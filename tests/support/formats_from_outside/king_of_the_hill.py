"""A format from outside the project: the winner of a match stays, and meets the next entrant."""

from fractions import Fraction

from agon.contest.formats.base import Format, History, Plan, Ranking, Seating, shared_ranks
from agon.contest.formats.shown import GroupShown, Shown, Text


def hill(plan: Plan, history: History) -> list[int]:
    """Who stood on the hill, in order."""
    held = [0]
    for played in history.rounds:
        [outcome] = played.outcomes
        held.append(outcome.seats[1] if outcome.ranks == (2, 1) else outcome.seats[0])
    return held


def pair(plan: Plan, history: History) -> list[Seating] | None:
    challenger = history.number + 1
    return [(hill(plan, history)[-1], challenger)] if challenger < plan.entrants else None


def rank(plan: Plan, history: History) -> Ranking:
    held = hill(plan, history)
    stood = [
        (Fraction(held.count(entrant) + held[-1:].count(entrant) * plan.entrants),)
        for entrant in range(plan.entrants)
    ]
    return Ranking(shared_ranks(stood), ("wins",), tuple(stood))


def show(plan: Plan, history: History) -> Shown:
    rows = [(entrant, Fraction(number)) for number, entrant in enumerate(hill(plan, history), start=1)]
    return Shown(groups=[GroupShown(Text("The hill of %(count)d", {"count": plan.entrants}), rows)])


FORMAT = Format(
    "king_of_the_hill",
    "King of the hill",
    "The winner stays.",
    2,
    2,
    pair,
    lambda plan: plan.entrants - 1,
    needs_results=True,
    takes_rounds=False,
    rank=rank,
    counts_wins=True,
    decided_by="Who is on the hill at the end decides.",
    show=show,
)
