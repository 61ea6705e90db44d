"""Every operation answers each role as the table in permissions.py says.

One that is new has no row, and fails.
"""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from agon.site.accounts.models import User
from agon.site.api import limits
from agon.site.api.urls import api
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.events.following import follow
from agon.site.fleet.models import OddWorker
from agon.site.tokens.models import Scope
from agon.site.tokens.services import issue
from agon.site.tournaments import running
from tests.support.factories import submit
from tests.support.one_of_each import ROLES, boundary, every_role, one_of_each

from .permissions import OF_REJECTED, QUERIES, TABLE

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def site(user, competition, monkeypatch) -> dict[str, Any]:
    monkeypatch.setattr(limits, "take", lambda request: limits.Allowance(limits.READS, 1, 1))
    objects = one_of_each(user, competition)
    OddWorker.objects.filter(pk=objects["odd"].pk).update(state="parked")
    return objects


def operations() -> list[str]:
    paths = api.get_openapi_schema()["paths"]
    return [
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in paths.items()
        for method in methods
    ]


def path_of(operation: str, site: dict[str, Any]) -> str:
    kind = operation.split("/")[1]
    number = {
        "bots": site["own"].bot_id,
        "submissions": site["rejected"].pk if operation in OF_REJECTED else site["own"].pk,
        "matches": site["cup match"].pk,
        "tournaments": site["cups"][TABLE[operation].cup == "draft"].pk,
        "comparisons": site["comparison"].pk,
        "challenges": site["challenge"].pk,
        "home-bots": site["home"].pk,
        "workers": site["odd"].pk,
        "webhooks": site["hook"].pk,
        "announcements": site["announcement"].pk,
        "seasons": site["season"].pk,
        "drafts": site["competition draft"].pk,
    }.get(kind, 1)
    names = {
        "slug": "samurai",
        "name": "rival",
        "token": site["trial"],
        "match": site["cup match"].pk,
        "event": site["delivery"].event.number,
    }
    path = operation.partition(" ")[2].format(id=number, seat=site["own seat"], **names)
    return path + QUERIES.get(operation, "")


def body_of(operation: str, site: dict[str, Any]) -> Any:
    body = TABLE[operation].body
    if operation == "POST /comparisons":
        return {"new": site["own"].pk, "old": site["comparison"].old_id}
    if body == "the bots":
        bots = [seat.submission.bot_id for seat in site["ladder"].seats.order_by("number")]
        return {"bots": bots, "matches": 4}
    if operation == "POST /tournaments":
        return body | {"bots": list(site["cups"][0].entrants.values_list("bot", flat=True))}
    if body and "tournaments" in body:
        return body | {"tournaments": [site["cups"][0].pk]}
    return body


def status(operation: str, role: str, headers: dict[str, str], site: dict[str, Any]) -> int:
    """The status of the answer; nothing of what it has done stays."""
    method, path, body = operation.split()[0].lower(), path_of(operation, site), body_of(operation, site)
    data, kind = body, "application/json"
    if body == "a program":
        file = SimpleUploadedFile("bot.py", b"print()")
        data, kind = {"bot": f"Bot of {role}", "file": file}, None
    if body == "a file":
        data, kind = {"file": SimpleUploadedFile("cup.zip", b"PK")}, None
    if operation in ("DELETE /bots/{id}", "DELETE /seasons/{id}"):
        path += "?reason=why"
    with transaction.atomic():
        send = getattr(Client(), method)
        more = {"content_type": kind} if kind and method != "get" else {}
        response = send(f"/api/v1{path}", data or ("" if more else None), headers=headers, **more)
        transaction.set_rollback(True)
    return response.status_code


