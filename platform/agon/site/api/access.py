"""Who sends a request: the account of its access token, or anyone. Sessions do not count here.

A token for one competition changes nothing elsewhere, and reads there what anyone may read.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security.http import HttpAuthBase

from agon.site.accounts.models import User
from agon.site.api.problems import Problem
from agon.site.competitions.models import Competition
from agon.site.tokens import services as tokens
from agon.site.tokens.models import Scope, Token

_Row = TypeVar("_Row", bound=Model)


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


def reader(request: Any, competition: Competition | None) -> User | AnonymousUser:
    """The account whose view of a competition a public operation shows: that of a token that may read there,
    else anyone's. None: of what concerns all competitions.
    """
    token: Token | None = request.token
    if token is None or Scope.READ not in token.scopes:
        return AnonymousUser()
    is_for_it = token.competition_id is None or (competition and token.competition_id == competition.pk)
    return request.user if is_for_it else AnonymousUser()


def shown(request: Any, visible: Callable[[User | AnonymousUser], QuerySet[_Row]]) -> QuerySet[_Row]:
    """The rows of competitions that a public operation shows. visible: what an account may see."""
    everywhere = visible(reader(request, None))
    token: Token | None = request.token
    if token is None or token.competition is None:
        return everywhere
    there = visible(reader(request, token.competition)).filter(competition=token.competition)
    return everywhere | there


def of_token(request: Any, rows: QuerySet[_Row]) -> QuerySet[_Row]:
    """Those of an account's own rows that a token shows: all, or those of its competition."""
    token: Token = request.token
    return rows if token.competition_id is None else rows.filter(competition=token.competition_id)


def check_competition(request: Any, competition: Competition) -> None:
    """Raises Problem for a token that is good for another competition only."""
    token: Token | None = request.token
    if token is not None and token.competition_id not in (None, competition.pk):
        raise Problem("other_competition")


def check_whole_account(request: Any) -> None:
    """Raises Problem for a token that is good for one competition: the account is of all of them."""
    if request.token.competition_id is not None:
        raise Problem("other_competition")
