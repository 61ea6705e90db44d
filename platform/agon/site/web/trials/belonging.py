"""Which bot the text in the editor belongs to, and the author's other bots, to which the editor can turn.

A text belongs to one of the author's bots or to a new one, and its draft is kept under that
(static/js/drafts.js). A bot that does not take new versions keeps its draft: its text can still be read,
tried, and entered as a new bot.
"""

from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Max

from agon.site.accounts.models import User
from agon.site.bots import access
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import NOT_ENTERED
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table

NEW = "new"  # in the place of a bot's key
MOST_DELETED = 20  # bots whose drafts can still be found


class Own(NamedTuple):
    """A bot of the reader. last: the number of its newest version. rank: as on the leaderboard, or ""."""

    bot: Bot
    last: int
    rank: str

    @property
    def next(self) -> int:
        """The number that its next version gets."""
        return self.last + 1

    @property
    def is_deleted(self) -> bool:
        return self.bot.state == BotState.DELETED

    @property
    def why_not(self) -> str:
        """Why it takes no new version; "" if it does."""
        why = NOT_ENTERED.get(BotState(self.bot.state))
        return str(why) % {"bot": self.bot.name} if why else ""


def own_bots(user: User | AnonymousUser, competition: Competition) -> list[Own]:
    """The reader's bots here, the newest first, and the last of those that they have deleted."""
    if not user.is_authenticated:
        return []
    own = access.own_bots(user, competition).order_by("-pk")
    bots = [*own.exclude(state=BotState.DELETED), *own.filter(state=BotState.DELETED)[:MOST_DELETED]]
    numbers = Submission.objects.filter(bot__in=bots).order_by("bot").values("bot")
    last = dict(numbers.annotate(last=Max("number")).values_list("bot", "last"))
    ranks = {row.bot_id: row.rank for row in table.rows_of(bots) if row.best}
    return [Own(bot, last.get(bot.pk, 0), ranks.get(bot.pk, "")) for bot in bots]


def own_bot(own: list[Own], key: object) -> Own | None:
    """The one with this key, which may be anything that an address or a form holds; None: a new bot."""
    return next((own_bot for own_bot in own if str(own_bot.bot.pk) == str(key)), None)
