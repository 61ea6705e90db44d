from typing import Any

from django.core.management.base import CommandParser

from agon.site.core.site_command import SiteCommand
from agon.site.matches import stored_logs
from games.core.manifest import UnknownGame, load


class Command(SiteCommand):
    refusals = (UnknownGame,)
    help = (
        "Keeps what happened in each match of a game. Run it before the game's version changes: pages show a "
        "match by replaying its record, and a new version cannot replay matches of the old one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="the game's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        load(options["game"])
        stored = stored_logs.store(options["game"], self.stderr.write)
        self.stdout.write(f"logs stored: {stored}")
