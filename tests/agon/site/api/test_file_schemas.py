"""The schemas of files in the OpenAPI document describe the files that the site serves, and no others."""

import copy
import io
import json
import zipfile
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.api import file_schemas
from agon.site.api.urls import api
from agon.site.competitions.models import Competition
from tests.support.one_of_each import one_of_each

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    by_name: dict[str, Any] = api.get_openapi_schema()["components"]["schemas"]
    return by_name


def errors(schemas: dict[str, Any], name: str, document: Any) -> list[str]:
    """What is wrong with a document."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
    return [error.message for error in jsonschema_rs.validator_for(schema).iter_errors(document)]


@pytest.fixture(scope="module")
def sent() -> dict[str, bytes]:
    """What the API sent of the archive, for all tests of this file."""
    return {}


@pytest.fixture
def archive(sent, request) -> zipfile.ZipFile:
    """The archive of a tournament, as the API sends it: made for the first test that asks."""
    if not sent:
        sent["archive"] = _archive(*map(request.getfixturevalue, ("user", "competition")))
    return zipfile.ZipFile(io.BytesIO(sent["archive"]))


def _archive(user: User, competition: Competition) -> bytes:
    cup = one_of_each(user, competition)["cups"][0]
    response = Client().get(f"/api/v1/tournaments/{cup.pk}/archive")
    return b"".join(response.streaming_content) if response.streaming else response.content


def read(archive: zipfile.ZipFile, end: str) -> Any:
    """The first file whose path ends so."""
    return json.loads(archive.read(next(name for name in archive.namelist() if name.endswith(end))))


def test_the_files_of_an_archive_fit_their_schemas(archive, schemas):
    files = {
        file_schemas.MANIFEST: read(archive, "manifest.json"),
        file_schemas.RECORD: read(archive, "/record.json"),
        file_schemas.TIMES: read(archive, "/times.json"),
    }

    for name, document in files.items():
        assert errors(schemas, name, document) == []
        assert set(document) <= set(schemas[name]["properties"])


@pytest.mark.parametrize(
    ("name", "end", "change"),
    [
        (file_schemas.RECORD, "/record.json", {"seed": "x", "scores": [1]}),
        (file_schemas.RECORD, "/record.json", {"more": 1}),
        (file_schemas.RECORD, "/record.json", {"format": 2}),
        (file_schemas.MANIFEST, "manifest.json", {"files": {"a": {"sha256": "x"}}}),
        (file_schemas.MANIFEST, "manifest.json", {"end": "never"}),
        (file_schemas.TIMES, "/times.json", {"seats": [{"cpu_us": []}]}),
    ],
)
def test_another_document_does_not(archive, schemas, name, end, change):
    document = copy.deepcopy(read(archive, end)) | change

    assert errors(schemas, name, document)


def test_every_field_that_must_be_there_is_missed(archive, schemas):
    document = read(archive, "/record.json")
    for name in document:
        assert errors(schemas, file_schemas.RECORD, {key: document[key] for key in document if key != name})


def test_a_schema_of_a_file_replaces_none_of_an_operation():
    shapes = super(type(api), api).get_openapi_schema()["components"]["schemas"]

    assert not set(shapes) & set(file_schemas.components())
