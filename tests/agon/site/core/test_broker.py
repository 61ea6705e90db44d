"""The embedded broker: each message to one reader, whole, in order; and settings of both ways to run."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kombu import Connection, Queue

from agon.site.celery import app
from agon.site.core.queue import notify

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def broker(tmp_path):
    folder = str(tmp_path)
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": folder}
    return lambda: Connection(
        "filesystem://", transport="agon.site.core.queue.broker:Transport", transport_options=options
    )


def take(queue):
    message = queue.get(block=False)
    message.ack()
    return message.payload


def test_messages_come_in_the_order_in_which_they_were_sent(broker):
    with broker() as connection:
        queue = connection.SimpleQueue("bulk")
        for number in range(20):
            queue.put(number)

        assert [take(queue) for _ in range(20)] == list(range(20))
        with pytest.raises(queue.Empty):
            queue.get(block=False)


def test_a_message_of_one_queue_is_not_seen_in_another(broker):
    with broker() as connection:
        connection.SimpleQueue("bulk").put("x")

        interactive = connection.SimpleQueue("interactive")
        with pytest.raises(interactive.Empty):
            interactive.get(block=False)


def test_of_many_readers_each_message_reaches_one(broker, tmp_path):
    with broker() as connection:
        queue = connection.SimpleQueue("bulk")
        for number in range(200):
            queue.put(number)

    def read(_):
        got = []
        with broker() as connection:
            mine = connection.SimpleQueue("bulk")
            while True:
                try:
                    got.append(take(mine))
                except mine.Empty:
                    return got

    with ThreadPoolExecutor(4) as readers:
        got = sorted(number for mine in readers.map(read, range(4)) for number in mine)
    assert got == list(range(200))
    assert (
        not list(tmp_path.glob("*.msg")) + list(tmp_path.glob("*.taken")) + list(tmp_path.glob("*.partial"))
    )


def test_notices_that_no_worker_reads_do_not_pile_up():
    with app.connection_for_write() as connection:
        waiting = Queue("bulk", channel=connection.default_channel)
        waiting.queue_declare()
        waiting.purge()
        for _ in range(10):
            notify.notify_now("bulk", 7)

        assert waiting.queue_declare().message_count == notify.MOST_WAITING
        waiting.purge()


def settings(tmp_path, *, show, **environment):
    code = f"import json; from django.conf import settings as s; print(json.dumps({show}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "AGON_VAR": str(tmp_path),
        }
        | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_key_of_an_embedded_site_is_made_once_and_readable_by_its_owner_only(tmp_path):
    keys = [json.loads(settings(tmp_path, show="s.SECRET_KEY").stdout) for _ in range(2)]

    assert keys[0] == keys[1]
    assert len(keys[0]) > 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_site_of_several_machines_does_not_start_without_a_key(tmp_path):
    run = settings(tmp_path, show="s.DEBUG", REDIS_URL="redis://127.0.0.1:1/0")

    assert run.returncode != 0
    assert "SECRET_KEY is not set" in run.stderr


def test_production_is_the_same_settings_with_another_environment(tmp_path):
    run = settings(
        tmp_path,
        show="[s.DATABASES['default']['ENGINE'], s.CELERY_BROKER_URL, s.CACHES['default']['BACKEND'],"
        " s.SESSION_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0, s.ALLOWED_HOSTS]",
        DATABASE_URL="postgres://agon:x@db/agon",
        REDIS_URL="redis://redis/0",
        SECRET_KEY="k" * 60,
        SITE_URL="https://agon.example",
        ALLOWED_HOSTS="agon.example",
    )

    assert json.loads(run.stdout) == [
        "django.db.backends.postgresql",
        "redis://redis/0",
        "agon.site.core.redis_cache.PatientRedis",
        True,
        True,
        ["agon.example"],
    ]


def test_platform_of_the_standard_library_is_not_hidden():
    import platform

    assert platform.python_version().startswith("3.")
    assert not (ROOT / "platform" / "__init__.py").exists()
