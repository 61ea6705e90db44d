"""What commands of operators are given, looked up or refused with the name of the argument."""

from django.core.management.base import CommandError, CommandParser

from agon.site.accounts.models import User
from agon.site.audit.acts import LONGEST_REASON
from agon.site.core.db.name_keys import name_key


def account(argument: str, name: str) -> User:
    """The account of this name that is not closed. Raises CommandError."""
    user = User.objects.filter(name_key=name_key(name), closed=None).first()
    if user is None:
        raise CommandError(f"{argument}: expected the name of an account, got {name}")
    return user


def reason(why: str) -> str:
    """The reason, without blanks around it. Raises CommandError."""
    if not 0 < len(why.strip()) <= LONGEST_REASON:
        raise CommandError(f"--why: expected 1 to {LONGEST_REASON} characters, got {len(why.strip())}")
    return why.strip()


def add_by_and_why(parser: CommandParser) -> None:
    parser.add_argument("--by", metavar="NAME", required=True, help="the administrator who does it")
    parser.add_argument("--why", metavar="TEXT", required=True, help="the reason, for the log")
