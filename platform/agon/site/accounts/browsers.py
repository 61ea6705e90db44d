"""Browsers that an account has signed in with before, known by a signed cookie that names the account.

The cookie is no credential. It only gives the browser its own count of wrong passwords, so that strangers who
guess passwords do not lock out the owner (agon.site.web.accounts.adapter).
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from agon.site.core.db.name_keys import name_key

COOKIE = "browser"
SECONDS = 365 * 24 * 3600


def known(request: HttpRequest, login: str) -> str | None:
    """An id of this browser if `login` (a name key) was the last account to sign in with it, else None."""
    try:
        name, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return str(browser) if name == login else None


def remember(response: HttpResponse, username: str) -> None:
    """Mark the browser that gets `response` as known to an account."""
    value = signing.dumps([name_key(username), secrets.token_urlsafe(12)], salt=COOKIE)
    response.set_cookie(
        COOKIE, value, SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
