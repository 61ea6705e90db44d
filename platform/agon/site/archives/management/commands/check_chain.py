from typing import Any

from django.core.management.base import CommandError

from agon.site.archives import chain
from agon.site.archives.models import Day
from agon.site.core.site_command import SiteCommand


class Command(SiteCommand):
    help = "Computes the chain of results again from the database, and names each day that differs."

    def handle(self, *args: Any, **options: Any) -> None:
        different = 0
        for words in chain.check():
            self.stdout.write(words)
            different += 1
        if different:
            raise CommandError(f"days that differ: {different}", returncode=1)
        last = Day.objects.last()
        days = Day.objects.count()
        self.stdout.write(f"days checked: {days}" + ("" if last is None else f"; the chain ends with {last}"))
