from typing import Any

from django.core.management.base import CommandError, CommandParser

from agon.site.competitions.models import Competition
from agon.site.core.site_command import SiteCommand
from agon.site.leaderboards import recompute


class Command(SiteCommand):
    refusals = (recompute.Busy,)
    help = (
        "Computes the ratings of competitions from all their results, and replaces what is stored. With "
        "--check nothing is changed: every digit that differs is listed, and the exit status is then 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("competition", nargs="*", help="its name in addresses; all if none is given")
        parser.add_argument("--check", action="store_true", help="compare only")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Competition.objects.order_by("slug")
        if options["competition"]:
            chosen = chosen.filter(slug__in=options["competition"])
            unknown = sorted(set(options["competition"]) - set(chosen.values_list("slug", flat=True)))
            if unknown:
                raise CommandError(f"there is no competition {', '.join(unknown)}")
        wrong = 0
        for competition in chosen:
            if options["check"]:
                wrong += self._check(competition)
            else:
                recompute.replace(competition)
                self.stdout.write(f"{competition.slug}: computed anew")
        if wrong:
            raise CommandError(f"differences: {wrong}")

    def _check(self, competition: Competition) -> int:
        differences = recompute.differences(competition)
        for line in differences:
            self.stdout.write(line)
        ratings = competition.ratings.count()
        self.stdout.write(f"{competition.slug}: {ratings} ratings, {len(differences)} differences")
        return len(differences)
