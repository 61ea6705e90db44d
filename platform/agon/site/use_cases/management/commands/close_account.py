from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import override

from agon.site.core.site_command import SiteCommand
from agon.site.use_cases import closing_accounts
from agon.site.use_cases.closing_accounts import CannotClose
from agon.site.use_cases.management.arguments import account, add_by_and_why, reason


class Command(SiteCommand):
    refusals = (CannotClose,)
    help = (
        "Closes an account: what is known of its owner is erased for good, and its results stay, under no "
        "name. It is in the log of what was done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the account")
        add_by_and_why(parser)
        parser.add_argument(
            "--programs-too", action="store_true", help="delete its bots, with their programs, for good"
        )

    def handle(
        self, *args: Any, name: str, by: str, why: str, programs_too: bool = False, **options: Any
    ) -> None:
        user, actor, why = account("NAME", name), account("--by", by), reason(why)
        if not closing_accounts.may_close(actor, user):
            raise CommandError(f"--by: expected an administrator who may close {user.username}, got {by}")
        with override("en"):
            closing_accounts.close(user, actor, why, programs_too)
        self.stdout.write(f"the account {user.username} is closed")
