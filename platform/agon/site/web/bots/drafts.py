"""The draft of an anonymous visitor: cached for an hour, and shown to them once they have signed in.

It stays until it is submitted: a page that is loaded again has it, too. Of a form that was made for an
account whose session ended before it was sent, the draft is shown to that account alone. The session holds
only a random name of it. Since anyone can store drafts, they are small, and their rate is limited by address
and for the whole site (`keep_draft` of ACCOUNT_RATE_LIMITS).
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


def kept(request: HttpRequest, slug: str) -> dict[str, str] | None:
    """The visitor's draft for this competition; None if there is none any more."""
    draft = _own(request)
    return draft if draft is not None and draft["slug"] == slug else None


def waiting(request: HttpRequest) -> dict[str, str] | None:
    """The visitor's draft, of whatever competition, if they meant to enter it."""
    draft = _own(request)
    return draft if draft is not None and draft.get("enter") else None


def submitted(request: HttpRequest, slug: str) -> None:
    """Forget the visitor's draft for this competition."""
    if kept(request, slug) is not None:
        forget(request)


def forget(request: HttpRequest) -> None:
    """Delete the draft of this session, if there is one."""
    name = request.session.pop(KEY, None)
    if isinstance(name, str):
        cache.delete(_place(name))


def _own(request: HttpRequest) -> dict[str, str] | None:
    """The draft of this session, unless it is another account's than the reader's."""
    name = request.session.get(KEY)
    draft: dict[str, str] | None = cache.get(_place(name)) if isinstance(name, str) else None
    return draft if draft is not None and draft.get("account", "") in ("", str(request.user.pk)) else None


def _place(name: str) -> str:
    return f"draft-{name}"
