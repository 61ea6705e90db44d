import os
from typing import Any

from django.core.management.base import CommandError

from agon.site.core.site_command import SiteCommand
from agon.site.use_cases.house_bots import install
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox


class Command(SiteCommand):
    help = "Opens a competition for each game and uploads its house bots, as far as they have changed."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
        except SandboxError as error:
            raise CommandError(f"house bots need a sandbox: {error}") from error
        try:
            for installed in install(sandbox):
                if options["verbosity"] > 1 or installed.note != "unchanged":
                    self.stdout.write(f"{installed.game}: {installed.bot}: {installed.note}")
        finally:
            sandbox.close()
