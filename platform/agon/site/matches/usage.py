"""Counts how much worker time each author's bots used recently, and who has to wait because of it.

Ladder matches, qualifications, comparisons and builds count: a match's wall time is split by seat, as the
bots caused it (`agon.contest.arena.Played.used`). House bots, tournaments, re-runs, assessments and trials
are charged to no author, nor are matches with a bot at home, which have workers of their own. All seats of
a challenge are charged to the challenger, so that no one can use up
the time of others, and only PART_FOR_CHALLENGES of the limits is for challenges: the rest is left for rated
matches.

A team has no worker time of its own: it shares that of its captain, of several of the one who joined first.
Otherwise people would multiply theirs by making teams.

Time is stored by bot in slices of SLICE, and only the last WINDOW counts. Authors who used more are served
later (MINUTE). Authors who used up AGON_AUTHOR_SECONDS, and bots that used up AGON_BOT_SECONDS, wait until
older slices have left the window.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import F, Sum

from agon.site.bots.models import Bot
from agon.site.core.db.leases import now
from agon.site.matches.models import Match, WorkerTime
from agon.site.teams.queries import captain_of_teams

WINDOW = timedelta(hours=1)
SLICE = timedelta(minutes=5)
PART_FOR_CHALLENGES = 0.5
MINUTE = 60.0  # seconds; the order compares whole minutes


@dataclass(frozen=True)
class Usage:
    """Seconds within the window, by bot and by author; without house bots.

    A person and the teams that share their worker time each have what all of them used.
    """

    bots: Mapping[int, float] = field(default_factory=dict)
    authors: Mapping[int, float] = field(default_factory=dict)

    @property
    def authors_waiting(self) -> list[int]:
        """The authors who used up their time (AGON_AUTHOR_SECONDS)."""
        return [author for author, seconds in self.authors.items() if seconds >= settings.AGON_AUTHOR_SECONDS]

    @property
    def bots_waiting(self) -> list[int]:
        """The bots that used up their time (AGON_BOT_SECONDS)."""
        return [bot for bot, seconds in self.bots.items() if seconds >= settings.AGON_BOT_SECONDS]

    def minutes(self, author: int | None) -> float:
        """The worker time of an author in minutes; 0 for a house bot."""
        return 0.0 if author is None else self.authors.get(author, 0.0) / MINUTE

    def waits(self, bot: int, author: int | None, part: float = 1.0) -> bool:
        """Whether this bot has to wait; author: None for a house bot. part: of the limits."""
        if author is None:
            return False
        author_limit: float = part * settings.AGON_AUTHOR_SECONDS
        bot_limit: float = part * settings.AGON_BOT_SECONDS
        return self.authors.get(author, 0.0) >= author_limit or self.bots.get(bot, 0.0) >= bot_limit


def current_usage() -> Usage:
    """The usage within the window.

    A match is charged when it ends: only then is it known which bot its time was spent on.
    """
    bots: dict[int, float] = {}
    authors: dict[int, float] = {}
    rows = WorkerTime.objects.filter(since__gt=now() - WINDOW).values_list("bot", "bot__owner")
    used = list(rows.annotate(total=Sum("seconds")))
    captains = captain_of_teams() if used else {}
    for bot, owner, seconds in used:
        bots[bot] = seconds
        author = captains.get(owner, owner)
        authors[author] = authors.get(author, 0.0) + seconds
    authors |= {team: authors[captain] for team, captain in captains.items() if captain in authors}
    return Usage(bots, authors)


def charge_match(match: Match, seconds: Sequence[float] = ()) -> None:
    """Charge an attempt at a match to its bots.

    seconds: by seat. If they were not measured, each seat is charged an equal part, at most a MINUTE.
    """
    if match.has_share or match.queue == Match.Queue.HOME:
        return
    seats = list(match.seats.select_related("submission__bot").order_by("number"))
    if len(seconds) != len(seats):
        assert match.started is not None  # it was claimed
        equal = (now() - match.started).total_seconds() / len(seats)
        seconds = [min(max(equal, 0.0), MINUTE)] * len(seats)
    if match.challenge is not None:
        charge(match.challenge.challenger.bot_id, sum(seconds))
        return
    bots: dict[int, float] = {}
    for seat, part in zip(seats, seconds, strict=True):
        if not seat.submission.bot.house:
            bots[seat.submission.bot_id] = bots.get(seat.submission.bot_id, 0.0) + part
    for bot in sorted(bots):  # a fixed order: two matches that end at once lock rows alike
        charge(bot, bots[bot])


def charge(bot: int, seconds: float) -> None:
    """Charge seconds to a bot, in the current slice."""
    length = SLICE.total_seconds()
    since = datetime.fromtimestamp(now().timestamp() // length * length, UTC)
    row = WorkerTime.objects.filter(bot=bot, since=since)
    if not row.update(seconds=F("seconds") + seconds):
        WorkerTime.objects.get_or_create(bot_id=bot, since=since)
        row.update(seconds=F("seconds") + seconds)


def forget() -> None:
    """Delete slices that are out of every window."""
    old = WorkerTime.objects.filter(since__lt=now() - 2 * WINDOW)
    if old.exists():  # a read does not block SQLite's one writer
        old.delete()


@dataclass(frozen=True)
class Wait:
    """Why a bot has to wait: the seconds used in the last hour, the limit, and whether it is the author's."""

    seconds: float
    most: float
    of_author: bool


def wait_of(bot: Bot, part: float = 1.0) -> Wait | None:
    """The limit that keeps this bot from builds and from matches outside of tournaments, if one does.

    part: of the limits.
    """
    if bot.house:
        return None
    usage = current_usage()
    if not usage.waits(bot.pk, bot.owner_id, part):
        return None
    of_author = usage.authors.get(bot.owner_id, 0.0)
    if of_author >= part * settings.AGON_AUTHOR_SECONDS:
        return Wait(of_author, part * settings.AGON_AUTHOR_SECONDS, True)
    return Wait(usage.bots[bot.pk], part * settings.AGON_BOT_SECONDS, False)
