"""Which match is played next.

Tournament matches are played in the order in which they were queued. The others (ladder, qualifications)
are ordered among themselves: first those whose authors used the least worker time (`matches.usage`), then
those whose authors have no match running, then the oldest. A match waits while one of its bots used up
its own or its author's time. A qualification counts only for the author of the submission on trial, one
at a time.

Comparisons of versions are played one match at a time. While others wait, a pause of COMPARISON_PAUSE times
the last one's time is left between two, so rated matches keep most of even a single worker.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db.models import QuerySet

from agon.db.leases import now
from games.core.broken import working_games
from matches.models import Match, Seat
from matches.states import State
from matches.usage import Used, used

COMPARISON_PAUSE = 3


@dataclass(frozen=True)
class Waiting:
    """A queued match outside of tournaments.

    bots: (bot, author) of its seats, without house bots. tries: the author of the submission on trial.
    compares: it belongs to a comparison.
    """

    match: int
    bots: tuple[tuple[int, int], ...]
    tries: int | None = None
    compares: bool = False


@dataclass(frozen=True)
class Playing:
    """The number of running matches by author; the authors with a submission on trial in one; whether one
    belongs to a comparison.
    """

    matches: Mapping[int, int] = field(default_factory=Counter)
    tried: Collection[int] = frozenset()
    compares: bool = False


class Candidate(NamedTuple):
    """Matches that may be claimed, in order; is_many: more than the first of them, one after the other."""

    rows: QuerySet[Match]
    is_many: bool


def candidates(queues: Sequence[str]) -> Iterator[Candidate]:
    """What may be claimed next, best first; take the first of each that is still queued.

    queues: the first one comes before the second one, and is later in the alphabet.
    """
    oldest = _queued(queues).order_by("-queue", "id").values_list("queue", "tournament")[:1]
    for queue, tournament in oldest:
        if tournament is not None:  # older than all others: these need not be sorted
            yield Candidate(_of_tournaments(queue), is_many=True)
        for each in queues:
            yield from _of_queue(each)


def _of_queue(queue: str) -> Iterator[Candidate]:
    found = waiting(queue)
    others = [each.match for each in sorted_fairly(found, used(), playing())] if found else []
    tournaments = _of_tournaments(queue)
    oldest = tournaments.values_list("pk", flat=True).first()
    if oldest is not None and (not others or oldest < others[0]):
        yield Candidate(tournaments, is_many=True)
    for pk in others:
        yield Candidate(_queued([queue]).filter(pk=pk), is_many=False)
    if oldest is not None:
        yield Candidate(tournaments, is_many=True)


def _queued(queues: Sequence[str]) -> QuerySet[Match]:
    """Queued matches of games that work here. The others wait until their games do."""
    works = [info.slug for info in working_games()]
    return Match.objects.filter(state=State.QUEUED, queue__in=queues, competition__game__in=works)


def _of_tournaments(queue: str) -> QuerySet[Match]:
    return _queued([queue]).filter(tournament__isnull=False).order_by("id")


def sorted_fairly(found: Collection[Waiting], used: Used, playing: Playing) -> list[Waiting]:
    """The matches among `found` that may be played now, in the order in which they will be."""
    free = [
        each
        for each in found
        if not held_up(each, used)
        and each.tries not in playing.tried
        and not (each.compares and playing.compares)
    ]
    pauses = any(each.compares for each in free) and _compared_lately()
    return sorted(free, key=lambda each: (each.compares and pauses, *_key(each, used, playing)))


def _compared_lately() -> bool:
    """Whether the pause after the last match of a comparison is not over."""
    played = Match.objects.filter(kind=Match.Kind.COMPARISON, state=State.FINISHED).order_by("-pk")
    last = played.values_list("finished_at", "seconds").first()
    if last is None or last[0] is None:
        return False
    return now() < last[0] + timedelta(seconds=COMPARISON_PAUSE * (last[1] or 0.0))


def held_up(waiting: Waiting, used: Used) -> bool:
    """Whether an author or bot that counts for this match used up their time."""
    asked = [each for each in waiting.bots if waiting.tries in (None, each[1])]
    return any(used.waits(bot, author) for bot, author in asked)


def _key(waiting: Waiting, used: Used, playing: Playing) -> tuple[int, int, int]:
    authors = {author for _, author in waiting.bots}
    busy = max((playing.matches.get(author, 0) for author in authors), default=0)
    return busy, steps(waiting, used), waiting.match


def waiting(queue: str) -> list[Waiting]:
    """The queued matches outside of tournaments."""
    return read(match__state=State.QUEUED, match__queue=queue)


def playing() -> Playing:
    """The running matches outside of tournaments."""
    found = read(match__state=State.RUNNING)
    return Playing(
        matches=Counter(author for each in found for author in {author for _, author in each.bots}),
        tried={each.tries for each in found if each.tries is not None},
        compares=any(each.compares for each in found),
    )


def steps(waiting: Waiting, used: Used) -> int:
    """The whole steps of worker time of the author who used the most."""
    return max((int(used.steps(author)) for _, author in waiting.bots), default=0)


def read(**which: object) -> list[Waiting]:
    """The matches outside of tournaments that meet the conditions of this filter on Seat, oldest first."""
    rows = Seat.objects.filter(match__tournament=None, **which).order_by("match", "number")
    fields = (
        "match",
        "submission__bot",
        "submission__bot__owner",
        "submission__bot__house",
        "match__qualifies__bot",
        "match__kind",
    )
    found = []
    for match, seats in groupby(rows.values_list(*fields), key=itemgetter(0)):
        bots = []
        tries = None
        compares = False
        for _, bot, author, house, tried, kind in seats:
            compares = kind == Match.Kind.COMPARISON
            if not house:
                bots.append((bot, author))
                tries = author if tried == bot else tries
        found.append(Waiting(match, tuple(bots), tries, compares))
    return found
