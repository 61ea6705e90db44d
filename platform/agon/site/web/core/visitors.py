"""Where a request comes from, determined before Django has read it (agon.site.web.core.body_limit)."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import parse_cookie

from agon.site.core.addresses import visitor
from agon.site.tokens import services as tokens
from agon.site.web.core.body_limit import Visitor
from agon.site.web.core.threads import in_thread

Scope = dict[str, Any]


def address(scope: Scope) -> str:
    """The network address of the visitor; see agon.site.core.addresses."""
    forwarded_for = ",".join(_header(scope, b"x-forwarded-for"))
    return visitor((scope.get("client") or ("",))[0], forwarded_for)


async def account(scope: Scope) -> str | None:
    """The account that the request's access token or session belongs to, or None."""
    scheme, _space, text = ",".join(_header(scope, b"authorization")).partition(" ")
    if scheme.lower() == "bearer":
        return await in_thread(_account_of_token, text.strip())
    cookies = parse_cookie("; ".join(_header(scope, b"cookie")))
    key = cookies.get(settings.SESSION_COOKIE_NAME)
    return await in_thread(_account, key) if key else None


def _account(session: str) -> str | None:
    account: str | None = import_module(settings.SESSION_ENGINE).SessionStore(session).get(SESSION_KEY)
    return account


def _account_of_token(text: str) -> str | None:
    token = tokens.find(text)
    return None if token is None or token.is_expired else str(token.owner_id)


def _header(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


VISITOR = Visitor(address, account)
