"""The house bots that fill the seats of a match that the others leave."""

from collections.abc import Collection

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition


def best_house_bots(competition: Competition, number: int, without: Collection[int]) -> list[Submission]:
    """The active versions of the best house bots, at most `number`. without: ids of bots."""
    if number <= 0:
        return []
    house = Submission.objects.filter(bot__competition=competition, bot__house=True, state=State.ACTIVE)
    house = house.exclude(bot__in=without).select_related("bot")
    return list(house.order_by("-rated__rating__rating", "pk")[:number])
