"""All operations, and the OpenAPI document that is made from them."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

import agon
from agon.site.api import (
    about,
    announcements,
    bots,
    challenges,
    comparisons,
    competitions,
    courses,
    data,
    device,
    door,
    drafts,
    events,
    field_messages,
    file_schemas,
    fleet,
    following,
    games,
    home,
    matches,
    me,
    milestones,
    notices,
    organizing,
    parameters,
    problems,
    refused,
    rungs,
    seasons,
    submissions,
    tournaments,
    trials,
    webhooks,
)
from agon.site.api.problems import FieldError, Problem
from agon.site.api.shapes import ProblemShape

PREFIX = "api/v1/"
DESCRIPTION = """What pages of this site show and do, for programs. Errors are problem documents (RFC 9457).
Send an access token, made on the page of your account, as `Authorization: Bearer agon_…`."""
IDEMPOTENCY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "A request that is sent again with the same key is carried out once, for 24 hours.",
}


class Api(NinjaAPI):
    """With what every operation has: problems, the idempotency key, 304."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Names for generated clients: matches_record. They do not say where our code is."""
        return f"{operation.view_func.__module__.rpartition('.')[2]}_{operation.view_func.__name__}"

    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        openapi_schema = super().get_openapi_schema(**kwargs)
        openapi_schema["components"]["schemas"]["Problem"] = ProblemShape.model_json_schema(
            ref_template="#/components/schemas/{model}"
        )
        openapi_schema["components"]["schemas"] |= openapi_schema["components"]["schemas"]["Problem"].pop(
            "$defs"
        )
        openapi_schema["components"]["schemas"] |= file_schemas.components()
        content = {problems.CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for operations in openapi_schema["paths"].values():
            for method, operation in operations.items():
                if 400 in operation["responses"]:  # of OAuth; a form may be none at all
                    operation["responses"][400]["content"] |= content
                operation["responses"]["default"] = {"description": "A problem.", "content": content}
                if method == "get":
                    operation["responses"][304] = {"description": "Unchanged."}
                if method == "post":
                    operation["parameters"] = [*operation["parameters"], IDEMPOTENCY]
        return openapi_schema


api = Api(
    title="Agon",
    version=agon.__version__,
    description=DESCRIPTION,
    docs_url=None,
    openapi_url="openapi.json",
    urls_namespace="api",
    parser=parameters.JsonParser(),
)
api.add_decorator(parameters.known_only, mode="view")
api.add_router("/competitions", competitions.router)
api.add_router("/competitions", data.router)
api.add_router("/games", games.router)
api.add_router("", bots.router)
api.add_router("", rungs.router)
api.add_router("", submissions.router)
api.add_router("", trials.router)
api.add_router("/matches", matches.router)
api.add_router("/tournaments", tournaments.router)
api.add_router("", organizing.router)
api.add_router("", drafts.router)
api.add_router("", announcements.router)
api.add_router("", courses.router)
api.add_router("", milestones.router)
api.add_router("", seasons.router)
api.add_router("/comparisons", comparisons.router)
api.add_router("", challenges.router)
api.add_router("", home.router)
api.add_router("/me", me.router)
api.add_router("", notices.router)
api.add_router("", following.router)
api.add_router("", events.router)
api.add_router("", webhooks.router)
api.add_router("", fleet.router)
api.add_router("", device.router)
api.add_router("", about.router)


def _answer(code: str) -> Callable[[HttpRequest, Any], HttpResponse]:
    return lambda request, error: problems.response(Problem(code))


@api.exception_handler(Problem)
def _problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    return problems.response(problem)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, invalid: ValidationError) -> HttpResponse:
    return problems.response(Problem("invalid", errors=[_field_error(error) for error in invalid.errors]))


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """ninja's own: a body that cannot be parsed."""
    return problems.response(Problem("bad_json"))


def _refused(problem_of: Callable[[Any], Problem]) -> Callable[[HttpRequest, Any], HttpResponse]:
    return lambda request, error: problems.response(problem_of(error))


for _exception, _problem_of in refused.PROBLEMS.items():
    api.add_exception_handler(_exception, _refused(_problem_of))
api.add_exception_handler(Http404, _answer("not_found"))
# An empty form, which was read as one, where JSON was expected.
api.add_exception_handler(RawPostDataException, _answer("bad_json"))


def _field_error(error: dict[str, Any]) -> FieldError:
    source, *names = error["loc"]
    if source == "body":
        return FieldError("".join(f"/{name}" for name in names[1:]), field_messages.sentence(error))
    return FieldError(".".join(map(str, names[-1:])), field_messages.sentence(error))


def _unknown(request: HttpRequest, rest: str) -> HttpResponse:
    raise Problem("not_found", _("There is no such address."), "GET /api/v1/openapi.json")


def _patterns() -> list[URLPattern]:
    urlpatterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)]
    for pattern in urlpatterns:
        pattern.callback = door.enter(pattern.callback)
    return [*urlpatterns, path("<path:rest>", door.enter(_unknown))]


urlpatterns = _patterns()
app_name = "api"
