"""What every request to the API passes on its way to an operation, and what every response gets.

Identify the account, count the request, carry it out (once for each idempotency key), and describe whatever
fails as a problem. Responses that are public can be read by pages of other sites, and be kept: they have an
ETag.
"""

import functools
import hashlib
import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from agon.site.api import idempotency, limits, problems
from agon.site.api.access import identify
from agon.site.api.problems import Problem
from agon.site.core.db.unavailable import is_unavailable
from agon.site.core.disk_space import is_full
from games.core.manifest import BadManifest, UnknownGame

View = Callable[..., HttpResponse]
Whole = Callable[..., HttpResponseBase]
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, RateLimit, RateLimit-Policy, Retry-After",
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "Accept, Accept-Language, If-None-Match, Range",
    "Access-Control-Max-Age": "86400",
}

log = logging.getLogger(__name__)


def enter(view: View) -> Whole:
    """The view with all of that around it."""

    @csrf_exempt  # nothing here goes by cookies
    @functools.wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "OPTIONS":
            return HttpResponse(status=204, headers=CORS | PREFLIGHT)
        headers: dict[str, str] = {}
        try:
            response = _carry_out(request, functools.partial(view, request, *args, **kwargs), headers)
        except Problem as problem:
            response = problems.response(problem)
        except Exception as error:
            response = problems.response(_internal_error(error))
        return _finish(request, response, headers)

    return inner


def _carry_out(
    request: HttpRequest, view: Callable[[], HttpResponse], headers: dict[str, str]
) -> HttpResponseBase:
    try:
        identify(request)
    except Problem:  # a bad token: attempts are counted by address
        limits.take(request)
        raise
    headers.update(limits.take(request).headers)
    response = idempotency.once(request, view) if request.method == "POST" else _as_get(request, view)
    if response.status_code != 405:
        return response
    problem = problems.response(Problem("method_not_allowed"))
    problem["Allow"] = response["Allow"]
    return problem


def _as_get(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """The response to HEAD is that to GET; the server leaves out its body."""
    method = request.method
    if method == "HEAD":
        request.method = "GET"
    try:
        return view()
    finally:
        request.method = method


def _internal_error(error: Exception) -> Problem:
    if isinstance(error, RequestDataTooBig):
        return Problem("too_large")
    if isinstance(error, BadRequest | TooManyFieldsSent | TooManyFilesSent | MultiPartParserError):
        return Problem("bad_form")
    if is_unavailable(error):
        return Problem("unavailable", _("The site's database does not answer."), retry_after=10)
    if is_full(error):
        return Problem("unavailable", _("The site's disk is full."), retry_after=60)
    if isinstance(error, UnknownGame | BadManifest):  # pages say so, too
        log.error("%s", error)
        return Problem("unavailable", str(error))
    log.error("the API failed", exc_info=error)
    return Problem("internal_error")


def _finish(request: Any, response: HttpResponseBase, headers: dict[str, str]) -> HttpResponseBase:
    for name, value in headers.items():
        response[name] = value
    is_public = getattr(request, "token", None) is None
    if request.method in limits.SAFE and is_public:
        for name, value in CORS.items():
            response[name] = value
    if "Cache-Control" not in response:
        response["Cache-Control"] = "no-cache" if is_public else "private, no-store"
    if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.streaming:
        return _unless_known(request, response)  # type: ignore[arg-type]
    return response


def _unless_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response with an ETag; 304 if the reader has it already."""
    if "ETag" not in response:
        response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("If-None-Match", "").split(",")]
    if response["ETag"] not in known and "*" not in known:
        return response
    unchanged = HttpResponse(status=304)
    for name in ("ETag", "Cache-Control", *CORS, "RateLimit", "RateLimit-Policy"):
        if name in response:
            unchanged[name] = response[name]
    del unchanged["Content-Type"]
    return unchanged
