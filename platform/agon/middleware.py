"""Headers that every page carries."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpResponse
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
