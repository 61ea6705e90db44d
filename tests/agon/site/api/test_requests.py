"""What every request gets: limits, pages, problems, entity tags; and sending it twice."""

import asyncio
import json

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.api import idempotency, limits
from agon.site.api.models import Answer
from agon.site.asgi import application
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.use_cases import closing_accounts

from .conftest import PROGRAM, Program

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def test_every_answer_says_what_is_left(anyone, ada):
    first = anyone.get("competitions").headers
    second = anyone.get("competitions").headers

    assert first["RateLimit-Policy"] == '"anonymous";q=600;w=60'
    assert first["RateLimit"].startswith('"anonymous";r=599;')
    assert second["RateLimit"].startswith('"anonymous";r=598;')
    assert ada.get("me").headers["RateLimit"].startswith('"read";r=1199;')


def test_too_many_requests_are_told_when_to_come_back(anyone, monkeypatch):
    monkeypatch.setattr(limits, "ANONYMOUS", limits.Policy("anonymous", 2, 60))
    assert [anyone.get("competitions").status_code for _ in range(2)] == [200, 200]
    response = anyone.get("competitions")

    assert response.status_code == 429
    assert response.json()["code"] == "too_many_requests"
    assert 0 < int(response.headers["Retry-After"]) <= 30


def test_tokens_cannot_be_tried_without_end(monkeypatch):
    monkeypatch.setattr(limits, "ANONYMOUS", limits.Policy("anonymous", 2, 60))
    headers = [{"authorization": f"Bearer agon_{number:040}"} for number in range(3)]
    statuses = [Client().get("/api/v1/competitions", headers=header).status_code for header in headers]

    assert statuses == [401, 401, 429]


def test_the_limits_of_an_account_do_not_depend_on_its_address(user, monkeypatch):
    monkeypatch.setattr(limits, "READS", limits.Policy("read", 2, 60))
    program = Program(user)
    answers = [
        program.client.get("/api/v1/me", headers=program.headers, REMOTE_ADDR=f"192.0.2.{number}")
        for number in range(3)
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 429]


def test_the_quota_has_the_numbers_of_the_headers(ada):
    quota = {limit["name"]: limit for limit in ada.get("me/quota").json()}

    assert quota["read requests"]["used"] in (0, 1)  # after three seconds it is given back
    assert quota["read requests"]["most"] == 1200


def test_a_list_is_read_page_by_page_without_gaps_or_doubles(anyone):
    for number in range(5):
        Competition.objects.create(slug=f"c-{number}", game="samurai", title=f"C {number}")
    seen, cursor = [], ""
    while True:
        page = anyone.get(f"competitions?limit=2{cursor}").json()
        seen += [item["slug"] for item in page["items"]]
        Competition.objects.create(slug=f"new-{len(seen)}", game="samurai", title="N")
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"

    assert seen == ["c-4", "c-3", "c-2", "c-1", "c-0"]


@pytest.mark.parametrize(
    "cursor", ["x", "WyJtYXRjaGVzIiwxXQ", "W10", "bnVsbA", "WyJjb21wZXRpdGlvbnMiLHRydWVd"]
)
def test_a_cursor_of_another_list_is_refused(anyone, cursor):
    response = anyone.get(f"competitions?cursor={cursor}")

    assert response.status_code == 422
    assert response.json()["code"] == "bad_cursor"


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "9" * 30])
def test_a_limit_that_is_none_names_the_parameter(anyone, limit):
    response = anyone.get(f"competitions?limit={limit}")

    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "limit"


def test_an_unknown_parameter_is_refused(anyone):
    response = anyone.get("competitions?limt=3")

    assert response.status_code == 422
    assert response.json()["errors"] == [{"parameter": "limt", "detail": "There is no such parameter."}]


