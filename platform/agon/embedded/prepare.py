"""What must be true before a site starts: a working sandbox, an up-to-date database, somebody in charge."""

import os
import secrets

import django
from django.core.management import call_command

from agon.embedded.trouble import Trouble
from sandbox import SandboxError, open_sandbox

NO_SANDBOX = 3  # the exit status of every command that needs one


def sandbox() -> str:
    """The name of the sandbox that the workers will use. Raises Trouble if none works here."""
    try:
        chosen = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    except SandboxError as error:
        raise Trouble(
            f"No sandbox works on this machine, and bots are never run without one: {error}", NO_SANDBOX
        ) from error
    try:
        return chosen.name
    finally:
        chosen.close()


def database() -> None:
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)


def administrator() -> str | None:
    """Make the account `admin` if nobody is in charge yet; its password, to be shown once."""
    from accounts.models import User  # models exist only once Django is set up

    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(9)
    User.objects.create_superuser("admin", password=password)
    return password
