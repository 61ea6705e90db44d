"""Who sits at the tables of a trial: the program in one seat, and its opponents in the others.

An author may choose several opponents. In a game for two each has a table of its own; in one for more they
share tables. Seats for which no bot was chosen are taken by the weakest other house bots, and where there are
too few, by the chosen again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agon.site.accounts.models import User
from agon.site.bots.access import own_bots
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition

MOST_MATCHES = 24  # of one trial


@dataclass(frozen=True)
class Table:
    """One match to be played. others: those in the other seats, in the order of the seats.

    seed: None for one that is drawn.
    """

    opponent: Submission
    others: tuple[Submission, ...]
    seat: int = 0
    seed: int | None = None


def house_opponents(competition: Competition) -> list[Submission]:
    """The active house bots of a competition, the weakest first."""
    active = Submission.objects.filter(bot__competition=competition, bot__house=True, state=State.ACTIVE)
    strength = strengths(competition)
    return sorted(
        active.select_related("bot"), key=lambda version: (strength.get(version.bot.name, 0), version.bot_id)
    )


def own_opponents(competition: Competition, user: User | None) -> list[Submission]:
    """The user's own active versions here, the newest first."""
    if user is None:
        return []
    own = Submission.objects.filter(bot__in=own_bots(user, competition), state=State.ACTIVE)
    return list(own.select_related("bot").order_by("-pk"))


def strengths(competition: Competition) -> dict[str, int]:
    """The strengths of the house bots, by name: 1 (weakest) to 10."""
    return {bot.name: bot.strength for bot in competition.info.house}


def one(competition: Competition, opponent: Submission) -> Table:
    """The table of a single match."""
    return Table(opponent, filled([opponent], competition))


def several(
    competition: Competition,
    chosen: Sequence[Submission],
    matches: int,
    seat: int | None,
    seed: int | None,
) -> list[Table]:
    """`matches` matches against each of `chosen`; seat: None for every seat in turn.

    The first match has the seed `seed`, each further one the next number. Opponents take turns, so that what
    has been played after a while says something of all of them.
    """
    seats = competition.info.min_seats
    groups = [
        filled(chosen[first : first + seats - 1], competition) for first in range(0, len(chosen), seats - 1)
    ]
    return [
        Table(
            opponent=others[0],
            others=others,
            seat=number % seats if seat is None else seat,
            seed=None if seed is None else seed + number * len(groups) + place,
        )
        for number in range(matches)
        for place, others in enumerate(groups)
    ]


def filled(chosen: Iterable[Submission], competition: Competition) -> tuple[Submission, ...]:
    """`chosen` and as many others as the game needs."""
    seated = list(chosen)
    rest = [house_opponent for house_opponent in house_opponents(competition) if house_opponent not in seated]
    needed = competition.info.min_seats - 1
    return tuple([*seated, *rest, *seated * needed][:needed])


def seated(opponent: Submission, numbers: Sequence[int], competition: Competition) -> tuple[Submission, ...]:
    """The versions with these primary keys; where one has been deleted since, the opponent."""
    submissions = Submission.objects.select_related("bot").in_bulk(numbers)
    return tuple(submissions.get(number, opponent) for number in numbers) or filled([opponent], competition)


def names(lists: Iterable[Sequence[int]]) -> Iterator[list[str]]:
    """The names of the bots of each list of primary keys."""
    every = [list(numbers) for numbers in lists]
    versions = Submission.objects.filter(pk__in={number for numbers in every for number in numbers})
    known = dict(versions.values_list("pk", "bot__name"))
    for numbers in every:
        yield [known[number] for number in numbers if number in known]
