"""Browsers in which somebody has signed in before: known by a signed cookie that names the account.

It admits nobody. It only keeps a browser's own count of wrong passwords, so that strangers who guess at an
account do not lock out its owner (accounts.adapter).
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from agon.db.name_keys import name_key

COOKIE = "browser"
SECONDS = 365 * 24 * 3600


def known(request: HttpRequest, login: str) -> str | None:
    """A name for this browser if the account `login` (folded) was signed in with it last, else None."""
    try:
        name, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return str(browser) if name == login else None


def remember(response: HttpResponse, username: str) -> None:
    """Make the browser that gets `response` known for an account."""
    value = signing.dumps([name_key(username), secrets.token_urlsafe(12)], salt=COOKIE)
    response.set_cookie(
        COOKIE, value, SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
