"""What an account needs for signing in besides its password. allauth has the pages (allauth.mfa)."""

from allauth.mfa.models import Authenticator

from agon.site.accounts.models import User

Type = Authenticator.Type


def has_codes(user: User) -> bool:
    """Whether an app gives codes for this account."""
    return bool(Authenticator.objects.filter(user=user, type=Type.TOTP).exists())


def is_on(user: User) -> bool:
    """Whether the password alone does not sign in."""
    return bool(Authenticator.objects.filter(user=user, type__in=(Type.TOTP, Type.WEBAUTHN)).exists())


def remove(user: User) -> None:
    """Take away all of them, with the codes on paper: its owner has lost them."""
    Authenticator.objects.filter(user=user).delete()
