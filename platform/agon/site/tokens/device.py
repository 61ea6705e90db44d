"""Device login (RFC 8628): a program without a browser gets a token that a person approves on a page.

The program asks for two codes (`begin`) and shows the short one, the user code. A person who is signed in
enters it on a page, sees which program asks for what, and approves or refuses. Meanwhile the program polls
with the long one, the device code (`collect`), until it gets its token, which is one like any other
(agon.site.tokens.services): listed, limited and revocable on the page of tokens.

Why not allauth's identity provider (allauth.idp.oidc), which has this flow. It keeps the device code as it
is, in the cache, and reads, changes and writes that value without a lock: a poll at the moment of an approval
undoes it. It gives tokens of its own, for clients that an administrator has registered before, and it needs
oauthlib, PyJWT and cryptography. What is left for us without it is this file and a page.

A device code is kept as a digest only. The user code is 8 letters of 20 that no one confuses and that make no
words: with the limits for guesses on the page, no one finds one in ten minutes. Polls and approvals lock the
row, so an approval is used once. What has expired is forgotten a while later; until then it is called so.
"""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.core.db.transitions import IllegalTransition, Transition
from agon.site.tokens import services
from agon.site.tokens.models import DeviceLogin, Scope, Token
from agon.site.tokens.services import BadToken, digest_of
from agon.site.tokens.states import APPROVE, COLLECT, REFUSE, State

LIFE = timedelta(minutes=10)
COLLECTED_WITHIN = timedelta(minutes=1)  # of an approval in the last moment
FORGOTTEN_AFTER = timedelta(hours=1)
INTERVAL = 5  # seconds between two polls; a program that polls sooner has to leave so many more
EARLY = timedelta(seconds=1)  # by which a poll may come too soon: networks vary
DAYS = 90  # until the token expires
ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"  # RFC 8628, 6.1
CODE_LENGTH = 8
USUAL_SCOPES = (Scope.READ, Scope.SUBMIT)


class Refusal(NamedTuple):
    """Why there is no token (yet): a code of RFC 8628 or RFC 6749, and a sentence for people."""

    error: str
    sentence: str


class AlreadyAnswered(Exception):
    """A user has approved or refused it, or it has expired."""


def begin(program: str, scopes: Sequence[str]) -> tuple[DeviceLogin, str] | Refusal:
    """A new device login with its device code. program: what it calls itself."""
    name = " ".join(program.split())
    if not 1 <= len(name) <= services.LONGEST_NAME or not name.isprintable():
        sentence = _("Expected the name of the program as client_id: 1 to %(most)d printable characters.")
        return Refusal("invalid_request", sentence % {"most": services.LONGEST_NAME})
    unknown = [scope for scope in scopes if scope not in Scope.values]
    if unknown:
        sentence = _("There is no scope “%(scope)s”. Expected some of: %(scopes)s.")
        return Refusal("invalid_scope", sentence % {"scope": unknown[0], "scopes": " ".join(Scope.values)})
    now = timezone.now()
    DeviceLogin.objects.filter(expires__lt=now - FORGOTTEN_AFTER).delete()
    device_code = secrets.token_urlsafe(32)
    login = DeviceLogin.objects.create(
        program=name,
        digest=digest_of(device_code),
        code="".join(secrets.choice(ALPHABET) for _each in range(CODE_LENGTH)),
        scopes=[scope.value for scope in Scope if scope in (scopes or USUAL_SCOPES)],
        expires=now + LIFE,
        interval=INTERVAL,
    )
    return login, device_code


def find(text: str) -> DeviceLogin | None:
    """The device login that waits for an answer, by its user code as a person types it."""
    code = "".join(character for character in text.upper() if character.isalnum())
    waiting = DeviceLogin.objects.filter(state=State.PENDING, expires__gt=timezone.now())
    return waiting.filter(code=code).first() if len(code) == CODE_LENGTH and code.isascii() else None


@transaction.atomic
def approve(login: DeviceLogin, owner: User, scopes: Sequence[str]) -> None:
    """Let the program have a token of `owner` with those of its scopes. Raises AlreadyAnswered, BadToken."""
    allowed = [scope for scope in login.scopes if scope in scopes]
    if not allowed:
        raise BadToken("scopes", _("Your account may do nothing of what the program asks for."))
    services.check_room(owner)
    expires = max(login.expires, timezone.now() + COLLECTED_WITHIN)
    _answer(login, APPROVE, owner=owner, scopes=allowed, expires=expires)


def refuse(login: DeviceLogin) -> None:
    """Raises AlreadyAnswered."""
    _answer(login, REFUSE)


@transaction.atomic
def collect(device_code: str, program: str) -> tuple[Token, str] | Refusal:
    """The token with its text, once, if the device login is approved; otherwise why there is none."""
    rows = DeviceLogin.objects.select_for_update(no_key=True)
    login = rows.filter(digest=digest_of(device_code)).first()
    if login is None or login.program != " ".join(program.split()) or login.state == State.COLLECTED:
        return Refusal("invalid_grant", _("The device code is unknown, or was used. Begin again."))
    if login.state == State.REFUSED:
        return Refusal("access_denied", _("The request was refused on the page."))
    if login.is_expired:
        return Refusal("expired_token", _("The device code has expired. Begin again."))
    if login.state == State.PENDING:
        return _poll(login)
    return _issue(login)


def _answer(login: DeviceLogin, transition: Transition, **changes: Any) -> None:
    if login.is_expired:
        raise AlreadyAnswered
    try:
        login.move(transition, **changes)
    except (IllegalTransition, DeviceLogin.DoesNotExist):
        raise AlreadyAnswered from None


def _poll(login: DeviceLogin) -> Refusal:
    now = timezone.now()
    is_early = login.polled is not None and now - login.polled < timedelta(seconds=login.interval) - EARLY
    login.polled = now
    if not is_early:
        login.save(update_fields=["polled"])
        return Refusal("authorization_pending", _("Nobody has approved it yet."))
    login.interval += INTERVAL
    login.save(update_fields=["polled", "interval"])
    sentence = _("Leave %(seconds)d s between two requests.") % {"seconds": login.interval}
    return Refusal("slow_down", sentence)


def _issue(login: DeviceLogin) -> tuple[Token, str] | Refusal:
    owner = login.owner
    if owner is None or not owner.is_active or owner.closed is not None:
        return Refusal("access_denied", _("The account that approved it is closed."))
    try:
        made = services.issue(owner, login.program, login.scopes, days=DAYS)
    except BadToken as bad:
        return Refusal("access_denied", str(bad))
    login.move_locked(COLLECT)
    return made
