"""Makes, finds and revokes access tokens.

A token is `agon_` and 40 random characters: as hard to guess as a key, so a plain digest of it is kept. It is
shown once. Finding one costs a query; the time of its last use is written at most once a minute.
"""

import hashlib
import secrets
import string
from collections.abc import Collection, Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.tokens.models import Scope, Token

PREFIX = "agon_"
ALPHABET = string.ascii_letters + string.digits
RANDOM_CHARACTERS = 40
MOST_TOKENS = 50  # of one account
LONGEST_NAME = 60
MOST_DAYS = 3650
NOTED_EVERY = timedelta(minutes=1)


class BadToken(Exception):
    """A token that cannot be made. field: "name", "scopes", "days", or "" for none of them."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@transaction.atomic
def issue(
    owner: User,
    name: str,
    scopes: Iterable[str],
    competition: Competition | None = None,
    days: int | None = None,
) -> tuple[Token, str]:
    """Make a token that expires after `days`, never if None. Returns it with its text. Raises BadToken."""
    owner = User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # so that MOST_TOKENS holds
    if owner.closed is not None:
        raise BadToken("", _("This account is closed."))
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadToken("name", _("A name must have 1 to %(most)d characters.") % {"most": LONGEST_NAME})
    chosen = [scope.value for scope in Scope if scope in set(scopes)]
    if not chosen:
        raise BadToken("scopes", _("Choose what the token may be used for."))
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise BadToken("days", _("Expected 1 to %(most)d days.") % {"most": MOST_DAYS})
    check_room(owner)
    text = PREFIX + "".join(secrets.choice(ALPHABET) for _each in range(RANDOM_CHARACTERS))
    token = Token.objects.create(
        owner=owner,
        name=name,
        digest=digest_of(text),
        ending=text[-4:],
        scopes=chosen,
        competition=competition,
        expires=None if days is None else timezone.now() + timedelta(days=days),
    )
    return token, text


def check_room(owner: User) -> None:
    """Raises BadToken if the account has as many tokens as it may."""
    if owner.tokens.count() >= MOST_TOKENS:
        raise BadToken("", _("You have %(count)d tokens. Revoke one first.") % {"count": MOST_TOKENS})


def find(text: str) -> Token | None:
    """The token with that text, expired or not, of an account that may sign in; None if there is none."""
    if not text.startswith(PREFIX) or len(text) != len(PREFIX) + RANDOM_CHARACTERS:
        return None
    tokens = _of_open_accounts().select_related("owner", "competition")
    return tokens.filter(digest=digest_of(text)).first()


def no_longer_good(tokens: Collection[int]) -> set[int]:
    """The keys of those tokens that were revoked, have expired, or belong to an account that was closed."""
    good = _of_open_accounts().exclude(expires__lte=timezone.now()).filter(pk__in=tokens)
    return set(tokens).difference(good.values_list("pk", flat=True))


def _of_open_accounts() -> QuerySet[Token]:
    return Token.objects.filter(owner__is_active=True, owner__closed=None)


def note_use(token: Token) -> None:
    """Store when it was used last."""
    now = timezone.now()
    if token.used is None or token.used < now - NOTED_EVERY:
        Token.objects.filter(pk=token.pk).update(used=now)


def revoke(token: Token) -> None:
    """No request is accepted with it from now on."""
    token.delete()


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
