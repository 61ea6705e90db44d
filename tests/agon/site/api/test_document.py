"""The OpenAPI document: each schema in it is the one that its operations use."""

from typing import Any

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
