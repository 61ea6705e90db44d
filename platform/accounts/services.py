"""Accounts that nobody signs up for."""

import secrets

from accounts.models import User

HOUSE = "house"


def ensure_admin() -> str | None:
    """Make the account `admin` if nobody is in charge yet; its password, to be shown once."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(9)
    User.objects.create_superuser("admin", password=password)
    return password


def house_user() -> User:
    """The owner of the house bots, as whom nobody can sign in."""
    user, made = User.objects.get_or_create(username=HOUSE)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
