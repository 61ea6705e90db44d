import os
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from agon.site.core.site_command import SiteCommand
from agon.site.use_cases import own_data
from agon.site.use_cases.management.arguments import account


class Command(SiteCommand):
    help = "Writes the zip with all that the site keeps of one person, as that person can download it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the account")
        parser.add_argument("file", type=Path, help="to make, readable by you alone; it must not exist")

    def handle(self, *args: Any, name: str, file: Path, **options: Any) -> None:
        user = account("NAME", name)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"FILE: {file} cannot be made: {error.strerror}") from error
        try:
            with open(descriptor, "wb") as opened:
                own_data.write(user, opened)
        except BaseException as error:
            file.unlink()
            if isinstance(error, OSError):
                raise CommandError(f"FILE: {file} cannot be written: {error.strerror}") from error
            raise
        self.stdout.write(f"{file}: {file.stat().st_size} bytes")