def test_what_is_unchanged_is_not_sent_again(anyone, competition):
    first = anyone.get("competitions")
    again = anyone.get("competitions", **{"if-none-match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    competition.title = "Other"
    competition.save()
    assert anyone.get("competitions", **{"if-none-match": first.headers["ETag"]}).status_code == 200


def test_pages_of_other_sites_may_read_what_is_public(anyone, ada):
    assert anyone.get("competitions").headers["Access-Control-Allow-Origin"] == "*"
    preflight = anyone.client.options("/api/v1/competitions")
    assert preflight.status_code == 204
    assert "POST" not in preflight.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Origin" not in ada.get("me").headers


def test_unknown_names_get_near_ones(anyone, competition):
    data = anyone.get("competitions/samurais").json()

    assert data["code"] == "not_found"
    assert "samurai" in data["hint"]


def test_an_address_that_is_none_is_a_problem_too(anyone):
    response = anyone.get("competition")

    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


def test_a_method_that_is_not_supported_is_a_problem(anyone):
    response = anyone.post("competitions")

    assert response.status_code == 405
    assert response.json()["code"] == "method_not_allowed"
    assert response.headers["Allow"] == "GET"


def test_head_gives_the_headers_of_get(anyone, competition):
    got = anyone.get("competitions")
    head = anyone.client.head("/api/v1/competitions")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == got.headers["ETag"]


BAD_BODIES = ["{", "[]", "3", '{"name": 3}', '{"name": "x", "more": 1}', "", b"\xff", "[" * 100_000]
BAD_BODIES += [r'{"name": "a\u0000b"}', r'{"name": "a\ud800b"}']


@pytest.mark.first(3)
@pytest.mark.parametrize("body", BAD_BODIES)
def test_a_bad_body_is_a_problem(ada, competition, body):
    number = ada.submit().json()["bot"]
    response = ada.client.patch(
        f"/api/v1/bots/{number}", body, content_type="application/json", headers=ada.headers
    )

    assert response.status_code in (400, 422)
    assert response.json()["code"] in ("bad_json", "bad_text", "invalid")


@pytest.mark.parametrize("form", [{}, {"reason": "it is over"}])
def test_a_form_for_an_operation_that_takes_json_is_a_problem(ada, competition, form):
    answer = ada.client.post("/api/v1/tournaments/1/cancel", form, headers=ada.headers)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.status_code in (400, 404, 422)


@pytest.mark.parametrize("path", ["competitions/a%00b", "competitions/%ED%A0%80", "matches?competition=%00"])
def test_text_that_is_none_is_a_problem(anyone, path):
    response = anyone.get(path)

    assert response.status_code in (400, 404)
    assert response.headers["Content-Type"] == "application/problem+json"


def test_problems_are_in_the_language_of_the_reader(anyone):
    response = anyone.get("me", **{"accept-language": "ja"})

    assert response.json()["title"] != anyone.get("me").json()["title"]


def test_a_request_with_a_key_is_carried_out_once(ada, competition):
    program = b"print('READY')\n"
    first = ada.submit(program, headers={"idempotency-key": "k"})
    Submission.objects.filter(pk=first.json()["id"]).update(state="rejected")  # else it is the same anyway
    again = ada.submit(program, headers={"idempotency-key": "k"})

    assert Submission.objects.count() == 1
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert ada.submit(program, headers={"idempotency-key": "l"}).json()["version"] == 2


def test_a_key_is_good_for_one_request(ada, competition):
    ada.submit(headers={"idempotency-key": "k"})
    response = ada.submit(PROGRAM + b"#", headers={"idempotency-key": "k"})

    assert response.status_code == 422
    assert response.json()["code"] == "key_reused"


def test_keys_belong_to_accounts(ada, competition, django_user_model):
    bob = Program(django_user_model.objects.create_user("bob"))
    ada.submit(headers={"idempotency-key": "k"})

    assert bob.submit(bot="Bob", headers={"idempotency-key": "k"}).status_code == 201


def test_a_token_that_may_do_less_does_not_get_the_answer(user, competition, ada):
    """Its holder, who may have found both, learns nothing of what the account did."""
    key = {"idempotency-key": "k"}
    assert ada.submit(headers=key).status_code == 201
    assert Program(user, ("read",)).submit(headers=key).json()["code"] == "key_reused"
    assert Program(user).submit(headers=key).headers["Idempotency-Replayed"] == "true"


def test_a_better_token_may_use_the_key_of_a_refused_request(user, competition, ada):
    key = {"idempotency-key": "k"}
    assert Program(user, ("read",)).submit(headers=key).status_code == 403
    assert ada.submit(headers=key).status_code == 201


def test_a_refusal_is_repeated_and_leaves_nothing(ada, competition):
    first = ada.submit(bot="", headers={"idempotency-key": "k"})
    again = ada.submit(bot="", headers={"idempotency-key": "k"})

    assert first.status_code == 422
    assert again.content == first.content


def test_a_limit_that_was_reached_is_not_remembered(ada, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 0
    settings.AGON_PENDING_PER_USER = 0
    assert ada.submit(headers={"idempotency-key": "k"}).status_code == 429
    settings.AGON_SUBMISSIONS_PER_HOUR = 9
    settings.AGON_PENDING_PER_USER = 9

    assert ada.submit(headers={"idempotency-key": "k"}).status_code == 201


def test_a_key_is_forgotten_after_a_day(ada, competition):
    ada.submit(headers={"idempotency-key": "k"})
    Answer.objects.update(created=timezone.now() - idempotency.KEPT)

    assert ada.submit(PROGRAM + b"#", headers={"idempotency-key": "k"}).status_code == 201


def test_what_is_not_kept_is_removed_with_any_request(ada, competition, django_user_model):
    ada.submit(headers={"idempotency-key": "k"})
    Answer.objects.update(created=timezone.now() - idempotency.KEPT)
    Program(django_user_model.objects.create_user("bob")).submit(bot="Bob", headers={"idempotency-key": "l"})

    assert [answer.key for answer in Answer.objects.all()] == ["l"]


def test_nothing_of_a_closed_account_is_kept_to_be_sent_again(ada, user, competition):
    """An answer has the account's name in it, and can have a secret."""
    submitted = ada.submit(headers={"idempotency-key": "k"})
    assert submitted.json()["uploaded_by"] == user.username
    closing_accounts.close(user, user, "")
    assert not Answer.objects.exists()


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb"])
def test_a_key_that_is_none_is_refused(ada, competition, key):
    assert ada.submit(headers={"idempotency-key": key}).status_code == 422


def test_openapi_describes_every_operation(anyone):
    data = json.loads(anyone.get("openapi.json").content)

    assert data["openapi"].startswith("3.1")
    assert "post" in data["paths"]["/api/v1/competitions/{slug}/submissions"]


def test_a_form_of_another_encoding_is_a_problem(ada, competition):
    form = "application/x-www-form-urlencoded; charset=utf-16"
    address = "/api/v1/competitions/samurai/submissions"
    response = ada.client.generic("POST", address, b"bot=Rita", form, headers=ada.headers)
    assert (response.status_code, response.json()["code"]) == (400, "bad_form")


def test_a_form_that_is_broken_is_a_problem(ada, competition):
    response = Client().post(
        "/api/v1/competitions/samurai/submissions",
        b"--x\r\nnonsense",
        content_type="multipart/form-data; boundary=x",
        headers=ada.headers,
    )

    assert response.status_code in (400, 422)
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("size", "status", "code"), [(100 << 20, 413, "too_large"), (1 << 20, 413, "too_large")]
)
def test_a_body_that_is_refused_unread_is_a_problem(size, status, code):
    """Nobody is signed in: a body of 1 MiB is too large, too."""
    sent: list[dict] = []

    async def exchange() -> None:
        headers = [(b"host", b"localhost"), (b"content-length", str(size).encode())]
        path = "/api/v1/competitions/samurai/submissions"
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": headers,
            "client": ("192.0.2.1", 1),
        }

        async def receive() -> dict:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict) -> None:
            sent.append(message)

        await application(scope, receive, send)

    asyncio.run(exchange())
    start, body = sent
    assert start["status"] == status
    assert (b"content-type", b"application/problem+json") in start["headers"]
    assert json.loads(body["body"])["code"] == code
