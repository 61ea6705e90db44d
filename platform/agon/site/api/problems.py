"""Errors as problem documents (RFC 9457): a code for programs, a sentence and a next step for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from agon.site.web.core.body_limit import as_text

CONTENT_TYPE = "application/problem+json"


class Kind(NamedTuple):
    """A kind of problem. title: translated when it is sent."""

    status: int
    title: str


KINDS: dict[str, Kind] = {
    "bad_json": Kind(400, gettext_noop("The body is not valid JSON.")),
    "bad_form": Kind(400, gettext_noop("The body is not a valid form.")),
    "bad_text": Kind(400, gettext_noop("A text has a null character, or half of a surrogate pair.")),
    "token_needed": Kind(401, gettext_noop("This needs an access token.")),
    "token_unknown": Kind(401, gettext_noop("The access token is unknown or was revoked.")),
    "token_expired": Kind(401, gettext_noop("The access token has expired.")),
    "scope_missing": Kind(403, gettext_noop("The access token lacks a scope.")),
    "other_competition": Kind(403, gettext_noop("The access token is for another competition.")),
    "not_allowed": Kind(403, gettext_noop("Your account may not do this.")),
    "not_found": Kind(404, gettext_noop("There is no such thing, or you may not see it.")),
    "method_not_allowed": Kind(405, gettext_noop("This address does not support the method.")),
    "closed": Kind(409, gettext_noop("The competition is closed.")),
    "conflict": Kind(409, gettext_noop("The current state does not allow this.")),
    "begun_again": Kind(409, gettext_noop("The match was begun again.")),
    "taken_over": Kind(409, gettext_noop("Another connection of this bot is newer.")),
    "key_in_use": Kind(409, gettext_noop("A request with this idempotency key is still being handled.")),
    "gone": Kind(410, gettext_noop("This is not kept any more.")),
    "too_large": Kind(413, gettext_noop("The request is too large.")),
    "invalid": Kind(422, gettext_noop("The request is invalid.")),
    "refused": Kind(422, gettext_noop("The request was refused.")),
    "bad_cursor": Kind(422, gettext_noop("The cursor does not belong to this list.")),
    "key_reused": Kind(422, gettext_noop("The idempotency key was used for another request.")),
    "too_many_requests": Kind(429, gettext_noop("Too many requests.")),
    "too_slow": Kind(408, gettext_noop("The request took too long to arrive.")),
    "bad_request": Kind(400, gettext_noop("The request is malformed.")),
    "quota": Kind(429, gettext_noop("A limit of your account is reached.")),
    "internal_error": Kind(500, gettext_noop("The site failed.")),
    "unavailable": Kind(503, gettext_noop("Not available at the moment.")),
}

# By status, for bodies that are refused unread.
OF_BODIES = {
    400: "bad_request",
    408: "too_slow",
    413: "too_large",
    429: "too_many_requests",
    503: "unavailable",
}


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field. place: a JSON pointer into the body, or the name of a parameter."""

    place: str
    detail: str


class Problem(Exception):
    """A request that cannot be done. code: a key of KINDS. detail, hint: in the reader's language."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        hint: str = "",
        errors: Sequence[FieldError] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.hint = hint
        self.errors = tuple(errors)
        self.retry_after = retry_after


def invalid(place: str, detail: str) -> Problem:
    """The problem that one field is wrong."""
    return Problem("invalid", errors=[FieldError(place, detail)])


def document(problem: Problem) -> dict[str, Any]:
    """The problem as JSON data."""
    kind = KINDS[problem.code]
    title = _(kind.title)
    result: dict[str, Any] = {
        "type": f"{settings.SITE_URL}/docs/reference/problems/#{problem.code}",
        "title": title,
        "status": kind.status,
        "code": problem.code,
        "detail": problem.detail or title,
    }
    if problem.hint:
        result["hint"] = problem.hint
    if problem.errors:
        result["errors"] = [_error(error) for error in problem.errors]
    return result


def response(problem: Problem) -> HttpResponse:
    """The response, with Retry-After and WWW-Authenticate where they belong."""
    status = KINDS[problem.code].status
    text = json.dumps(document(problem), ensure_ascii=False)
    http_response = HttpResponse(text, status=status, content_type=CONTENT_TYPE)
    http_response["Cache-Control"] = "no-store"
    http_response.problem = problem.code  # type: ignore[attr-defined]  # for the log
    if problem.retry_after is not None:
        http_response["Retry-After"] = str(problem.retry_after)
    if status == 401:
        http_response["WWW-Authenticate"] = 'Bearer realm="Agon"'
    return http_response


def of_refused_body(scope: Mapping[str, Any], status: int, line: str) -> tuple[str, str]:
    """Content type and text for a body that was refused before Django saw it: a problem for programs."""
    if not scope["path"].startswith("/api/"):
        return as_text(dict(scope), status, line)
    problem = Problem(OF_BODIES.get(status, "unavailable"), line)
    return CONTENT_TYPE, json.dumps(document(problem), ensure_ascii=False)


def _error(error: FieldError) -> dict[str, str]:
    key = "pointer" if error.place.startswith("/") or not error.place else "parameter"
    return {key: error.place, "detail": error.detail}
