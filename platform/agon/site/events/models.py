"""What happened, in order, for programs and people that follow a competition or an account.

An event says that something happened and what it concerns, not how it is now: readers ask for that. Rows are
added, and removed when they are old; they are never changed, except that they get a number.

Numbers: rows become visible in the order in which transactions end, which is not the order of their ids. A
reader that remembers the last id would miss a row that became visible late. So rows get numbers afterwards,
one after the other, under a lock (feed.py), and readers go by those.
"""

from django.conf import settings
from django.db import models
from django.utils import timezone

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition


class Kind(models.TextChoices):
    """What can happen. The words before the dot name what it concerns."""

    VERSION_ACTIVE = "version.active"
    VERSION_REJECTED = "version.rejected"
    BOT_LEFT = "bot.left"
    BOT_RETURNED = "bot.returned"
    BOT_RENAMED = "bot.renamed"
    BOT_STOPPED = "bot.stopped"
    BOT_FIRST_WIN = "bot.first_win"
    BOT_OVERTAKEN = "bot.overtaken"
    CHALLENGE_OVER = "challenge.over"
    LEADERBOARD_CHANGED = "leaderboard.changed"
    MATCHES_FINISHED = "matches.finished"
    TOURNAMENT_ACT = "tournament.act"
    TOURNAMENT_ANNOUNCED = "tournament.announced"
    TOURNAMENT_CANCELLED = "tournament.cancelled"
    TOURNAMENT_NOT_STARTED = "tournament.not_started"
    TOURNAMENT_STARTED = "tournament.started"
    TOURNAMENT_FINISHED = "tournament.finished"
    ANNOUNCEMENT_MADE = "announcement.made"
    WEBHOOK_OFF = "webhook.off"


# The kinds that people follow a competition by. Of results and ratings there are too many.
FOLLOWED = (
    Kind.VERSION_ACTIVE,
    Kind.BOT_LEFT,
    Kind.BOT_RETURNED,
    Kind.BOT_RENAMED,
    Kind.BOT_STOPPED,
    Kind.TOURNAMENT_ACT,
    Kind.TOURNAMENT_ANNOUNCED,
    Kind.TOURNAMENT_CANCELLED,
    Kind.TOURNAMENT_FINISHED,
    Kind.ANNOUNCEMENT_MADE,
)


class Event(models.Model):
    """One event. competition: whose readers see it, account: whose owner does. Either may be None.

    number: None until it is visible to readers. data: ids of what it concerns.
    """

    number = models.PositiveBigIntegerField(null=True, unique=True)
    kind = models.CharField(max_length=30, choices=Kind.choices)
    competition = models.ForeignKey(Competition, models.CASCADE, null=True, related_name="+")
    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="events")
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["competition", "number"], name="events_of_competition"),
            models.Index(fields=["account", "number"], name="events_of_account"),
            models.Index(
                fields=["competition", "number"],
                name="events_followed",
                condition=models.Q(kind__in=FOLLOWED),
            ),
            models.Index(fields=["id"], name="events_unnumbered", condition=models.Q(number=None)),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind}"


class Reader(models.Model):
    """How far the owner of an account has read its events on the page of notices."""

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    seen = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.account_id} has seen {self.seen}"


class Follow(models.Model):
    """A bot or a competition that an account follows (agon.site.events.following)."""

    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follows")
    bot = models.ForeignKey(Bot, models.CASCADE, null=True, related_name="+")
    competition = models.ForeignKey(Competition, models.CASCADE, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "bot"], name="a_bot_is_followed_once"),
            models.UniqueConstraint(fields=["account", "competition"], name="a_competition_is_followed_once"),
            models.CheckConstraint(
                condition=models.Q(bot=None) ^ models.Q(competition=None),
                name="a_bot_or_a_competition_is_followed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account_id} follows {self.bot or self.competition}"


class NoticeChoice(models.Model):
    """What the owner of an account has chosen for notices of one kind. Without a row: on the site, no e-mail.

    mailed_after: the number of the last event when e-mail was chosen; None: no e-mail.
    """

    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=30, choices=Kind.choices)
    on_site = models.BooleanField(default=True)
    mailed_after = models.PositiveBigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "kind"], name="one_choice_a_kind_of_notice")
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.account_id}"


class Mailing(models.Model):
    """E-mail with notices for an account (agon.site.events.mailing).

    sent: the number of the last event that was mailed. due: no mail is sent before.
    """

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    language = models.CharField(max_length=10)
    sent = models.PositiveBigIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"mail for {self.account_id}"


class FeedAddress(models.Model):
    """The secret part of the address of an account's notices as a feed (agon.site.events.feed_address)."""

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    secret = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return f"the feed of {self.account_id}"


class Order(models.Model):
    """The ranked bots of a competition as they were when an owner was last notified of being overtaken.

    bots: lists of bot, owner, version and rating (agon.site.events.overtaking).
    """

    competition = models.OneToOneField(Competition, models.CASCADE, primary_key=True, related_name="+")
    version = models.PositiveBigIntegerField()  # of the leaderboard
    at = models.DateTimeField()
    bots = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.competition_id} at {self.at}"


class Counter(models.Model):
    """The last number given, and the last one that was removed. There is one row."""

    last = models.PositiveBigIntegerField(default=0)
    removed = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)
