from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import override

from agon.site.bots import access
from agon.site.bots.access import Act
from agon.site.bots.models import Bot
from agon.site.core.site_command import SiteCommand
from agon.site.use_cases import leaving_play
from agon.site.use_cases.leaving_play import ActionNotAllowed
from agon.site.use_cases.management.arguments import account, add_by_and_why, reason


class Command(SiteCommand):
    refusals = (ActionNotAllowed,)
    help = (
        "Takes a bot out of play until an administrator lets it play again. In tournaments that run it is "
        "disqualified. It is in the log of what was done, and its owner sees the reason."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bot", type=int, help="its number: the last part of the address of its page")
        add_by_and_why(parser)

    def handle(self, *args: Any, bot: int, by: str, why: str, **options: Any) -> None:
        to_stop = Bot.objects.filter(pk=bot).first() if bot < 1 << 63 else None
        if to_stop is None:
            raise CommandError(f"BOT: expected the number of a bot, got {bot}")
        actor, why = account("--by", by), reason(why)
        if not access.may_act(actor, to_stop, Act.STOP):
            raise CommandError(f"--by: expected an administrator who may stop {to_stop.name}, got {by}")
        with override("en"):
            leaving_play.perform(Act.STOP, to_stop, actor, words=why)
        self.stdout.write(f"{to_stop.name} is stopped")
