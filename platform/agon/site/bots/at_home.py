"""Bots at home: their programs run on their authors' machines, and take part in unrated challenges alone.

- Such a bot has one version, in the state `home`, which stands for it in seats. It never has an active one (a
  constraint of the database), and only active versions are drawn by ladders, entered in tournaments and
  judged for milestones. So it is in no rating, prize or grade.
- Its program asks the site for work (agon.site.api.home). The newest connection counts: it takes over from
  the former one, which gets that as the answer to what it sends next.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from agon.site.bots.models import HomeLine, Submission
from agon.site.bots.states import State
from agon.site.core.db.leases import now

ALIVE = timedelta(seconds=20)  # since its last request for work, a connection is there
NOTED_EVERY = timedelta(seconds=5)


class TakenOver(Exception):
    """Another connection of the bot is newer; str(e) says so, in the reader's language."""


@transaction.atomic
def take_over(bot: int, no_clock: bool) -> HomeLine:
    """Begin a new connection of a bot at home; its number is that of the line."""
    line = HomeLine.objects.select_for_update(no_key=True).get(bot=bot)
    line.number, line.no_clock, line.seen = line.number + 1, no_clock, now()
    line.save(update_fields=["number", "no_clock", "seen"])
    return line


def check(bot: int, number: int) -> HomeLine:
    """The line of a bot, if this is its newest connection; it is noted that it is there. Raises TakenOver."""
    line = HomeLine.objects.get(bot=bot)
    if line.number != number:
        words = _("Another connection of this bot took over: number %(newest)d; this is %(number)d.")
        raise TakenOver(words % {"newest": line.number, "number": number})
    if line.seen is None or line.seen < now() - NOTED_EVERY:
        HomeLine.objects.filter(bot=bot, number=number).update(seen=now())
    return line


def leave(bot: int, number: int) -> None:
    """Note that this connection has ended, so that no match is begun for it."""
    HomeLine.objects.filter(bot=bot, number=number).update(seen=now() - ALIVE, number=F("number") + 1)


def set_open(bot: int, is_open: bool) -> None:
    """Set whether everyone may challenge a bot at home, or only its owner may challenge others with it."""
    HomeLine.objects.filter(bot=bot).update(is_open=is_open)


def is_connected(line: HomeLine) -> bool:
    return line.seen is not None and line.seen > now() - ALIVE


def version_of(bot: int) -> Submission | None:
    """What stands for a bot at home in seats; None for any other bot."""
    return Submission.objects.select_related("bot").filter(bot=bot, state=State.HOME).first()
