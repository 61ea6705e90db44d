"""Accounts that the site creates."""

import secrets

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from agon.site.accounts.models import User
from agon.site.core.db.name_keys import name_key

ADMIN = "admin"
HOUSE = "house"
ONLY_ADMINISTRATOR = gettext_lazy(
    "This is the only administrator account. Make another account an administrator first."
)


def ensure_admin() -> str | None:
    """If the site has no administrator, make the account `admin` one; its password, to be shown once."""
    password = first_password()
    if password is not None:
        make_admin(password)
    return password


def first_password() -> str | None:
    """A new password for the account `admin`; None if the site has an administrator."""
    return None if administrators().exists() else secrets.token_urlsafe(9)


def administrators() -> QuerySet[User]:
    """The accounts that may do everything, and can be signed in to."""
    return User.objects.filter(is_superuser=True, is_active=True)


def make_admin(password: str) -> None:
    """The account may exist already, without its rights: starting a site is a way to get them back."""
    user = User.objects.filter(name_key=name_key(ADMIN)).first() or User(username=ADMIN)
    user.is_active = user.is_staff = user.is_superuser = True
    user.set_password(password)
    user.save()


def house_user() -> User:
    """The owner of the house bots; this account cannot sign in."""
    user, made = User.objects.get_or_create(username=HOUSE)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
