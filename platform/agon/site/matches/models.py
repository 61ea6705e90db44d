"""Matches with their seats, recordings, faults and failed attempts; worker time."""

from datetime import datetime, timedelta

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.contest import secret_seeds
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.fields import SeedField
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField
from agon.site.matches.states import OVER, AskState, State


def _once_in(contest: str) -> models.UniqueConstraint:
    """A place in the schedule of a tournament etc. has one match. Other matches are not in the index."""
    belongs = models.Q(**{f"{contest}__isnull": False})
    return models.UniqueConstraint(fields=[contest, "index"], name=f"{contest}_match_once", condition=belongs)


class Match(Stateful):
    """One play of a game by submissions in seats, from one seed."""

    State = State

    class Kind(models.TextChoices):
        QUALIFICATION = "qualification", _("qualification")
        LADDER = "ladder", _("ladder")
        TOURNAMENT = "tournament", _("tournament")
        COMPARISON = "comparison", _("comparison")  # of two versions; unrated
        CHALLENGE = "challenge", _("challenge")  # of bots that an author chose; unrated
        ASSESSMENT = "assessment", _("assessment")  # for a milestone of a course; unrated
        RERUN = "rerun", _("run again")  # beside a tournament: it counts only once it is applied

    class Queue(models.TextChoices):
        INTERACTIVE = "interactive", _("interactive")  # a user is waiting for it
        BULK = "bulk", _("bulk")
        HOME = "home", pgettext_lazy("queue", "at home")  # challenges with bots at home: home_asks.py

    # An index of Meta begins with each of these. Another one would cost 7 bytes a match, and 41 a seat.
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="matches", db_index=False)
    tournament = models.ForeignKey(
        "tournaments.Tournament",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="matches",
        db_index=False,
    )
    comparison = models.ForeignKey(
        "comparisons.Comparison",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="matches",
        db_index=False,
    )
    challenge = models.ForeignKey(
        "challenges.Challenge", models.CASCADE, null=True, blank=True, related_name="matches", db_index=False
    )
    assessment = models.ForeignKey(
        "courses.Assessment", models.CASCADE, null=True, blank=True, related_name="matches", db_index=False
    )
    qualifies = models.ForeignKey(  # the submission that a qualification match tries
        Submission, models.CASCADE, null=True, blank=True, related_name="qualifications", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=14, choices=Kind.choices)
    queue = models.CharField(max_length=12, choices=Queue.choices)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.QUEUED)
    seed = SeedField(_("seed"))  # a secret for as long as `seed_is_public` says so
    index = models.PositiveIntegerField(default=0)  # place in its tournament, comparison etc., from 0
    round = models.PositiveIntegerField(_("round"), default=0)  # of the tournament, from 0
    attempt = models.PositiveSmallIntegerField(default=0)  # raised by each claim
    lease_until = models.DateTimeField(null=True, blank=True)  # while running; renewed by the worker
    worker = models.CharField(max_length=120, blank=True)  # see agon.site.matches.worker_names
    environment = models.CharField(
        max_length=64, default="", editable=False
    )  # a digest: agon.site.fleet.environments
    reason = ReasonField(default=dict, blank=True)  # the platform's failure, or why it is withdrawn
    summary = models.JSONField(default=dict, blank=True)  # the game's own summary of how it ended
    steps = models.PositiveIntegerField(_("steps"), default=0)  # how many asks there were
    seconds = models.FloatField(_("seconds"), null=True, blank=True)  # wall time of the play
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        indexes = [
            models.Index(fields=["-queue", "id"], name="match_is_queued", condition=models.Q(state="queued")),
            models.Index(
                fields=["tournament", "id"],
                name="match_queued_of_tournament",
                condition=models.Q(state="queued"),
            ),
            models.Index(fields=["lease_until"], name="match_running", condition=models.Q(state="running")),
            models.Index(fields=["id"], name="match_is_void", condition=models.Q(state="void")),
            models.Index(fields=["competition", "-id"], name="match_of_competition"),
            models.Index(
                fields=["finished_at"],
                name="match_finished_lately",
                condition=models.Q(state="finished", kind__in=["tournament", "rerun", "assessment"]),
            ),
            models.Index(
                fields=["tournament", "state"],
                name="match_of_tournament",
                condition=models.Q(tournament__isnull=False),
            ),
            models.Index(
                fields=["qualifies"],
                name="match_qualifies",
                condition=models.Q(qualifies__isnull=False),
            ),
            models.Index(fields=["competition", "kind", "state"], name="match_of_ladder"),
            models.Index(
                fields=["id"],
                name="match_on_demand",
                condition=models.Q(kind__in=["comparison", "challenge"]),
            ),
        ]
        constraints = [
            # Scheduling a tournament twice schedules it once.
            _once_in("tournament"),
            _once_in("comparison"),
            _once_in("challenge"),
            _once_in("assessment"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("match", args=[self.pk])

    @property
    def has_share(self) -> bool:
        """Whether it belongs to what has a share of the workers of its own; see agon.site.matches.shares."""
        return self.tournament_id is not None or self.kind in (Match.Kind.RERUN, Match.Kind.ASSESSMENT)

    @property
    def names_are_secret(self) -> bool:
        """Whether readers may not know yet who plays; see agon.site.matches.secret_names."""
        return self.kind == Match.Kind.LADDER and self.state not in OVER

    @property
    def seed_is_public(self) -> bool:
        """Whether the match is over, and its tournament or comparison, whose other seeds it could reveal."""
        contest = self.tournament or self.comparison
        return self.state in OVER and (contest is None or contest.is_over)

    @property
    def ended(self) -> datetime:
        """The time at which the match ended. Only for matches that are over."""
        assert self.finished_at is not None
        return self.finished_at

    @property
    def duration(self) -> timedelta:
        """The time from the last claim to the end. Only for matches that are over."""
        assert self.started is not None
        return self.ended - self.started

    @property
    def on_trial(self) -> Submission:
        """The submission that a qualification match tries."""
        assert self.qualifies is not None
        return self.qualifies

    @property
    def commitment(self) -> str:
        """The digest that commits to the seed; "" if the seed is so small that the digest would reveal it."""
        return secret_seeds.commitment(self.seed)


class Seat(models.Model):
    """A seat of a match: the submission in it, and its result."""

    # The constraint of Meta has an index that begins with it.
    match = models.ForeignKey(Match, models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()  # from 0
    submission = models.ForeignKey(Submission, models.RESTRICT, related_name="seats")
    name = models.CharField(max_length=40)  # the bot's when the match was queued: the record has it, too
    score = models.CharField(_("score"), max_length=60, blank=True)  # "12", "7/2"; empty until finished
    rank = models.PositiveSmallIntegerField(_("rank"), null=True, blank=True)  # 1 is best, ties share
    won = models.BooleanField(default=False)  # alone in the first place
    # The charged time of the slowest answer, as a share of the limit; null until finished.
    slowest = models.FloatField(null=True, blank=True, editable=False)
    # What the match keeps in storage for this seat: its standard error and an equal share of the recording.
    stored_bytes = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="one_submission_a_seat")]

    def __str__(self) -> str:
        return f"{self.number}: {self.name}"

    @property
    def final_rank(self) -> int:
        """The rank in a finished match."""
        assert self.rank is not None
        return self.rank


class HomeAsk(Stateful):
    """What a bot at home is asked, and its answer: see agon.site.matches.home_asks.

    step: of the ask; -1 at the start of the match. text, answer: lines without their ends.
    """

    State = AskState

    match = models.ForeignKey(Match, models.CASCADE, related_name="home_asks")
    attempt = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()  # its number
    step = models.IntegerField()
    text = models.BinaryField()
    limit_s = models.FloatField()  # of the game
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    answer = models.BinaryField(null=True)  # null: the bot has ended
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match", "attempt", "seat", "step"], name="a_bot_at_home_is_asked_once"
            )
        ]

    def __str__(self) -> str:
        return f"seat {self.seat}, step {self.step} of match {self.match_id}"


