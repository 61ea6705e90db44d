"""Ratings: what a rated match says about the skill of its submissions (openskill, Plackett-Luce)."""

from django.db import transaction
from django.db.models import F
from openskill.models import PlackettLuce

from bots.models import Submission
from competitions.models import Competition
from leaderboards.models import MU, SIGMA, Leaderboard, Rating
from matches.models import Match

MODEL = PlackettLuce(mu=MU, sigma=SIGMA)


@transaction.atomic
def lock(competition: Competition) -> Leaderboard:
    """Lock the leaderboard's row to the end of the transaction: one change of ratings at a time."""
    Leaderboard.objects.get_or_create(competition=competition)
    return Leaderboard.objects.select_for_update().get(competition=competition)


def raise_version(competition: Competition) -> None:
    """Notify open pages of a change of the leaderboard, when the transaction is committed."""
    Leaderboard.objects.get_or_create(competition=competition)
    Leaderboard.objects.filter(competition=competition).update(version=F("version") + 1)


def enter(submission: Submission) -> None:
    """Add the rating of a newcomer, of whose skill nothing is known."""
    Rating.objects.get_or_create(submission=submission)
    raise_version(submission.bot.competition)


@transaction.atomic
def apply(match: Match) -> None:
    """Update the ratings after a rated match whose seats are filled in. Once per match."""
    lock(match.competition)
    seats = list(match.seats.order_by("number").prefetch_related("faults"))
    ratings = Rating.objects.in_bulk([seat.submission_id for seat in seats], field_name="submission_id")
    rated = [ratings[seat.submission_id] for seat in seats]
    before = [[MODEL.rating(mu=each.mu, sigma=each.sigma)] for each in rated]
    after = MODEL.rate(before, ranks=[float(seat.final_rank) for seat in seats])
    for seat, rating, [skill] in zip(seats, rated, after, strict=True):
        rating.mu, rating.sigma = skill.mu, skill.sigma
        rating.played += 1
        rating.won += seat.won
        rating.faults += len(seat.faults.all())
    Rating.objects.bulk_update(rated, ["mu", "sigma", "played", "won", "faults"])
    raise_version(match.competition)
