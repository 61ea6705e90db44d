from typing import Any

from django.core.management.base import CommandError, CommandParser

from agon.site.audit.acts import LONGEST_REASON
from agon.site.core.site_command import SiteCommand
from agon.site.fleet import parking
from agon.site.fleet.models import OddWorker


class Command(SiteCommand):
    help = (
        "Lists the workers that played differently from the others, with the matches that show it. A parked "
        "one claims no matches until it is released."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", metavar="WORKER", help="let this worker claim matches again")
        parser.add_argument("--why", metavar="TEXT", default="", help="the reason, for the log")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["release"] is not None:
            self._release(options["release"], options["why"].strip())
            return
        odd_workers = list(parking.unreleased().select_related("competition").order_by("found"))
        for odd in odd_workers:
            self._show(odd)
        if not odd_workers:
            self.stdout.write("no worker played differently from the others")

    def _show(self, odd: OddWorker) -> None:
        slug = odd.competition.slug if odd.competition else "never played"
        when = f"{odd.found:%Y-%m-%d %H:%M}"
        self.stdout.write(f"{odd.worker}: {odd.state} since {when}, {slug}: {odd.finding}")
        self.stdout.write(f"    matches: {' '.join(map(str, odd.finding.matches))}")

    def _release(self, worker: str, why: str) -> None:
        odd_worker = parking.unreleased().filter(worker=worker).first()
        if odd_worker is None:
            known = ", ".join(parking.unreleased().values_list("worker", flat=True)) or "there is none"
            raise CommandError(
                f"--release: expected the name of a parked or reported worker ({known}), got {worker}"
            )
        if not 0 < len(why) <= LONGEST_REASON:
            raise CommandError(f"--why: expected 1 to {LONGEST_REASON} characters, got {len(why)}")
        parking.release(odd_worker, why=why)
        self.stdout.write(f"{worker} is released")
