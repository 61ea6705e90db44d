"""Whether the proxies in front of the site are those that TRUSTED_PROXY_COUNT says.

With a count that is too high, visitors choose the addresses by which limits count them; with one that is too
low, all of them share the limits of one address. Requests show it, but a single one may be forged, or be a
health check: so staff are warned when nearly all of the last WATCHED requests of this process disagree.

A site at an https address redirects requests that arrive by http. Behind a proxy that is not counted, it does
not see that they arrived by https, and would redirect without end: such a request gets a sentence instead.
"""

import logging
from collections import deque
from enum import Enum
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from agon.site.web.core.middleware import middleware

WATCHED = 100
SHARE = 0.9

log = logging.getLogger(__name__)


class Misfit(Enum):
    """How a request disagrees with TRUSTED_PROXY_COUNT."""

    FEWER = _(
        "TRUSTED_PROXY_COUNT is %(count)d, but requests pass fewer proxies that set X-Forwarded-For. So "
        "visitors can choose the address by which limits count them."
    )
    MORE = _(
        "TRUSTED_PROXY_COUNT is %(count)d, but requests pass more proxies that set X-Forwarded-For. So "
        "visitors share the limits of a proxy's address."
    )


_last: deque[Misfit | None] = deque(maxlen=WATCHED)


def misfit() -> Misfit | None:
    """What nearly all of the last requests have shown; None if they fit, or are too few."""
    least = SHARE * WATCHED
    return next((misfit for misfit in Misfit if _last.count(misfit) >= least), None)


def _misfit_of(request: HttpRequest) -> Misfit | None:
    count = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    header = request.headers.get("x-forwarded-for", "")
    entries = [entry.strip() for entry in header.split(",")] if header else []
    if len(entries) < count:
        return Misfit.FEWER
    connection = request.META.get("REMOTE_ADDR", "")
    trusted = [*entries, connection][-count - 1 :]
    # The last address that is trusted is a proxy's if it is of a private network, and another is before it.
    is_inner = len(entries) > count and not _is_public(trusted[0])
    return Misfit.MORE if is_inner else None


def _is_public(text: str) -> bool:
    try:
        return ip_address(text.strip("[]").partition("%")[0]).is_global
    except ValueError:
        return False


def _watch(request: HttpRequest) -> HttpResponse | None:
    _last.append(_misfit_of(request))
    is_https_already = request.headers.get("x-forwarded-proto", "").strip().lower() == "https"
    if not settings.SECURE_SSL_REDIRECT or request.is_secure() or not is_https_already:
        return None
    log.error("a proxy that TRUSTED_PROXY_COUNT does not count serves the https site %s", settings.SITE_URL)
    text = (
        "This site is behind a proxy that it does not trust, and cannot see that you use https. Its "
        "operators have to set TRUSTED_PROXY_COUNT to the number of proxies in front of it.\n"
    )
    return HttpResponse(text, status=500, content_type="text/plain; charset=utf-8")


known_proxies = middleware(before=_watch)
