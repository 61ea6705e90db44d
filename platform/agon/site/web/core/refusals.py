"""A line in the log for each request that is refused: what was asked, by whom, and the status.

It names the route, not the address, which may have a secret in it, and nothing of what was sent. It stands in
place of Django's own line, which has the address. Pages that do not exist and failures are logged by Django.
"""

import logging
from typing import Any

from django.http import HttpRequest

from agon.site.core.addresses import address_of
from agon.site.web.core.middleware import middleware

REFUSED = {400, 401, 403, 408, 409, 410, 413, 422, 429, 503}
LOGGED = "_has_been_logged"  # Django logs no response that has this

log = logging.getLogger(__name__)


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


logged_refusals = middleware(after=_note)
