"""/healthz and /readyz: what machines that watch a site are told, and what they are not."""

import asyncio
import json
import threading
import time
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import InternalError, connection

from agon.site.asgi import application
from agon.site.core import readiness
from agon.site.core.db.unavailable import is_unavailable
from agon.site.fleet.models import Process
from tests.support.asking import ask, asked

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
TOKEN = "a token of forty characters, more or less"


def test_a_site_in_order_is_ready():
    answer = ask(application, "/readyz", client="192.0.2.7")
    checks = json.loads(answer.text)
    assert answer.status == 200, answer
    assert checks == {
        "ready": True,
        "checks": dict.fromkeys(["database", "migrations", "broker", "storage", "disk"], "ok"),
    }
    assert answer.headers["cache-control"] == "no-store"


def test_it_answers_to_any_name_and_without_a_redirect_to_https(settings):
    settings.SECURE_SSL_REDIRECT = True
    for path in ("/healthz", "/readyz"):
        assert ask(application, path, host="10.0.0.3:8000").status == 200
        assert ask(application, path, method="POST").status == 405
        assert ask(application, path, method="HEAD")[::2] == (200, "")


def test_a_database_that_takes_no_writes_is_not_ready_and_pages_say_that_it_is_away():
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL")
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    try:
        connection.close()
        answer = ask(application, "/readyz")
        assert answer.status == 503
        found = json.loads(answer.text)["checks"]["database"]
        assert (found["state"], found["detail"]) == (
            "failed",
            "it takes no writes: transaction_read_only is on",
        )
        with pytest.raises(InternalError) as refused:
            Process.objects.update(pid=1)
        assert is_unavailable(refused.value)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")
            cursor.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
        connection.close()


def test_a_migration_that_is_missing_is_named():
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM django_migrations WHERE app = 'fleet'")
        [number] = cursor.fetchone()
        cursor.execute("SELECT app, name, applied FROM django_migrations WHERE id = %s", [number])
        app, name, applied = cursor.fetchone()
        cursor.execute("DELETE FROM django_migrations WHERE id = %s", [number])
    try:
        answer = ask(application, "/readyz")
        assert answer.status == 503
        assert answer.headers["retry-after"] == "5"
        data = json.loads(answer.text)["checks"]
        assert data["migrations"]["state"] == "failed"
        assert f"{app}.{name}" in data["migrations"]["detail"]
        assert data["database"]["state"] == "ok"
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", [app, name, applied]
            )


def test_a_disk_that_is_nearly_full_is_told(settings):
    settings.AGON_FREE_MIB = 1 << 40
    data = json.loads(ask(application, "/readyz").text)["checks"]
    assert (data["disk"]["state"], data["database"]["state"]) == ("failed", "ok")
    assert "AGON_FREE_MIB" in data["disk"]["detail"]


def test_a_storage_that_cannot_be_written_is_told():
    folder = Path(default_storage.path("health"))
    if folder.exists():
        assert list(folder.iterdir()) == []  # what was written is removed
        folder.rmdir()
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in its place")
    try:
        data = json.loads(ask(application, "/readyz").text)["checks"]
        assert data["storage"]["state"] == "failed"
    finally:
        folder.unlink()
    assert ask(application, "/readyz").status == 200


@pytest.mark.parametrize(
    ("client", "headers", "are_told"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("127.0.0.1", {"x_forwarded_for": "127.0.0.1"}, False),  # by a proxy on this machine
        ("127.0.0.1", {"via": "1.1 proxy"}, False),
        ("192.0.2.7", {}, False),
        ("192.0.2.7", {"authorization": f"Bearer {TOKEN}"}, True),
        ("192.0.2.7", {"authorization": f"Bearer {TOKEN}x"}, False),
        ("192.0.2.7", {"authorization": "Bearer "}, False),
        ("192.0.2.7", {"authorization": TOKEN}, False),
    ],
)
def test_details_are_for_this_machine_and_for_readers_with_the_token(settings, client, headers, are_told):
    settings.AGON_METRICS_TOKEN = TOKEN
    checks = json.loads(ask(application, "/readyz", client=client, **headers).text)["checks"]
    assert isinstance(checks["database"], dict) == are_told


def test_without_a_token_an_empty_one_opens_nothing(settings):
    settings.AGON_METRICS_TOKEN = ""
    for given in ("Bearer ", "Bearer", ""):
        checks = json.loads(ask(application, "/readyz", client="192.0.2.7", authorization=given).text)
        assert checks["checks"]["database"] == "ok"


def test_behind_a_proxy_that_sets_no_header_nobody_is_taken_for_this_machine(settings):
    settings.SITE_URL, settings.ALLAUTH_TRUSTED_PROXY_COUNT = "https://agon.example.org", 0
    assert json.loads(ask(application, "/readyz").text)["checks"]["database"] == "ok"
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert "state" in json.loads(ask(application, "/readyz").text)["checks"]["database"]


def test_passwords_are_in_no_detail(settings):
    settings.AGON_METRICS_TOKEN = TOKEN
    settings.REDIS_URL = "redis://:of%20redis@127.0.0.1:1/0"
    text = f"smtp://me:hunter2@mail {settings.SECRET_KEY} {TOKEN} of redis\nmore"
    probe = readiness.Probe("x", lambda: fail(text))
    probe.start()
    detail = probe.result(time.monotonic() + 30).detail
    assert detail == "OSError: smtp://me:[secret]@mail [secret] [secret] [secret] more"


def fail(text):
    raise OSError(text)


def test_a_check_that_hangs_delays_the_answer_by_its_patience_alone_and_is_not_begun_again(monkeypatch):
    began, ended = [], threading.Event()

    def hang():
        began.append(1)
        ended.wait(60)

    monkeypatch.setattr(readiness, "PROBES", (readiness.Probe("database", hang), *readiness.PROBES[1:]))
    monkeypatch.setattr(readiness, "PATIENCE", 0.3)
    try:
        for _ in range(2):
            answer = ask(application, "/readyz")
            assert answer.status == 503
            assert "no answer" in json.loads(answer.text)["checks"]["database"]["detail"]
        assert len(began) == 1
    finally:
        ended.set()


def test_many_that_ask_at_once_share_one_look(monkeypatch):
    looks = []
    look = readiness.look
    monkeypatch.setattr(readiness, "look", lambda: looks.append(1) or look())

    async def crowd():
        return await asyncio.gather(*(asked(application, "/readyz") for _ in range(200)))

    assert {response.status for response in asyncio.run(crowd())} == {200}
    assert len(looks) == 1