class Recording(models.Model):
    """The stored data of a finished match besides its result, all of it compressed with zlib.

    It is written in the transaction that writes the result, so there is never one without the other, and an
    attempt that dies leaves nothing behind. Later it moves to a Pack. Read it with agon.site.matches.records.
    """

    match = models.OneToOneField(Match, models.CASCADE, primary_key=True, related_name="recording")
    record = models.BinaryField()  # canonical JSON (games.core.record)
    times = models.BinaryField()  # games.core.timing
    files = models.BinaryField(default=b"")  # the game's own output files, JSON {name: text}; or empty
    # The match log (games.core.match_log_json) if the game was to change and could not replay the match.
    log = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return f"recording of {self.match_id}"


class Pack(models.Model):
    """Recordings of one competition, compressed together: see agon.site.matches.packing.

    It has those of the matches with numbers from `first` up to that of the competition's next pack, as far as
    they have no row of their own. The fields besides are those of pack_format.Encoded.
    """

    # Deletion of a competition is the only way in which matches are deleted.
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="packs", db_index=False)
    first = models.BigIntegerField()
    contents = models.BinaryField()
    record = models.BinaryField()
    times = models.BinaryField()
    files = models.BinaryField(default=b"")
    log = models.BinaryField(default=b"")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["competition", "first"], name="a_pack_begins_once")]

    def __str__(self) -> str:
        return f"recordings of {self.competition} from match {self.first} on"


