import secrets
from typing import Any

from django.core.management.base import CommandParser
from django.db import connection

from agon.site.core.site_command import SiteCommand
from agon.site.fleet import worker_role
from agon.site.fleet.worker_role import NoRole


class Command(SiteCommand):
    refusals = (NoRole,)
    help = (
        "Makes a role of PostgreSQL for the workers of another machine, with the rights of players alone, "
        "and prints its password. Without a machine: which machines have one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("machine", nargs="?", help="AGON_MACHINE there")
        parser.add_argument("--remove", action="store_true", help="shut the machine out")

    def handle(self, *args: Any, **options: Any) -> None:
        machine = options["machine"]
        if machine is None:
            machines = worker_role.machines() if connection.vendor == "postgresql" else []
            self.stdout.write("\n".join(machines) or "No machine has a role of its own.")
            return
        if options["remove"]:
            worker_role.shut_out(machine)
            self.stdout.write(f"The machine {machine} has no role any more.")
            return
        password = secrets.token_urlsafe(24)
        name = worker_role.allow(machine, password)
        self.stdout.write(f"role {name}\npassword {password}")
