"""The OpenAPI document: each schema in it is the one that its operations use."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from ninja.openapi.schema import OpenAPISchema

from agon.site.api import file_schemas
from agon.site.api.urls import api


def test_no_two_schemas_have_one_name(monkeypatch):
    """Of two, ninja keeps the last one without a word."""
    seen: dict[str, list[Any]] = {name: [schema] for name, schema in file_schemas.components().items()}

    def add(document: OpenAPISchema, definitions: dict[str, Any]) -> None:
        document.schemas.update(definitions)
        for name, schema in definitions.items():
            if schema not in seen.setdefault(name, []):
                seen[name].append(schema)

    monkeypatch.setattr(OpenAPISchema, "add_schema_definitions", add)
    api.get_openapi_schema()
    assert len(seen) > 100
    assert {name: schemas for name, schemas in seen.items() if len(schemas) > 1} == {}


def parts(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, dict):
        yield document
    inner = (
        document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    )
    for value in inner:
        yield from parts(value)


def test_a_default_is_a_value_that_the_field_may_have():
    schemas = {"components": api.get_openapi_schema()["components"]}
    named = {
        name: schema for schema in parts(schemas) for name, schema in schema.get("properties", {}).items()
    }
    wrong = [
        (name, schema)
        for name, schema in named.items()
        if "default" in schema and not jsonschema_rs.is_valid(schema | schemas, schema["default"])
    ]
    assert len(named) > 100
    assert wrong == []


def test_operations_are_named_after_what_they_do():
    """Programs made from the document have these names; they may not change with the place of our code."""
    names = {
        operation["operationId"]
        for operations in api.get_openapi_schema()["paths"].values()
        for operation in operations.values()
    }
    assert {"matches_record", "tournaments_standings", "submissions_submit", "tournaments_archive"} <= names
    assert not [name for name in names if "agon" in name or "site_" in name]


@pytest.mark.django_db
@pytest.mark.parametrize("filtered", ["matches", "tournaments"])
def test_what_a_list_can_be_filtered_by_is_what_the_document_says(filtered):
    path = f"/api/v1/{filtered}"
    parameters = api.get_openapi_schema()["paths"][path]["get"]["parameters"]
    choices = {
        parameter["name"]: option["enum"]
        for parameter in parameters
        for option in parameter["schema"].get("anyOf", [])
        if "enum" in option
    }
    assert "running" in choices["state"]
    for name, values in choices.items():
        for value in values:
            assert Client().get(path, {name: value}).status_code == 200
