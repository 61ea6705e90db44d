from typing import Any

from agon.site.competitions import game_versions
from agon.site.core.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Records in the public changes of each competition whether its game has another version than before."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        game_versions.note_changes()
