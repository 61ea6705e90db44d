"""Computes a competition's ratings from the stored results, and compares or replaces the stored ratings."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count

from agon.site.competitions.models import Competition
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import PairCount, Rating, SeatCount
from agon.site.leaderboards.ratings import lock
from agon.site.matches.models import Match, Seat
from agon.statistics.ratings.counts import Pair, added, of_match

TRIES = 20
BATCH = 2000
MOST_PAIRS = 100_000  # kept before they are added up


COUNTS = ("played", "won", "drawn", "faults")  # of a rating
NOTHING = (0, 0, 0, 0)


class Totals(NamedTuple):
    """The sums of a competition's results."""

    pairs: list[Pair]
    ratings: dict[int, tuple[int, int, int, int]]  # COUNTS
    seats: Counter[tuple[int, int]]  # by rating and number


class Busy(Exception):
    """Results arrive so quickly that the published ratings are never those of all results."""


@transaction.atomic
def replace(competition: Competition) -> None:
    """Replace the counts, with the leaderboard and all its ratings locked, and fit the ratings."""
    lock(competition)
    locked = Rating.objects.select_for_update(no_key=True).filter(competition=competition).order_by("pk")
    ratings = {rating.pk: rating for rating in locked}
    totals = _totals(competition)
    PairCount.objects.filter(competition=competition).delete()
    SeatCount.objects.filter(rating__competition=competition).delete()
    PairCount.objects.bulk_create(
        (
            PairCount(
                competition=competition,
                first_id=pair.first,
                second_id=pair.second,
                **{name: getattr(pair, name) for name in Pair._fields[2:]},
            )
            for pair in totals.pairs
        ),
        BATCH,
    )
    SeatCount.objects.bulk_create(
        (SeatCount(rating_id=pk, number=number, times=n) for (pk, number), n in totals.seats.items()), BATCH
    )
    for pk, rating in ratings.items():
        for name, value in zip(COUNTS, totals.ratings.get(pk, NOTHING), strict=True):
            setattr(rating, name, value)
    Rating.objects.bulk_update(ratings.values(), COUNTS, BATCH)
    fitting.fit_now(competition.pk)


def differences(competition: Competition) -> list[str]:
    """The differences between the stored values and those that the results imply, as lines. Raises Busy."""
    for _ in range(TRIES):
        fitting.catch_up(competition.pk)
        with _snapshot():
            if not fitting.is_behind(competition.pk):
                return list(_differences(competition))
    raise Busy(f"{competition.slug}: results arrive all the time; try again when the ladder rests")


def _differences(competition: Competition) -> Iterator[str]:
    totals = _totals(competition)
    digits = fitting.compute(competition.pk, totals.pairs, warm=False)
    stored = sorted(fitting.stored_pairs(competition.pk))
    for pair in sorted(set(stored) ^ set(totals.pairs)):
        where = "stored" if pair in stored else "results"
        yield f"{competition.slug}: {where}: {pair}"
    for rating in Rating.objects.filter(competition=competition).order_by("pk"):
        name = f"{competition.slug}: rating {rating.pk}"
        counts = (rating.played, rating.won, rating.drawn, rating.faults)
        if counts != (expected := totals.ratings.get(rating.pk, NOTHING)):
            yield f"{name}: {', '.join(COUNTS)} are {counts}, the results say {expected}"
        published = fitting.Digits(*(getattr(rating, field) for field in fitting.Digits._fields))
        if published != digits.get(rating.pk, published):  # those that are not fitted stay as they were
            yield f"{name}: published is {published}, the results say {digits[rating.pk]}"


def _totals(competition: Competition) -> Totals:
    fields = ("match", "submission__rated__rating", "rank", "won", "number")
    ladder = {"match__competition": competition, "match__kind": Match.Kind.LADDER}
    seats = Seat.objects.filter(**ladder, match__state=Match.State.FINISHED).annotate(bad=Count("faults"))
    rows: Any = seats.order_by("match", "number").values_list(*fields, "bad").iterator(BATCH)
    pairs: list[Pair] = []
    counts: dict[int, list[int]] = {}
    seat_counts: Counter[tuple[int, int]] = Counter()
    for _, group in groupby(rows, itemgetter(0)):
        seats_of_match = [row[1:] for row in group]
        pairs += of_match([rating for rating, *_ in seats_of_match], [rank for _, rank, *_ in seats_of_match])
        for rating, rank, won, number, bad in seats_of_match:
            total = counts.setdefault(rating, list(NOTHING))
            for column, more in enumerate((1, int(won), int(rank == 1 and not won), bad)):
                total[column] += more
            seat_counts[rating, number] += 1
        if len(pairs) > MOST_PAIRS:
            pairs = added(pairs)
    return Totals(
        added(pairs), {pk: (n, won, drawn, bad) for pk, (n, won, drawn, bad) in counts.items()}, seat_counts
    )


@contextmanager
def _snapshot() -> Iterator[None]:
    """A transaction in which every query sees the same state of the database."""
    with transaction.atomic():
        if connection.vendor == "postgresql" and not transaction.get_connection().savepoint_ids:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                # Ratings are fitted meanwhile.
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield
