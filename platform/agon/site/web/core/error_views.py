"""Error pages, and the theme switch."""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import defaults
from django.views.decorators.http import require_POST

from agon.site.core.db.unavailable import is_unavailable
from agon.site.core.disk_space import is_full
from agon.site.web.core.refusals import LOGGED

RETRY_SECONDS = "10"  # until a database that is restarted may be back
log = logging.getLogger(__name__)
THEME_SECONDS = 365 * 24 * 3600
_P = ParamSpec("_P")


def in_pool(
    page: Callable[Concatenate[HttpRequest, _P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """Close the database connection of the thread in which an error page was made.

    Django makes such a page in a thread of a pool, not in that of the request, and nothing else closes the
    connection there: it would take one of PostgreSQL's, and break later pages once the server has restarted.
    """

    @wraps(page)
    def closing(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponse:
        try:
            return page(request, *args, **kwargs)
        finally:
            if isinstance(request, ASGIRequest):  # else this is the thread of the request
                connections.close_all()

    return closing


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store light, dark, or the system's choice in a cookie, and return to the page."""
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = "/"
    response = HttpResponseRedirect(target)
    theme = request.POST.get("theme")
    if theme in ("light", "dark"):
        response.set_cookie(
            "theme", theme, THEME_SECONDS, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@in_pool
def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 if the database does not answer, or the disk is full: then it cannot write, either."""
    error = sys.exc_info()[1]
    if is_unavailable(error):
        log.error("the database does not answer: %s", error)
        headers = {"Retry-After": RETRY_SECONDS, "Cache-Control": "no-store"}
        response = HttpResponse(render_to_string("503_database.html"), status=503, headers=headers)
        setattr(response, LOGGED, True)  # a traceback of each request would say nothing more
        return response
    if is_full(error):
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "60"})
    return HttpResponse(render_to_string("500.html"), status=500)


@in_pool
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 if the request was too large."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", status=413)
    return render(request, "400.html", status=400)


forbidden = in_pool(defaults.permission_denied)
