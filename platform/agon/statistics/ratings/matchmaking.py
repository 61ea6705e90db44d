"""Which rated match is played next: a pure choice among contenders, with a source of chance.

A contender **wants** matches while its rating is provisional, or its rank is not decided; but only so many
(`Goal.most`). Each seating is drawn for one that wants it, which comes first: of those whose authors, then
whose bots, used the least worker time, the one that played least. So newcomers come first. Every FOURTH
seating is drawn for the one among them whose last match is the longest ago: **a contender that wants a match
and whose author is in turn is seated within FOURTH * n seatings**, n being the number of contenders, however
many others arrive.

Opponents are drawn by how much the match can reveal: those near in rating, and of these the ones that are not
yet separated from the first, by rank ranges that overlap. Seats are given to those who had them least often.
"""

import math
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

FOURTH = 4
NEAR = 600.0  # difference in rating within which opponents are mostly drawn
FAR = 0.05  # how likely, beside the nearest, the farthest is drawn
DECIDED = 0.25  # how likely, beside one that is not separated from the first, one that is
MOST_EXCESS = 100.0  # minutes beyond the least load that still make a difference


@dataclass
class Contender:
    """A bot as the ladder sees it; `played` includes queued and void matches.

    id: the ladder's. rating: shared by bots with the same program. best, worst: ranks; 0 if it has none yet.
    author: None for a house bot. minutes: worker time that the author's bots used recently
    (agon.site.matches.usage).
    bot_minutes: the same for this bot. pending: the author's queued and running matches; each counts as a
    minute. seats: how often it sat in each. waited_since: when its last result arrived, or any number that
    grows.
    """

    id: int
    rating: float
    played: int = 0
    best: int = 0
    worst: int = 0
    author: int | None = None
    minutes: float = 0.0
    bot_minutes: float = 0.0
    pending: int = 0
    waited_since: float = 0.0
    seats: Counter[int] = field(default_factory=Counter)

    @property
    def load(self) -> float:
        """The author's worker time in minutes, counting each pending match as one."""
        return self.minutes + self.pending

    @property
    def used(self) -> tuple[int, int]:
        """Whole minutes of the author's load, and of the bot: who used the least comes first."""
        return int(self.load), int(self.bot_minutes)

    @property
    def is_decided(self) -> bool:
        """Whether its rank range is one rank."""
        return 0 < self.best == self.worst


@dataclass
class Goal:
    """What is to be found out: every rank, with at most `most` matches of each contender.

    first, left: the ranks of the first so many are to be found out beyond that, with so many matches.
    """

    most: int
    first: int = 0
    left: int = 0

    def wants(self, contender: Contender) -> bool:
        """Whether matches of this contender serve the goal."""
        if contender.is_decided:
            return False
        return contender.played < self.most or (self.left > 0 and self.is_for(contender))

    def is_for(self, contender: Contender) -> bool:
        """Whether it may be among the first, for all that is known, and its rank is not decided."""
        return not contender.is_decided and contender.best <= self.first

    def note_draw(self, first: Contender) -> None:
        """A match is played because this contender wants it."""
        self.left -= first.played >= self.most


def first_of(wanting: Collection[Contender], is_fourth: bool, draw: random.Random) -> Contender:
    """The contender that gets the next match, of those that want one."""
    if is_fourth:
        least = min(contender.used for contender in wanting)
        in_turn = [contender for contender in wanting if contender.used == least]
        return min(in_turn, key=lambda contender: (contender.waited_since, draw.random()))
    return min(wanting, key=lambda contender: (contender.used, contender.played, draw.random()))


def seat(
    first: Contender, contenders: Collection[Contender], seats: int, draw: random.Random
) -> list[Contender]:
    """Draw a seating of `first` with opponents from whom most is learned.

    Bots of one author share a match only if there are too few others: they could help each other, or keep a
    worker busy together for as long as a game can last. All bots of one author together are drawn as often as
    one bot, and less often the more load the author has beyond the others', and the bot beyond the author's
    others.
    """
    weights = _weights_of_authors(contenders)
    others = [contender for contender in contenders if contender is not first]
    chosen = [first]
    while len(chosen) < seats:
        authors = {contender.author for contender in chosen}
        strangers = [
            contender for contender in others if contender.author is None or contender.author not in authors
        ] or others
        [drawn] = draw.choices(
            strangers, [_worth(first, stranger) * weights[stranger.id] for stranger in strangers]
        )
        others.remove(drawn)
        chosen.append(drawn)
    return in_seats(chosen, draw)


def in_seats(chosen: Sequence[Contender], draw: random.Random) -> list[Contender]:
    """The order by seat: each seat, in a drawn order, goes to the one that had it least, beside its other
    seats.
    """
    free = draw.sample(list(chosen), len(chosen))
    seated: dict[int, Contender] = {}
    for number in draw.sample(range(len(chosen)), len(chosen)):
        least = min(
            free, key=lambda contender: contender.seats[number] - contender.seats.total() / len(chosen)
        )
        free.remove(least)
        seated[number] = least
    return [seated[number] for number in range(len(chosen))]


def _worth(first: Contender, opponent: Contender) -> float:
    near = FAR + math.exp(-(((opponent.rating - first.rating) / NEAR) ** 2))
    return near if _may_change_places(first, opponent) else DECIDED * near


def _may_change_places(first: Contender, second: Contender) -> bool:
    if not first.best or not second.best:
        return True
    return first.best <= second.worst and second.best <= first.worst


def _weights_of_authors(contenders: Collection[Contender]) -> Mapping[int, float]:
    bots = Counter(contender.author for contender in contenders)
    least = min((contender.load for contender in contenders if contender.author is not None), default=0.0)
    quickest: dict[int | None, float] = {}
    for contender in contenders:
        quickest[contender.author] = min(quickest.get(contender.author, math.inf), contender.bot_minutes)
    return {
        contender.id: 1.0
        if contender.author is None
        else 2.0
        ** -min(contender.load - least + contender.bot_minutes - quickest[contender.author], MOST_EXCESS)
        / bots[contender.author]
        for contender in contenders
    }
