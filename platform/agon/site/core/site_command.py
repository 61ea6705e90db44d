"""What the commands of operators have in common: they need the tables of a site, as this Agon has them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agon.site.core.db import schema
from agon.site.core.db.unavailable import is_damaged, is_unavailable
from agon.site.core.disk_space import is_full


class SiteCommand(BaseCommand):
    """A command that ends with a sentence where there is no site, or one of another version, or no room.

    refusals: what it ends with the sentence of, too.
    """

    refusals: tuple[type[Exception], ...] = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if why := schema.why_of_no_use():
                raise CommandError(why)
            return super().execute(*args, **options)
        except CommandError:
            raise
        except self.refusals as refusal:
            raise CommandError(str(refusal)) from refusal
        except Exception as error:
            if is_unavailable(error):
                raise CommandError(f"the database does not answer; run it again later: {error}") from error
            if is_damaged(error):
                raise CommandError(f"the database is damaged; restore a backup: {error}") from error
            if is_full(error):
                raise CommandError(f"a disk, or the output, is full: {error}") from error
            raise
