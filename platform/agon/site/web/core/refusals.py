"""A line in the log for each request that is refused: what was asked, by whom, and the status.

It names the route, not the address, which may have a secret in it, and nothing of what was sent. It stands in
place of Django's own line, which has the address. Pages that do not exist and failures are logged by Django.
"""

import logging
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware

from agon.site.core.addresses import address_of

REFUSED = {400, 401, 403, 408, 409, 410, 413, 422, 429, 503}
LOGGED = "_has_been_logged"  # Django logs no response that has this

log = logging.getLogger(__name__)


@sync_and_async_middleware
def logged_refusals(get_response: Callable[..., Any]) -> Callable[..., Any]:
    """A Django middleware."""
    if iscoroutinefunction(get_response):

        async def async_middleware(request: Any) -> Any:
            response = await get_response(request)
            _note(request, response)
            return response

        return async_middleware

    def sync_middleware(request: Any) -> Any:
        response = get_response(request)
        _note(request, response)
        return response

    return sync_middleware


def _note(request: HttpRequest, response: Any) -> None:
    if response.status_code not in REFUSED or getattr(response, LOGGED, False):
        return
    setattr(response, LOGGED, True)
    match = request.resolver_match
    route = match.route if match else "no route"
    why = getattr(response, "problem", "")
    log.info(
        "refused %s %s: %s %s%s",
        request.method,
        route,
        response.status_code,
        response.reason_phrase,
        f" ({why})" if why else "",
        extra={"route": route, "status": response.status_code, "address": address_of(request)},
    )
