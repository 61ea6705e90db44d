import json
import sys
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import override

from agon.site.core.site_command import SiteCommand
from agon.site.fleet import presence
from agon.site.fleet.presence import Missing, Seen


class Command(SiteCommand):
    help = (
        "Shows the processes of the site, when each was last seen, and what nobody does because its process "
        "is dead. Ends with status 1 if there is any such."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        processes = presence.seen()
        missing = presence.missing(processes)
        if options["json"]:
            self.stdout.write(json.dumps(_document(processes, missing), indent=2))
        else:
            self._show(processes, missing)
        if missing:
            sys.exit(1)

    def _show(self, processes: list[Seen], missing: list[Missing]) -> None:
        for seen in processes:
            process = seen.process
            state = "stopped" if process.stopped else "alive" if seen.is_alive else "SILENT"
            ago = f"{seen.ago.total_seconds():.0f} s ago"
            self.stdout.write(f"{process.place:30} {process.kind:10} {process.version:10} {state:8} {ago}")
        for duty in missing:
            since = f"since {duty.since:%Y-%m-%d %H:%M:%S} UTC ({duty.last})" if duty.since else "never seen"
            with override("en"):
                self.stdout.write(f"MISSING: {duty.duty}, {since}. {duty.sentence}")
        if not missing:
            self.stdout.write("everything that is to be done has a process that does it")


def _document(processes: list[Seen], missing: list[Missing]) -> dict[str, Any]:
    return {
        "processes": [
            {
                "place": process.process.place,
                "kind": process.process.kind,
                "version": process.process.version,
                "since": process.process.since.isoformat(),
                "seen": process.process.seen.isoformat(),
                "alive": process.is_alive,
                "stopped": process.process.stopped,
            }
            for process in processes
        ],
        "missing": [
            {"duty": absent.duty, "since": absent.since and absent.since.isoformat(), "last": absent.last}
            for absent in missing
        ],
    }
