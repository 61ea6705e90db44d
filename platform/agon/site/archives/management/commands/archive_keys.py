from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from agon.contest.archive.signature import public_line
from agon.site.archives import keys
from agon.site.archives.models import Signer
from agon.site.core.site_command import SiteCommand


class Command(SiteCommand):
    help = "Lists the keys that sign this site's archives, makes a new one, or revokes one."

    def add_arguments(self, parser: CommandParser) -> None:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--rotate", action="store_true", help="sign with a new key from now on")
        act.add_argument("--revoke", metavar="KEY", help="no longer trust what this public key has signed")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["rotate"]:
                keys.rotate()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        if options["revoke"]:
            present = keys.signing_key()
            if present is not None and public_line(present.public_key) == options["revoke"].strip():
                raise CommandError(
                    "this site signs with this key: give it another one first (--rotate, or ARCHIVE_KEY)"
                )
            known = Signer.objects.filter(public_key=options["revoke"].strip(), revoked=None)
            if not known.update(revoked=timezone.now()):
                raise CommandError("expected a line of this list, from ssh-ed25519 on; this key is not in it")
        self.stdout.write(keys.allowed_signers())
