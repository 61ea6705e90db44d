"""Who sends a request: the account of its access token, or anyone. Sessions do not count here."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security.http import HttpAuthBase

from agon.site.accounts.models import User
from agon.site.api.problems import Problem
from agon.site.competitions.models import Competition
from agon.site.tokens import services as tokens
from agon.site.tokens.models import Scope, Token

HINT = "agon login"


class ApiRequest(HttpRequest):
    """A request after `identify`. token: None for a request without one, whose user is anonymous."""

    token: Token | None
    user: Any


def identify(request: HttpRequest) -> None:
    """Set `token` and `user` from the Authorization header. Raises Problem for a token that is no good."""
    given = request.headers.get("Authorization", "")
    request.token = None  # type: ignore[attr-defined]
    request.user = AnonymousUser()
    if not given:
        return
    scheme, _space, text = given.partition(" ")
    token = tokens.find(text.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        raise Problem(
            "token_unknown",
            hint=_("Make one on the page of your account, and send it as “Authorization: Bearer agon_…”."),
        )
    if token.is_expired:
        raise Problem("token_expired", hint=_("Make a new one on the page of your account."))
    tokens.note_use(token)
    request.token = token  # type: ignore[attr-defined]
    request.user = token.owner


class Bearer(HttpAuthBase):
    """Documents that an operation needs a token with a scope, and checks it."""

    openapi_scheme = "bearer"

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: Any) -> Token:
        token: Token | None = request.token
        if token is None:
            raise Problem(
                "token_needed",
                hint=_(
                    "Make one on the page of your account, and send it as “Authorization: Bearer agon_…”."
                ),
            )
        if self.scope not in token.scopes:
            raise Problem(
                "scope_missing",
                _("The token “%(token)s” lacks the scope “%(scope)s”.")
                % {"token": token.name, "scope": self.scope.value},
            )
        return token


READ, SUBMIT, ORGANIZE, OPERATE = map(Bearer, Scope)


def reader(request: Any) -> User | AnonymousUser:
    """The account whose view a public operation shows: that of a token that may read, else anyone's."""
    token: Token | None = request.token
    return request.user if token is not None and Scope.READ in token.scopes else AnonymousUser()


def check_competition(request: Any, competition: Competition) -> None:
    """Raises Problem for a token that is good for another competition only."""
    token: Token | None = request.token
    if token is not None and token.competition_id not in (None, competition.pk):
        raise Problem("other_competition")


def check_whole_account(request: Any) -> None:
    """Raises Problem for a token that is good for one competition: the account is of all of them."""
    if request.token.competition_id is not None:
        raise Problem("other_competition")
