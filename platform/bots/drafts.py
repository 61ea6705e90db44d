"""The draft of an anonymous visitor: cached for an hour, and returned to them once they sign in.

The session holds only a random name of it. Since anyone can store drafts, they are small, and their rate
is limited by address and for the whole site (`keep_draft` of ACCOUNT_RATE_LIMITS).
"""

import secrets

from django.core.cache import cache
from django.http import HttpRequest

MOST_BYTES = 64 << 10  # of a pasted source
SECONDS = 3600
KEY = "submission draft"  # in the session


def keep(request: HttpRequest, draft: dict[str, str]) -> None:
    """Keep `draft` for this visitor, in place of an earlier one."""
    forget(request)
    name = secrets.token_urlsafe(18)
    cache.set(_place(name), draft, SECONDS)
    request.session.set_expiry(SECONDS)
    request.session[KEY] = name


def take(request: HttpRequest) -> dict[str, str] | None:
    """Take the draft of a visitor who has just signed in, and delete it; None if there is none."""
    name = request.session.get(KEY)
    draft = cache.get(_place(name)) if isinstance(name, str) else None
    forget(request)
    return draft


def forget(request: HttpRequest) -> None:
    """Delete the draft of this session, if there is one."""
    name = request.session.pop(KEY, None)
    if isinstance(name, str):
        cache.delete(_place(name))


def _place(name: str) -> str:
    return f"draft-{name}"
