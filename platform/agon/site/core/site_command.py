"""What the commands of operators have in common: they need the tables of a site, as this Agon has them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agon.site.core.db import schema


class SiteCommand(BaseCommand):
    """A command that ends with a sentence where there is no site, or one of another version."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        if why := schema.why_of_no_use():
            raise CommandError(why)
        return super().execute(*args, **options)
