from typing import Any

from agon.site.accounts.second_factor_keys import encrypt_anew
from agon.site.core.site_command import SiteCommand

SHOWN = 20  # names


class Command(SiteCommand):
    help = (
        "Encrypts the secrets of all second factors with the present SECRET_KEY, and names accounts whose "
        "secrets no key reads. Run it after a new key was put first, before the former one is taken away."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = encrypt_anew()
        self.stdout.write(f"encrypted with the present key: {done.encrypted}")
        if names := done.unreadable:
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            self.stdout.write(f"no key reads those of {len(names)}: {', '.join(names[:SHOWN])}{more}")
