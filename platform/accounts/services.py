"""Accounts that the site creates."""

import secrets

from accounts.models import User

HOUSE = "house"


def ensure_admin() -> str | None:
    """Create the account `admin` if the site has no administrator; the password, to be shown once."""
    password = first_password()
    if password is not None:
        make_admin(password)
    return password


def first_password() -> str | None:
    """A new password for the account `admin`; None if the site has an administrator."""
    return None if User.objects.filter(is_superuser=True).exists() else secrets.token_urlsafe(9)


def make_admin(password: str) -> None:
    User.objects.create_superuser("admin", password=password)


def house_user() -> User:
    """The owner of the house bots; this account cannot sign in."""
    user, made = User.objects.get_or_create(username=HOUSE)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
