"""Starts comparisons."""

from fractions import Fraction

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from agon.contest import secret_seeds
from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.states import BotState, State
from agon.site.comparisons.models import Comparison
from agon.site.comparisons.progress import advance
from agon.statistics.compare.cycles import matches_in
from agon.statistics.compare.sequential import FIRST_LOOK

LEAST_DIFFERENCE = Fraction(1, 10)  # the smallest difference that matters: 55 of 100 matches
MOST_MATCHES = 400  # but FIRST_LOOK cycles in any case
COMPARABLE = (State.ACTIVE, State.REPLACED)


class NotComparable(Exception):
    """A comparison cannot be started; str(e) says why, in the reader's language."""


def opponents(new: Submission) -> list[Submission]:
    """The submissions to compare a version with: other versions of its bot, the newest first, and house bots.

    Both need an artifact; those of versions that were replaced long ago are not kept.
    """
    if not _is_playable(new):
        return []
    built = Submission.objects.exclude(artifact="").select_related("bot")
    own = built.filter(bot=new.bot, state__in=COMPARABLE).exclude(artifact_digest=new.artifact_digest)
    house = built.filter(bot__competition=new.bot.competition, bot__house=True, state=State.ACTIVE)
    return [*own.order_by("-number"), *house.exclude(bot=new.bot).order_by("bot__name")]


def start(user: User, new: Submission, old: Submission) -> Comparison:
    """Create a comparison and queue its first cycles. Raises NotComparable."""
    if old not in opponents(new):
        raise NotComparable(_("These two versions cannot be compared now."))
    seats = max(2, new.bot.competition.info.min_seats)
    others = _others(new, old, seats)
    per_cycle = matches_in(seats, len(others))
    try:
        with transaction.atomic():
            comparison = Comparison.objects.create(
                competition=new.bot.competition,
                owner=user,
                new=new,
                old=old,
                seed=secret_seeds.draw(),
                seats=seats,
                opponents=others,
                least=str(LEAST_DIFFERENCE),
                most_cycles=max(FIRST_LOOK, MOST_MATCHES // per_cycle),
            )
    except IntegrityError:
        raise NotComparable(
            _("You have a comparison that is still running. Only one runs at a time.")
        ) from None
    advance(comparison.pk)
    return comparison


def _others(new: Submission, old: Submission, seats: int) -> list[int]:
    """The house bots that fill the other seats of a game of more than two; [] if there are too few.

    Copies of the two versions would not do: copies that see the same act alike, which is another game.
    """
    house = Submission.objects.filter(
        bot__competition=new.bot.competition, bot__house=True, state=State.ACTIVE
    ).exclude(artifact="")
    opponents = list(
        house.exclude(bot__in=[new.bot_id, old.bot_id]).order_by("pk").values_list("pk", flat=True)
    )
    return opponents if 2 < seats <= len(opponents) + 1 else []


def _is_playable(submission: Submission) -> bool:
    bot = submission.bot
    plays = bot.state == BotState.ENTERED and bot.competition.is_open and bot.competition.info.max_seats > 1
    return plays and submission.state in COMPARABLE and bool(submission.artifact)