@pytest.mark.parametrize("asked", [boundary, pytest.param(every_role, marks=pytest.mark.exhaustive)])
def test_every_operation_answers_each_role_as_the_table_says(site, asked):
    headers = {role: {} for role in ROLES}
    for role, person in site["people"].items():
        headers[role] = {"authorization": f"Bearer {issue(person, 'test', Scope.values)[1]}"}
    assert set(operations()) == set(TABLE)
    wrong = []
    for operation, row in TABLE.items():
        by_role = dict(zip(ROLES, row.statuses.split(), strict=True))
        expected = {role: by_role[role] for role in asked(by_role)}
        got = {role: str(status(operation, role, headers[role], site)) for role in expected}
        if got != expected:
            wrong.append(f"{operation}: {' '.join(got.values())}")
    assert wrong == [], "\n".join(["", *wrong])


# About no competition: an account's name, limits and choices, and how long what waits has waited.
ABOUT_NONE = ("GET /me", "GET /me/quota", "GET /me/notices", "GET /status")
ABOUT_ALL = ("GET /courses", "GET /drafts", "GET /workers", "GET /me/events", "GET /webhooks")


def _reads() -> list[str]:
    return [operation for operation in TABLE if operation.startswith("GET ") and operation not in ABOUT_NONE]


def _answer(operation: str, headers: dict[str, str], site: dict[str, Any]) -> tuple[int, bytes]:
    response = Client().get(f"/api/v1{path_of(operation, site)}", headers=headers)
    return response.status_code, response.getvalue()


def _bearer(person: User, competition: Competition | None) -> dict[str, str]:
    return {"authorization": f"Bearer {issue(person, 'test', Scope.values, competition)[1]}"}


@pytest.mark.first(2)
@pytest.mark.parametrize("role", ["owner", "organizer", "rival", "administrator"])
def test_a_token_for_another_competition_reads_what_anyone_reads(site, role):
    person = site["people"][role]
    submit(person, site["own"].bot.competition, "Failed", State.REJECTED)
    running.release(site["cups"][0], "organizers", site["people"]["organizer"], "a reason")
    follow(person, site["own"].bot.competition)
    elsewhere = _bearer(person, Competition.objects.create(slug="other", game="samurai", title="Other"))
    nothing = (b"[]", b'{"items": [], "next": null}')
    wrong = []
    for operation in _reads():
        status, said = _answer(operation, elsewhere, site)
        is_public = (status, said) == _answer(operation, {}, site)
        if not (is_public or said in nothing or status in (403, 404)):
            wrong.append((operation, status, said))
    assert wrong == []


@pytest.mark.first(2)
@pytest.mark.parametrize("role", ["owner", "organizer", "rival", "administrator"])
def test_a_token_for_this_competition_reads_what_the_account_reads_there(site, role):
    person, here = site["people"][role], site["own"].bot.competition
    submit(person, here, "Failed", State.REJECTED)
    running.release(site["cups"][0], "organizers", site["people"]["organizer"], "a reason")
    follow(person, here)
    whole, limited = _bearer(person, None), _bearer(person, here)
    wrong = [
        operation
        for operation in _reads()
        if not operation.startswith(ABOUT_ALL)
        and _answer(operation, limited, site) != _answer(operation, whole, site)
    ]
    assert wrong == []


def test_what_is_not_released_is_for_organizers(site):
    cup, people = site["cups"][0], site["people"]
    running.release(cup, "organizers", people["organizer"], "a reason")
    seen = {}
    for role in ("newcomer", "owner", "organizer", "director"):
        headers = {"authorization": f"Bearer {issue(people[role], 'test', Scope.values)[1]}"}
        paths = [f"tournaments/{cup.pk}/{what}" for what in ("matrix", "archive", "csv", "trf")]
        paths += [f"matches/{site['cup match'].pk}", f"matches/{site['cup match'].pk}/record"]
        statuses = {Client().get(f"/api/v1/{path}", headers=headers).status_code for path in paths}
        standings = Client().get(f"/api/v1/tournaments/{cup.pk}/standings", headers=headers).json()
        seen[role] = (200 in statuses, len(standings))

    assert seen == {
        "newcomer": (False, 0),
        "owner": (False, 0),
        "organizer": (True, 4),
        "director": (True, 4),
    }
