"""Headers that every page carries."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

# No inline scripts or styles anywhere, nothing from other sites: pages work on a machine with no way out.
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


@sync_and_async_middleware
def site_links(get_response: Callable[..., Any]) -> Callable[..., Any]:
    """Make absolute links from SITE_URL: where every host name is allowed, a request may forge its own."""

    def settle(request: HttpRequest) -> HttpRequest:
        of_request = request.build_absolute_uri

        def build_absolute_uri(location: str | None = None) -> str:
            return (
                of_request() if location is None else urljoin(f"{settings.SITE_URL}{request.path}", location)
            )

        request.build_absolute_uri = build_absolute_uri
        return request

    if iscoroutinefunction(get_response):

        async def async_middleware(request: Any) -> Any:
            return await get_response(settle(request))

        return async_middleware

    def middleware(request: Any) -> Any:
        return get_response(settle(request))

    return middleware


@sync_and_async_middleware
def security_headers(get_response: Callable[..., Any]) -> Callable[..., Any]:
    """Set the content security policy and its kin on every response that has not set its own."""

    def add(response: HttpResponse) -> HttpResponse:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    if iscoroutinefunction(get_response):

        async def async_middleware(request: Any) -> Any:
            return add(await get_response(request))

        return async_middleware

    def middleware(request: Any) -> Any:
        return add(get_response(request))

    return middleware
