"""All that the site keeps of a person, for that person alone."""

import io
import json
import zipfile

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.bots import services as bots
from agon.site.teams import services as teams
from agon.site.tokens import services as tokens
from agon.site.tokens.models import Scope
from agon.site.use_cases import own_data
from agon.site.webhooks.models import Hook

from .conftest import PASSWORD, browser_of, play

PAGE = "/accounts/export/"


@pytest.fixture
def ada(user):
    user.set_password(PASSWORD)
    user.save()
    return user


def files(user) -> dict[str, bytes]:
    answer = browser_of(user).post(PAGE, {"password": PASSWORD})
    assert answer.status_code == 200, answer.content.decode()
    assert answer.headers["Content-Type"] == "application/zip"
    assert "private" in answer.headers["Cache-Control"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(contents: dict[str, bytes], name: str) -> list[dict]:
    return [json.loads(line) for line in contents[f"{name}.jsonl"].splitlines()]


def test_everything_of_a_person_is_in_it_and_nothing_of_another(ada, bob, four, competition):
    match = play(four)
    bots.receive(ada, competition, "Vera", "../ve ra.py", b"print('mine')\n")
    bots.receive(bob, competition, "Bobs", "bobs.py", b"print('not hers')\n")
    EmailAddress.objects.create(user=ada, email="ada@example.org")
    team = teams.create("Crows", ada)
    contents = files(ada)
    assert rows(contents, "account")[0]["username"] == "ada"
    assert rows(contents, "email-addresses") == [
        {"email": "ada@example.org", "verified": False, "primary": False}
    ]
    assert {row["name"] for row in rows(contents, "bots")} == {submission.bot.name for submission in four} | {
        "Vera"
    }
    assert {row["match__id"] for row in rows(contents, "matches")} == {match.pk}
    assert rows(contents, "teams")[0]["team__account__username"] == str(team)
    programs = {name: contents[name] for name in contents if name.startswith("programs/")}
    [vera] = [text for name, text in programs.items() if name.endswith("1-ve_ra.py")]
    assert vera == b"print('mine')\n"
    assert b"not hers" not in b"".join(contents.values())
    assert rows(contents, "acts")


def test_no_secret_is_in_it(ada):
    _token, text = tokens.issue(ada, "laptop", [Scope.READ], None, 30)
    TOTP.activate(ada, "A" * 32)
    Authenticator.objects.all().update(data={"secret": "A" * 32})
    Hook.objects.create(owner=ada, url="https://example.org/", secret="a secret of a hook", position=0)
    browser_of(ada)
    file = io.BytesIO()
    own_data.write(ada, file)
    with zipfile.ZipFile(file) as archive:
        written = b"".join(map(archive.read, archive.namelist())).decode()
    assert "laptop" in written
    assert "https://example.org/" in written
    ada.refresh_from_db()
    secrets = [ada.password, text, "A" * 32, "a secret of a hook", _token.digest]
    secrets += UserSession.objects.values_list("session_key", flat=True)
    for secret in secrets:
        assert secret not in written


def test_it_takes_the_password_and_is_given_three_times_an_hour(ada):
    browser = browser_of(ada)
    assert browser.get(PAGE).status_code == 200
    assert browser.post(PAGE, {"password": "wrong"}).status_code == 422
    for _ in range(3):
        answer = browser.post(PAGE, {"password": PASSWORD})
        assert answer.status_code == 200
        assert b"".join(answer.streaming_content).startswith(b"PK")
    assert "three times" in browser.post(PAGE, {"password": PASSWORD}).content.decode()


def test_a_lost_program_does_not_keep_the_rest_away(ada, competition):
    lost = bots.receive(ada, competition, "Vera", "vera.py", b"print('mine')\n")
    lost.source.storage.delete(lost.source.name)
    assert rows(files(ada), "versions")[0]["filename"] == "vera.py"


def test_the_number_of_queries_does_not_grow_with_the_rows(ada):
    for number in range(50):
        acts.record(acts.Verb.SWEEP, ada, None, subject=str(number))
    with CaptureQueriesContext(connection) as queries:
        own_data.write(ada, io.BytesIO())
    assert len(queries) <= len(own_data.TABLES) + 8


def test_every_model_with_rows_of_a_person_is_exported_or_left_out_for_a_reason(db):
    exported = {table.rows(User(pk=1)).model._meta.label for table in own_data.TABLES}
    assert not exported & set(own_data.LEFT_OUT)
    of_people = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.is_relation and field.related_model is User
    }
    assert of_people <= exported | set(own_data.LEFT_OUT)
    assert set(own_data.LEFT_OUT) <= of_people
