"""What is wrong with one field is said in our words, and in the reader's language."""

import pytest

from .conftest import Program

pytestmark = pytest.mark.django_db

REQUIRED = "This field is required."
WHOLE = "Expected a whole number."
CASES = [
    ("POST comparisons", {"new": 1}, "/old", REQUIRED),
    ("POST comparisons", {"new": "x", "old": 1}, "/new", WHOLE),
    ("POST comparisons", {"new": 1.5, "old": 1}, "/new", WHOLE),
    ("POST comparisons", {"new": None, "old": 1}, "/new", WHOLE),
    ("POST comparisons", {"new": 1, "old": 1, "more": 1}, "/more", "There is no such field."),
    ("POST comparisons", [], "", "Expected an object."),
    ("POST competitions/samurai/trials", {"text": 1, "language": "python"}, "/text", "Expected a text."),
    ("POST workers/park", {"worker": "w", "reason": ""}, "/reason", "Expected length: at least 1."),
    ("POST workers/park", {"worker": "w", "reason": "x" * 501}, "/reason", "Expected length: at most 500."),
    ("GET competitions?limit=0", None, "limit", "Expected 1 or more."),
    ("GET competitions?limit=201", None, "limit", "Expected 200 or less."),
    ("GET competitions?limit=x", None, "limit", WHOLE),
    (
        "GET matches?state=played",
        None,
        "state",
        "Expected one of queued, held, running, finished, void, withdrawn.",
    ),
]


@pytest.mark.parametrize(("request_line", "body", "place", "detail"), CASES)
def test_a_field_that_is_wrong_is_named_with_what_was_expected(
    ada: Program, competition, request_line, body, place, detail
):
    method, path = request_line.split()
    response = ada.get(path) if method == "GET" else ada.post(path, body)

    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert error.get("pointer", error.get("parameter")) == place
    assert error["detail"] == detail


def test_it_is_said_in_the_readers_language(ada):
    response = ada.post("comparisons", {"new": 1}, **{"accept-language": "ru"})

    assert response.json()["errors"] == [{"pointer": "/old", "detail": "Обязательное поле."}]
