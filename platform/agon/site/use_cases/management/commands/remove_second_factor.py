from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from agon.site.accounts import second_factor
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.core.site_command import SiteCommand
from agon.site.use_cases.management.arguments import account, reason


class Command(SiteCommand):
    help = (
        "Removes the second factor of an account whose owner has lost it: the password alone signs in then. "
        "It is in the log of what was done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the account")
        parser.add_argument("--why", metavar="TEXT", required=True, help="the reason, for the log")

    @transaction.atomic
    def handle(self, *args: Any, name: str, why: str, **options: Any) -> None:
        user, why = account("NAME", name), reason(why)
        if not second_factor.is_on(user):
            raise CommandError(f"{user.username} has no second factor")
        second_factor.remove(user)
        facts = {"model": User._meta.label, "id": user.pk, "fields": ["no_second_factor"]}
        subject = f"account {user.pk}"
        acts.record(Verb.ADMIN_CHANGE, None, None, subject=subject, reason=why, details=facts)
        self.stdout.write(f"{user.username} signs in with the password alone")
