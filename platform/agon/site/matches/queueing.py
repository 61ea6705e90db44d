"""The queue of matches: puts matches in, and decides which is played next.

Matches of a tournament, also those that are run again, and those of a judging are played in the order in
which they were queued, and `agon.site.matches.shares` says which of these contests is next. The others
(ladder, qualifications) are ordered among themselves: first those whose authors have the fewest matches
running, then those whose authors used the least worker time (`agon.site.matches.usage`), then the oldest. One
of house bots alone counts as if its author had used as little as the author of any other that waits. A match
waits while one of its bots has used up its own or its author's time. Of a qualification, only the author of
the submission on trial counts, and each author's qualifications are played one at a time.

Comparisons of versions and challenges, which authors start on demand, are played one match at a time. While
other matches wait, there is a pause between two of them, PAUSE_ON_DEMAND times as long as the last one took,
so that rated matches get most of the time even of a single worker. Of a challenge, only the challenger
counts, and it waits when its author has used PART_FOR_CHALLENGES of their time.

Challenges with a bot at home have a queue and workers of their own: agon.site.matches.home_queue.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from agon.contest import secret_seeds
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.db.transitions import move_all
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches import home_queue, shares, states
from agon.site.matches.models import Match, Seat
from agon.site.matches.shares import HAVE_SHARES
from agon.site.matches.states import State
from agon.site.matches.usage import PART_FOR_CHALLENGES, Usage, current_usage
from games.core.broken import working_games

# Why a match was withdrawn.
BOT_LEFT = StoredReason("one_bot_left")
PAUSE_ON_DEMAND = 3
ON_DEMAND = (Match.Kind.COMPARISON, Match.Kind.CHALLENGE)


@transaction.atomic
def queue(
    competition: Competition, kind: Match.Kind, where: Match.Queue, seats: Sequence[Submission], **fields: Any
) -> Match:
    """Queue one match between `seats`, with an unpredictable secret seed, and notify workers."""
    match = Match.objects.create(
        competition=competition, kind=kind, queue=where, **{"seed": secret_seeds.draw()} | fields
    )
    Seat.objects.bulk_create(
        Seat(match=match, number=number, submission=seat, name=seat.bot.name)
        for number, seat in enumerate(seats)
    )
    notify_on_commit(where)
    return match


class Planned(NamedTuple):
    """A match to be queued. seats: ids and names of its submissions. place: its Match.index."""

    seats: Sequence[tuple[int, str]]
    seed: int
    place: int = 0
    round: int = 0


@transaction.atomic
def queue_many(
    competition: Competition,
    kind: Match.Kind,
    planned: Iterable[Planned],
    where: Match.Queue = Match.Queue.BULK,
    **contest: Any,
) -> list[Match]:
    """Queue these matches. contest: what they are part of, as a field of each."""
    plans = list(planned)
    about = {"competition": competition, "kind": kind, "queue": where, **contest}
    matches = Match.objects.bulk_create(
        [Match(seed=plan.seed, index=plan.place, round=plan.round, **about) for plan in plans], batch_size=500
    )
    Seat.objects.bulk_create(
        (
            Seat(match=match, number=number, submission_id=submission, name=name)
            for match, plan in zip(matches, plans, strict=True)
            for number, (submission, name) in enumerate(plan.seats)
        ),
        batch_size=1000,
    )
    notify_on_commit(where, len(matches))
    return matches


def withdraw(matches: QuerySet[Match], why: StoredReason) -> int:
    """Withdraw those of these matches that are not over; returns how many."""
    return move_all(matches, states.WITHDRAW, reason=why, lease_until=None, finished_at=timezone.now())


@dataclass(frozen=True)
class Waiting:
    """A queued match outside of contests.

    bots: (bot, author) of its seats, without house bots; of a challenge, that of the challenger alone.
    author_on_trial: the author of the submission on trial, in a qualification. kind: a Match.Kind.
    """

    match: int
    bots: tuple[tuple[int, int], ...]
    author_on_trial: int | None = None
    kind: str = ""

    @property
    def is_on_demand(self) -> bool:
        """Whether it belongs to a comparison or a challenge."""
        return self.kind in ON_DEMAND


@dataclass(frozen=True)
class Playing:
    """The running matches outside of contests.

    matches: their number by author. authors_on_trial: those with a submission on trial in one of them.
    has_on_demand: whether one of them belongs to a comparison or a challenge.
    """

    matches: Mapping[int, int] = field(default_factory=Counter)
    authors_on_trial: Collection[int] = frozenset()
    has_on_demand: bool = False


class Candidate(NamedTuple):
    """Matches that may be claimed, in order. is_many: several of the first may be claimed together."""

    rows: QuerySet[Match]
    is_many: bool


def candidates(queues: Sequence[str], lacking: Collection[str] = ()) -> Iterator[Candidate]:
    """The candidates for the next claim, best first. In each, the first match that is still queued is next.

    queues: in the order of their priority, which has to be the reverse of the alphabetical order. lacking:
    languages; matches with bots of these are left out.
    """
    for candidate in _candidates(queues):
        if not lacking:
            yield candidate
        else:
            lacks = Seat.objects.filter(match=OuterRef("pk"), submission__language__in=lacking)
            yield candidate._replace(rows=candidate.rows.filter(~Exists(lacks)))


def _candidates(queues: Sequence[str]) -> Iterator[Candidate]:
    if Match.Queue.HOME in queues:
        for pk in home_queue.candidates(_queued([Match.Queue.HOME])):
            yield Candidate(_queued([Match.Queue.HOME]).filter(pk=pk), is_many=False)
        return
    for oldest in _queued(queues).order_by("-queue", "id").only("queue", "tournament", "kind")[:1]:
        if oldest.has_share:  # older than all others, which need no sorting
            yield from _candidates_of_contests(oldest.queue)
        for queue in queues:
            yield from _candidates_of(queue)


def _candidates_of(queue: str) -> Iterator[Candidate]:
    candidates = waiting(queue)
    others = (
        [candidate.match for candidate in sorted_fairly(candidates, current_usage(), playing())]
        if candidates
        else []
    )
    contests = _queued([queue]).filter(HAVE_SHARES).order_by("id")
    oldest = contests.values_list("pk", flat=True).first()
    if oldest is not None and (not others or oldest < others[0]):
        yield from _candidates_of_contests(queue)
    for pk in others:
        yield Candidate(_queued([queue]).filter(pk=pk), is_many=False)
    if oldest is not None:
        yield from _candidates_of_contests(queue)


def _candidates_of_contests(queue: str) -> Iterator[Candidate]:
    for rows in shares.of_contests(_queued([queue])):
        yield Candidate(rows, is_many=True)


def _queued(queues: Sequence[str]) -> QuerySet[Match]:
    """Queued matches of games that work here. The others wait until their games do."""
    working = [info.slug for info in working_games()]
    return Match.objects.filter(state=State.QUEUED, queue__in=queues, competition__game__in=working)


def sorted_fairly(candidates: Collection[Waiting], usage: Usage, playing: Playing) -> list[Waiting]:
    """The matches among `candidates` that may be played now, in the order in which they will be."""
    free = [
        candidate
        for candidate in candidates
        if not is_held_up(candidate, usage)
        and candidate.author_on_trial not in playing.authors_on_trial
        and not (candidate.is_on_demand and playing.has_on_demand)
    ]
    is_paused = any(candidate.is_on_demand for candidate in free) and _is_paused()
    # House bots have used no time, and all of them play on until their ranks are known.
    least = min((minutes(candidate, usage) for candidate in free if candidate.bots), default=0)

    def sort_key(candidate: Waiting) -> tuple[bool, int, int, int]:
        authors = {author for _, author in candidate.bots}
        busy = max((playing.matches.get(author, 0) for author in authors), default=0)
        used = minutes(candidate, usage) if candidate.bots else least
        return candidate.is_on_demand and is_paused, busy, used, candidate.match

    return sorted(free, key=sort_key)


def _is_paused() -> bool:
    """Whether the pause after the last match on demand is not over yet."""
    played = Match.objects.filter(kind__in=ON_DEMAND, state=State.FINISHED, queue=Match.Queue.BULK)
    played = played.order_by("-pk")
    last = played.values_list("finished_at", "seconds").first()
    if last is None or last[0] is None:
        return False
    return now() < last[0] + timedelta(seconds=PAUSE_ON_DEMAND * (last[1] or 0.0))


def is_held_up(waiting: Waiting, usage: Usage) -> bool:
    """Whether an author or bot that counts for this match has used up their time."""
    counting = [bot for bot in waiting.bots if waiting.author_on_trial in (None, bot[1])]
    part = PART_FOR_CHALLENGES if waiting.kind == Match.Kind.CHALLENGE else 1.0
    return any(usage.waits(bot, author, part) for bot, author in counting)


def waiting(queue: str) -> list[Waiting]:
    """The queued matches outside of contests."""
    return read_matches(match__state=State.QUEUED, match__queue=queue)


def playing() -> Playing:
    """The running matches outside of contests."""
    candidates = read_matches(match__state=State.RUNNING)
    return Playing(
        matches=Counter(
            author for candidate in candidates for author in {author for _, author in candidate.bots}
        ),
        authors_on_trial={
            candidate.author_on_trial for candidate in candidates if candidate.author_on_trial is not None
        },
        has_on_demand=any(candidate.is_on_demand for candidate in candidates),
    )


def minutes(waiting: Waiting, usage: Usage) -> int:
    """The worker time, in whole minutes, of the author in this match who used the most."""
    return max((int(usage.minutes(author)) for _, author in waiting.bots), default=0)


def read_matches(**conditions: object) -> list[Waiting]:
    """The matches outside of contests with seats that meet these conditions, oldest first.

    Without those with a bot at home, which neither wait for these nor hold them up.
    """
    have_shares = [Match.Kind.RERUN, Match.Kind.ASSESSMENT]
    others = Seat.objects.filter(match__tournament=None, **conditions).exclude(match__kind__in=have_shares)
    others = others.exclude(match__queue=Match.Queue.HOME)
    rows = others.order_by("match", "number")
    fields = (
        "match",
        "submission__bot",
        "submission__bot__owner",
        "submission__bot__house",
        "match__qualifies__bot",
        "match__challenge__challenger__bot",
        "match__kind",
    )
    claimed = []
    for match, seats in groupby(rows.values_list(*fields), key=itemgetter(0)):
        bots = []
        author_on_trial = None
        kind = ""
        for _, bot, author, house, bot_on_trial, challenger, kind in seats:  # noqa: B007
            if not house and challenger in (None, bot):
                bots.append((bot, author))
                author_on_trial = author if bot == bot_on_trial else author_on_trial
        claimed.append(Waiting(match, tuple(bots), author_on_trial, kind))
    return claimed
