"""What the shapes of all resources share. A shape is the type of a JSON object, and its part of OpenAPI."""

from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db.models import TextChoices
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

Item = TypeVar("Item")


class Shape(BaseModel):
    """An object with these fields and no others: a request with another one is refused.

    It is no Schema of ninja: that one checks an object that forbids other fields twice, so what is nested
    three deep eight times.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    @classmethod
    def from_row(cls, row: object, **others: Any) -> dict[str, Any]:
        """The values of the fields: those of `others`; for the rest, attributes of the row by that name."""
        return {name: others[name] if name in others else getattr(row, name) for name in cls.model_fields}


class Page(Shape, Generic[Item]):
    """A part of a list."""

    items: list[Item]
    next: str | None = Field(description="The `cursor` of the next page; null on the last page.")


class FieldErrorShape(Shape):
    pointer: str | None = Field(None, description="A JSON pointer into the body.")
    parameter: str | None = Field(None, description="The name of a parameter, a form field, or a header.")
    detail: str


class ProblemShape(Shape):
    """RFC 9457, with a code for programs and a hint for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    hint: str | None = None
    errors: list[FieldErrorShape] | None = None


class Why(Shape):
    """Why it is done, where the page asks for it. Others read it."""

    reason: str = Field("", max_length=500)


def choice_of(choices: type[TextChoices]) -> WithJsonSchema:
    """How OpenAPI describes a choice where other choices have the same name, as many states do: in place.

    Of two schemas of one name the document would have one.
    """
    return WithJsonSchema({"enum": choices.values, "type": "string"})


BINARY = ("application/octet-stream", "application/vnd.apache.parquet", "application/zip")


def file_of_type(content_type: str, schema: str = "", **more: str) -> dict[str, Any]:
    """What OpenAPI says of an operation whose response is a file.

    schema: the name of its schema in the document. more: other statuses, each described.
    """
    described = {"type": "object" if content_type == "application/json" else "string"}
    if schema:
        described = {"$ref": f"#/components/schemas/{schema}"}
    elif content_type in BINARY:
        described["format"] = "binary"
    content = {content_type: {"schema": described}}
    responses: dict[Any, Any] = {200: {"description": "The file.", "content": content}}
    for status, description in more.items():
        responses[int(status.removeprefix("status_"))] = {"description": description}
    return {"responses": responses}


def link(path: str) -> str:
    """The address of a page of the site, in full."""
    return f"{settings.SITE_URL}{path}"
