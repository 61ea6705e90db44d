"""The secret address of the notices of an account as a feed: a reader who has it may read them."""

import secrets

from agon.site.accounts.models import User
from agon.site.events.models import FeedAddress

BYTES = 24


def of_account(user: User) -> str | None:
    """The secret part of the address; None if there is none."""
    return FeedAddress.objects.filter(account=user).values_list("secret", flat=True).first()


def renew(user: User) -> None:
    """Make the address, or another one; the one before is no good any more."""
    secret = secrets.token_urlsafe(BYTES)
    FeedAddress.objects.update_or_create(account=user, defaults={"secret": secret})


def remove(user: User) -> None:
    """There is no address any more."""
    FeedAddress.objects.filter(account=user).delete()


def account_with(secret: str) -> User | None:
    """The account whose address it is; None if there is none, or it may not sign in."""
    feed_addresses = FeedAddress.objects.select_related("account").filter(
        secret=secret, account__is_active=True
    )
    address = feed_addresses.first()
    return address.account if address else None
