"""Ratings, the counts of results that they are computed from, and the state of each leaderboard."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.statistics.ratings.scale import CENTER

PROVISIONAL = 12  # a rating from fewer rated matches is provisional and has no rank


class Rating(models.Model):
    """A program's strength: its counts of results, and what a fit made of all counts of the competition.

    Submissions of one author with the same program share a rating (`Rated`), so that uploading it again does
    not give it another chance. Results only add to the counts. Only agon.site.leaderboards.fitting changes
    the rating, its interval and its rank range.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="ratings")
    predecessor = models.ForeignKey(  # the rating of the bot's version before
        "self", models.SET_NULL, null=True, blank=True, related_name="successors"
    )
    played = models.PositiveIntegerField(_("played"), default=0)
    won = models.PositiveIntegerField(_("won"), default=0)
    drawn = models.PositiveIntegerField(_("drawn"), default=0)  # shared the first place
    faults = models.PositiveIntegerField(_("faults"), default=0)
    seated = models.DateTimeField(_("last match"), null=True, blank=True)  # when its last result arrived

    rating = models.FloatField(_("rating"), default=CENTER)
    low = models.FloatField(_("lower end"), null=True, blank=True)  # of the 95 % interval; null before a fit
    high = models.FloatField(_("upper end"), null=True, blank=True)
    best = models.PositiveIntegerField(_("best rank"), default=0)  # 0 while it is not ranked
    worst = models.PositiveIntegerField(_("worst rank"), default=0)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")

    def __str__(self) -> str:
        return f"{self.rating:.0f}"

    @property
    def is_provisional(self) -> bool:
        """Whether it has too few matches for a rank."""
        return self.played < PROVISIONAL

    @property
    def is_known(self) -> bool:
        """Whether a match says something about it: its own, or one of an earlier version."""
        return self.played > 0 or self.predecessor_id is not None


class Rated(models.Model):
    """The rating of a submission."""

    submission = models.OneToOneField(Submission, models.CASCADE, primary_key=True, related_name="rated")
    rating = models.ForeignKey(Rating, models.CASCADE, related_name="rated")

    def __str__(self) -> str:
        return f"{self.submission}: {self.rating}"


class RatingPoint(models.Model):
    """A past value of a rating; agon.site.leaderboards.history adds and thins these."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="points")
    at = models.DateTimeField()
    value = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    played = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["rating", "at"], name="points_of_a_rating")]

    def __str__(self) -> str:
        return f"{self.value:.0f} at {self.at}"


class PairCount(models.Model):
    """Counts of which of two ratings was ahead in rated matches; see agon.statistics.ratings.counts.Pair."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    first = models.ForeignKey(Rating, models.CASCADE, related_name="+")
    second = models.ForeignKey(Rating, models.CASCADE, related_name="+")  # the one with the larger key
    seats = models.PositiveSmallIntegerField()
    first_ahead = models.PositiveIntegerField()
    tied = models.PositiveIntegerField()
    second_ahead = models.PositiveIntegerField()
    spread = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["first", "second", "seats"], name="one_count_a_pair")]

    def __str__(self) -> str:
        return f"{self.first_id} : {self.second_id}"


class SeatCount(models.Model):
    """The number of times that a rating sat in a seat (from 0), so that the ladder can balance seats."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    times = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rating", "number"], name="one_count_a_seat")]

    def __str__(self) -> str:
        return f"{self.rating_id} in seat {self.number}: {self.times}"


class Leaderboard(models.Model):
    """The state of a competition's leaderboard. Each change raises `version`, which open pages follow.

    Its row is the lock under which bots enter and leave, fits are written, and the ladder is topped up.
    Results do not need it.
    """

    competition = models.OneToOneField(Competition, models.CASCADE, related_name="leaderboard")
    version = models.PositiveBigIntegerField(default=0)

    # agon.site.leaderboards.fitting: the watermark of the last fit, its duration, and when the next one may
    # begin.
    changes = models.PositiveBigIntegerField(default=0)  # of the bots and names on the leaderboard
    fitted_changes = models.PositiveBigIntegerField(default=0)
    fitted_played = models.PositiveBigIntegerField(default=0)  # the sum of all ratings' matches
    fit_seconds = models.FloatField(default=0.0)
    next_fit = models.DateTimeField(null=True, blank=True)

    recorded = models.DateTimeField(null=True, blank=True)  # when agon.site.leaderboards.history added points

    # agon.site.leaderboards.ladder: decide the first `decide_first` ranks, with at most `matches_left` more
    # matches.
    decide_first = models.PositiveIntegerField(default=0)
    matches_left = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.competition}, version {self.version}"
