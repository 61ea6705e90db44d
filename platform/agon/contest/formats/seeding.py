"""The seeding of a format: its entrants from the best to the last, before anything is played.

By rating: the ratings as they were when the entrants were frozen, rounded as they are shown. Entrants with
equal ratings, and those without one, who come last, are in an order drawn from the seed. So neither names nor
the order in which bots were entered decide anything, and no one can choose a lot: on a site the seed is drawn
when the entrants are frozen.
"""

from agon.contest.formats.base import Plan, Setting
from games.core.story import mark

SEEDING = Setting(
    "seeding",
    mark("Seeding"),
    "rating",
    choices={
        "rating": mark("by rating; without ratings by lot"),
        "lot": mark("by lot, drawn from the seed"),
        "order": mark("in the order of entry"),
    },
    before="order",
)


def seeding(plan: Plan) -> list[int]:
    """The entrants from the best to the last seed."""
    entrants = range(plan.entrants)
    chosen = plan.settings["seeding"]
    if chosen == "order":
        return list(entrants)
    drawn = plan.draw("lot").sample(entrants, plan.entrants)
    return sorted(drawn, key=lambda entrant: _key(plan, entrant)) if chosen == "rating" else drawn


def _key(plan: Plan, entrant: int) -> tuple[bool, int]:
    rating = plan.ratings[entrant] if plan.ratings else None
    return rating is None, -(rating or 0)