class RemovedRecord(models.Model):
    """What is left of a recording that was removed because its time was over: see workers/retention.py."""

    match = models.OneToOneField(Match, models.CASCADE, primary_key=True, related_name="removed_record")
    digest = models.CharField(max_length=64)  # the SHA-256 of the record, for the chain of results
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"removed record of {self.match_id}"


class Stderr(models.Model):
    """A bot's standard error in a match, compressed with zlib; no row if it wrote nothing."""

    seat = models.OneToOneField(Seat, models.CASCADE, primary_key=True, related_name="+")
    data = models.BinaryField()
    # JSON: how many bytes had been written before each ask; empty if unknown.
    asks = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return f"standard error of seat {self.seat_id}"


class WorkerTime(models.Model):
    """The worker time that a bot used in one slice of time; see agon.site.matches.usage."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="+")
    since = models.DateTimeField(db_index=True)
    seconds = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bot", "since"], name="a_bot_has_a_slice_once")]

    def __str__(self) -> str:
        return f"{self.bot} since {self.since}: {self.seconds} s"


class Fault(models.Model):
    """A fault of a bot in a match."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="faults")
    kind = models.CharField(_("kind"), max_length=12)  # games.core.faults.FaultKind
    step = models.PositiveIntegerField(_("step"))  # the number of the ask, from 0
    reason = ReasonField(_("reason"))

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} in step {self.step}: {self.reason}"


class FailedAttempt(models.Model):
    """An attempt at a match that the platform failed to play to its end. Rows are never changed."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="failed_attempts")
    asked = models.JSONField(default=list)  # the seats that had to answer when it failed
    kind = models.CharField(_("kind"), max_length=10)  # agon.contest.attempts.FailureKind
    details = ReasonField(_("details"), default=dict)  # for staff: may name files and addresses of the site
    worker = models.CharField(_("worker"), max_length=120)
    started = models.DateTimeField(_("started"))
    ended = models.DateTimeField(_("ended"), db_index=True)

    class Meta:
        verbose_name = _("failed attempt")
        verbose_name_plural = _("failed attempts")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} at {self.ended}"
