import os
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from agon.site.accounts.services import first_password, make_admin
from agon.site.core.site_command import SiteCommand


class Command(SiteCommand):
    help = "Creates the account `admin` if the site has no administrator yet, and prints its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--password-file",
            type=Path,
            help="write the password to this file, readable only by its owner, and print its name",
        )

    def handle(self, *args: Any, password_file: Path | None = None, **options: Any) -> None:
        password = first_password()
        if password is None:
            return
        if password_file is not None:
            # Before the account exists: without a known password it would be useless.
            write_private(password_file, f"{password}\n")
        make_admin(password)
        if password_file is None:
            self.stdout.write(f"administrator: admin, password: {password}")
        else:
            self.stdout.write(
                f"administrator: admin; the password is in {password_file}: "
                "sign in, change it, and delete the file"
            )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read. Raises CommandError if it cannot be written."""
    try:
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"--password-file: {path} cannot be written: {error.strerror}") from error
