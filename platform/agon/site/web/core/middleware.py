"""Middleware for every request and response: host name, links, headers."""

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.cache import has_vary_header, patch_cache_control
from django.utils.decorators import sync_and_async_middleware

# No inline scripts or styles, and nothing from other sites: pages work on a machine without internet access.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
Before = Callable[[HttpRequest], HttpResponse | None]
After = Callable[[HttpRequest, HttpResponse], None]

log = logging.getLogger(__name__)


def middleware(before: Before = lambda request: None, after: After = lambda request, response: None) -> Any:
    """A Django middleware: `before` may respond instead of the view, `after` changes the response."""

    @sync_and_async_middleware
    def factory(get_response: Callable[..., Any]) -> Callable[..., Any]:
        if iscoroutinefunction(get_response):

            async def async_middleware(request: Any) -> Any:
                response = before(request) or await get_response(request)
                after(request, response)
                return response

            return async_middleware

        def sync_middleware(request: Any) -> Any:
            response = before(request) or get_response(request)
            after(request, response)
            return response

        return sync_middleware

    return factory


def _refuse_unknown_host(request: HttpRequest) -> HttpResponse | None:
    """Respond to a request for an unknown host in one line: scanners send many."""
    try:
        request.get_host()
    except DisallowedHost:
        log.info("refused a request for the host %.100r", request.META.get("HTTP_HOST", ""))
        text = "400 Bad Request: this site is not served under that host name.\n"
        return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
    return None


def _link_to_the_site(request: HttpRequest) -> None:
    """Build absolute links from SITE_URL: if every host name is allowed, a request can forge its own."""
    of_request = request.build_absolute_uri

    def build_absolute_uri(location: str | None = None) -> str:
        if location is None:
            return of_request()
        return urljoin(f"{settings.SITE_URL}{request.path}", location)

    request.build_absolute_uri = build_absolute_uri  # type: ignore[method-assign]


def _drop_odd_cookies(request: HttpRequest) -> None:
    """Drop cookies with a null character, which no browser got from us: PostgreSQL takes no such text."""
    for name in [name for name, value in request.COOKIES.items() if "\0" in value]:
        del request.COOKIES[name]


def _add_headers(request: HttpRequest, response: HttpResponse) -> None:
    """Set the content security policy and related headers unless the response has its own."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _keep_private(request: HttpRequest, response: HttpResponse) -> None:
    """Keep responses that depend on a cookie, or set one, out of shared caches."""
    if response.has_header("Cache-Control"):
        return
    if response.cookies or has_vary_header(response, "Cookie"):
        patch_cache_control(response, private=True)


known_host = middleware(before=_refuse_unknown_host)
site_links = middleware(before=_link_to_the_site)
storable_cookies = middleware(before=_drop_odd_cookies)
security_headers = middleware(after=_add_headers)
private_pages = middleware(after=_keep_private)
