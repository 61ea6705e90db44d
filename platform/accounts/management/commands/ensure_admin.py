from django.core.management.base import BaseCommand

from accounts.services import ensure_admin


class Command(BaseCommand):
    help = "Makes the account `admin`, if nobody is in charge yet, and prints its password."

    def handle(self, *args: object, **options: object) -> None:
        password = ensure_admin()
        if password is not None:
            self.stdout.write(f"administrator: admin, password: {password}")
