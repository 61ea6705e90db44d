"""The services of docker-compose.yml, with its commands and with no other settings than it gives them."""

import os
import re
import shlex
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg2
import pytest
from redis import Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis]

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text()
# `manage.py install_house_bots` with two bots of one game: the others have tests of their own.
INSTALL = """
import os
from dataclasses import replace
from django.core.management import execute_from_command_line
from games.core import manifest
info = manifest.load("honest_rps")
manifest.load, manifest.slugs = lambda slug: replace(info, house=info.house[:2]), lambda: ("honest_rps",)
os.environ["DJANGO_SETTINGS_MODULE"] = "agon.site.settings"
execute_from_command_line(["manage.py", "install_house_bots"])
"""
PATIENCE = 120.0  # seconds


def commands() -> dict[str, list[str]]:
    """The commands of our own services."""
    pairs = re.findall(
        r"^  (\w+):\n    <<: \*(?:site|signs)\n(?:    .*\n)*?    command: (.*)\n", COMPOSE, re.MULTILINE
    )
    return {service: shlex.split(command) for service, command in pairs}


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """The URL of a database of its own."""
    name = f"production_{os.getpid()}"
    with closing(psycopg2.connect(postgres_url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"CREATE DATABASE {name}")
        yield urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def environment(tmp_path: Path, database: str, redis_url: str, store: Path) -> Iterator[dict[str, str]]:
    """The variables that the file sets, with values for this machine."""
    for name in ("secret_key", "archive_key", "postgres_password"):
        (tmp_path / name).write_text("" if name == "archive_key" else "any text")
    var = tmp_path / "var"
    var.mkdir()
    (var / "artifacts").symlink_to(store)
    values = {
        "DATABASE_URL": database,
        "DATABASE_PASSWORD_FILE": str(tmp_path / "postgres_password"),
        "REDIS_URL": redis_url,
        "SECRET_KEY_FILE": str(tmp_path / "secret_key"),
        "ARCHIVE_KEY_FILE": str(tmp_path / "archive_key"),
        "SITE_URL": "http://127.0.0.1",
        "TRUSTED_PROXY_COUNT": "0",
        "AGON_VAR": str(var),
        "AGON_SANDBOX": "bubblewrap",
    }
    image = {"STATIC_ROOT": str(tmp_path / "collected")}  # set by deploy/Dockerfile
    given = set(re.findall(r"^    ([A-Z_]+):", COMPOSE.partition("\nservices:")[0], re.MULTILINE))
    assert values.keys() <= given
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    yield kept | values | image | {"PATH": path, "PYTHONUNBUFFERED": "1"}
    Redis.from_url(redis_url).flushdb()  # the next test's server holds nothing, either


def has_played(database: str) -> bool:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM matches_match WHERE kind = 'ladder' AND state = 'finished'")
        return bool(cursor.fetchone() > (5,))


def answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.exhaustive
def test_a_site_plays_matches_with_the_commands_and_settings_of_the_compose_file(
    environment: dict[str, str], database: str, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    services = commands()
    assert services.keys() == {"prepare", "web", "workers", "scheduler", "archives", "signer"}
    web = services["web"]
    web[web.index("0.0.0.0")], web[web.index("8000")] = "127.0.0.1", port
    collect = ["manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    for words in (collect, ["manage.py", "migrate", "--verbosity=0"], ["-c", INSTALL]):
        subprocess.run(["python", *words], env=environment, cwd=ROOT, check=True)
    collected = [tmp_path / "collected", *(tmp_path / "collected").rglob("*")]
    assert len(collected) > 100
    assert [path for path in collected if not path.stat().st_mode & stat.S_IROTH] == []

    with open(tmp_path / "log", "wb") as log:
        running = [
            subprocess.Popen(services[name], env=environment, cwd=ROOT, stdout=log, stderr=log)
            for name in ("web", "workers", "scheduler")
        ]
    try:
        deadline = time.monotonic() + PATIENCE
        page = f"http://127.0.0.1:{port}/c/honest-rps/"
        while not (has_played(database) and answers(page)):
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.2)
        linked = set(re.findall(r'"(/static/[^"]+)"', httpx.get(page).text))
        assert any(re.search(r"\.[0-9a-f]{12}\.js$", address) for address in linked)
        assert [address for address in linked if not answers(f"http://127.0.0.1:{port}{address}")] == []
        assert [process.poll() for process in running] == [None] * 3, (tmp_path / "log").read_text()
        assert page.removeprefix(f"http://127.0.0.1:{port}") not in (tmp_path / "log").read_text()
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)
