"""Gives submissions their ratings, and adds results to the counts.

A result only adds to counts, so that results may arrive in any order and at the same time: the transaction
that writes one locks the ratings of its seats for a moment, in the order of their keys, and nothing that all
results of a competition share. agon.site.leaderboards.fitting turns the counts into what is published.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Count, F, Q

from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Leaderboard, PairCount, Rated, Rating, SeatCount
from agon.site.matches.models import Match
from agon.site.teams.queries import groups
from agon.statistics.ratings.counts import Pair, of_match


@transaction.atomic
def lock(competition: Competition) -> Leaderboard:
    """Lock the leaderboard's row to the end of the transaction: bots enter and leave one at a time."""
    Leaderboard.objects.get_or_create(competition=competition)
    return Leaderboard.objects.select_for_update(no_key=True).get(competition=competition)


def raise_version(competition: Competition) -> None:
    """Notify open pages of a change of the leaderboard, when the transaction is committed."""
    Leaderboard.objects.get_or_create(competition=competition)
    Leaderboard.objects.filter(competition=competition).update(version=F("version") + 1)


def change_bots(competition: Competition) -> None:
    """Bots entered or left the leaderboard: raise its version, and fit on commit."""
    Leaderboard.objects.get_or_create(competition=competition)
    leaderboard = Leaderboard.objects.filter(competition=competition)
    leaderboard.update(version=F("version") + 1, changes=F("changes") + 1)
    _fit_on_commit(competition.pk)


def enter(submission: Submission, predecessor: Submission | None = None) -> None:
    """Give a submission its rating: that of the same program of the same author, else a new one.

    Teams and people who share a member are one author. A new rating begins at that of `predecessor`, with a
    wide interval.
    """
    lock(submission.bot.competition)  # of two versions that enter at once, the second finds the first one's
    known = Rated.objects.filter(submission=submission).exists()
    if not known:
        Rated.objects.create(
            submission=submission,
            rating=_of_same_program(submission) or _create_rating(submission, predecessor),
        )
    change_bots(submission.bot.competition)


@transaction.atomic
def apply(match: Match) -> bool:
    """Add a finished rated match, whose seats are filled in, to the counts. Once per match.

    Returns whether it may be the first that its winner has won; another result may have arrived meanwhile.
    """
    fields = ("submission__rated__rating", "rank", "won", "number")
    known = match.seats.order_by("number").annotate(bad=Count("faults"))
    rated_seats = list(known.values_list(*fields, "bad", "submission__rated__rating__won"))
    seats = [seat[:5] for seat in rated_seats]
    ratings = [seat[0] for seat in seats]
    _lock_in_order(ratings)
    _count_matches(seats)
    _upsert_counts(
        SeatCount, ("rating_id", "number"), ("times",), sorted((seat[0], seat[3], 1) for seat in seats)
    )
    pairs = of_match(ratings, [seat[1] for seat in seats])
    rows = [(pair.first, pair.second, pair.seats, match.competition_id, *pair[3:]) for pair in pairs]
    keys = ("first_id", "second_id", "seats")
    _upsert_counts(PairCount, keys, Pair._fields[3:], rows, other_columns=("competition_id",))
    _fit_on_commit(match.competition_id)
    return any(won and not before for _, _, won, _, _, before in rated_seats)


def _of_same_program(submission: Submission) -> Rating | None:
    """The rating that this owner has for the program, else that of another owner who is the same author."""
    same = Q(submission__digest=submission.digest)
    if submission.artifact_digest:
        same |= Q(submission__artifact_digest=submission.artifact_digest)
    if submission.program:
        same |= Q(submission__program=submission.program)
    rated = Rated.objects.filter(same, rating__competition=submission.bot.competition)
    owners = list(rated.values_list("rating", "submission__bot__owner").distinct())
    owner = submission.bot.owner_id
    authors = groups({owner, *(account for _rating, account in owners)})
    own = [(account != owner, pk) for pk, account in owners if authors[account] == authors[owner]]
    return Rating.objects.get(pk=min(own)[1]) if own else None


def _create_rating(submission: Submission, predecessor: Submission | None) -> Rating:
    before = Rating.objects.filter(rated__submission=predecessor).first() if predecessor else None
    values: dict[str, Any] = {"rating": before.rating} if before else {}
    return Rating.objects.create(competition=submission.bot.competition, predecessor=before, **values)


def _lock_in_order(ratings: Sequence[int]) -> None:
    """Lock ratings in the order that all results and the fit use, so that none of them deadlock."""
    locked = Rating.objects.select_for_update(no_key=True).filter(pk__in=ratings)
    list(locked.order_by("pk").values_list("pk"))


def _count_matches(seats: Sequence[tuple[int, int, bool, int, int]]) -> None:
    moment = connection.ops.adapt_datetimefield_value(now())  # on SQLite, text as Django writes it
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {Rating._meta.db_table} SET played = played + 1, won = won + %s, drawn = drawn + %s,"
            " faults = faults + %s, seated = %s WHERE id = %s",
            [
                (int(won), int(rank == 1 and not won), bad, moment, rating)
                for rating, rank, won, _, bad in seats
            ],
        )


def _upsert_counts(
    model: type[models.Model],
    keys: Sequence[str],
    counts: Sequence[str],
    rows: Sequence[tuple[int, ...]],
    other_columns: Sequence[str] = (),
) -> None:
    """Insert rows (keys, other_columns, counts), or add their counts to the rows with the same keys."""
    if not rows:
        return
    table = model._meta.db_table
    columns = (*keys, *other_columns, *counts)
    placeholders = f"({', '.join(['%s'] * len(columns))})"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([placeholders] * len(rows))}"
            f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET "
            + ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in counts),
            [value for row in rows for value in row],
        )


def _fit_on_commit(competition: int) -> None:
    transaction.on_commit(partial(fitting.keep_up, competition), robust=True)
