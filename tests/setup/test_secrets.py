"""Secrets of a production site: given as files, in any characters, and in no image or log."""

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from redis import Redis
from redis.exceptions import AuthenticationError

from agon.site.accounts.models import User
from agon.site.core.secret_settings import with_password
from sandbox.backends import docker_images

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ODD = "p@ss/w#rd%41 &?:'\"\\ü$HOME"
SETTINGS = "from django.conf import settings; print(settings.SECRET_KEY)"
CONNECT = """
import django
django.setup()
from django.db import connection
connection.ensure_connection()
print("connected")
"""


def python(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {"DJANGO_SETTINGS_MODULE": "agon.site.settings", "AGON_VAR": str(tmp_path / "var")}
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | own | environment,
        cwd=ROOT / "platform",
        capture_output=True,
        text=True,
    )


def test_the_key_that_signs_cookies_can_be_a_file(tmp_path):
    (tmp_path / "key").write_text("from a file\n")
    ran = python(SETTINGS, tmp_path, SECRET_KEY_FILE=str(tmp_path / "key"))
    assert ran.stdout == "from a file\n"
    assert not (tmp_path / "var" / "secret_key").exists()


def test_lines_after_the_first_are_former_keys(tmp_path):
    (tmp_path / "key").write_text("new\n\n former \r\nfirst\n")
    code = "from django.conf import settings as s; print(s.SECRET_KEY, s.SECRET_KEY_FALLBACKS)"
    assert python(code, tmp_path, SECRET_KEY_FILE=str(tmp_path / "key")).stdout == "new ['former', 'first']\n"


@pytest.mark.parametrize(
    ("contents", "why"), [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "cannot be read")]
)
def test_a_made_key_that_was_damaged_is_not_replaced_and_nothing_runs_without_it(contents, why, tmp_path):
    assert len(python(SETTINGS, tmp_path).stdout) > 50
    key = tmp_path / "var" / "secret_key"
    key.write_bytes(contents)
    ran = python(SETTINGS, tmp_path)
    assert ran.stdout == ""
    assert f"{key} {why}" in ran.stderr.splitlines()[-1]
    assert key.read_bytes() == contents


@pytest.mark.parametrize("name", ["SECRET_KEY", "STORAGE", "EMAIL_URL"])
def test_a_secret_that_cannot_be_read_is_named(name, tmp_path):
    ran = python(SETTINGS, tmp_path, **{f"{name}_FILE": str(tmp_path / "nothing")})
    assert ran.returncode != 0
    last = ran.stderr.splitlines()[-1]
    assert f"{name}_FILE: {tmp_path / 'nothing'} cannot be read" in last


def test_a_secret_given_twice_is_refused(tmp_path):
    (tmp_path / "key").write_text("one")
    ran = python(SETTINGS, tmp_path, SECRET_KEY_FILE=str(tmp_path / "key"), SECRET_KEY="another")
    assert "SECRET_KEY and SECRET_KEY_FILE are both set" in ran.stderr
    assert "another" not in ran.stderr


@pytest.fixture
def role_with_a_password(postgres_url):
    """A role `odd` of the server of the tests, which asks that one, and no other, for its password."""
    with closing(psycopg2.connect(postgres_url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("SHOW hba_file")
        (file,) = cursor.fetchone()
        cursor.execute("SELECT pg_read_file(%s)", [file])
        (before,) = cursor.fetchone()

        def write(rules: str) -> None:
            cursor.execute("COPY (SELECT regexp_split_to_table(%s, E'\\n')) TO %s", [rules, file])
            cursor.execute("SELECT pg_reload_conf()")

        cursor.execute("DROP ROLE IF EXISTS odd")
        cursor.execute("CREATE ROLE odd LOGIN PASSWORD %s", [ODD])
        write(f"host all odd all scram-sha-256\n{before}")
        yield
        write(before)
        cursor.execute("DROP ROLE odd")


@pytest.mark.first(1)
@pytest.mark.postgres
@pytest.mark.parametrize("given_as", ["DATABASE_PASSWORD", "DATABASE_PASSWORD_FILE"])
def test_a_database_password_may_hold_any_characters(given_as, role_with_a_password, postgres_url, tmp_path):
    (tmp_path / "password").write_text(ODD)
    value = ODD if given_as == "DATABASE_PASSWORD" else str(tmp_path / "password")
    parts = urlsplit(postgres_url)
    url = f"postgres://odd@{parts.hostname}:{parts.port}/{parts.path.lstrip('/')}"
    ran = python(CONNECT, tmp_path, DATABASE_URL=url, SECRET_KEY="any", **{given_as: value})
    assert ran.stdout == "connected\n", ran.stderr[-500:]
    with pytest.raises(psycopg2.OperationalError, match="password authentication failed"):
        psycopg2.connect(url, password="wrong")


def test_the_script_makes_each_secret_once_and_closes_their_folder(tmp_path):
    def run() -> str:
        script = ["sh", str(ROOT / "deploy" / "secrets.sh"), str(tmp_path / "secrets")]
        return subprocess.run(script, capture_output=True, text=True, check=True).stdout

    first = run()
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert made.keys() == {"secret_key", "postgres_password", "redis_password", "archive_key"}
    assert [len(made[name]) for name in made if name != "archive_key"] == [64] * 3
    assert re.fullmatch("[A-Za-z0-9+/]*", made["redis_password"])
    assert made["archive_key"].startswith("-----BEGIN OPENSSH PRIVATE KEY-----\n")
    assert len(set(made.values())) == 4
    assert not any(text in first for text in made.values())
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    assert run() == ""
    assert {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()} == made


@pytest.mark.django_db
def test_the_first_password_of_the_administrator_is_in_a_private_file_and_not_printed(tmp_path, capsys):
    path = tmp_path / "password"
    call_command("ensure_admin", password_file=path)
    password = path.read_text().strip()
    printed = capsys.readouterr()
    assert password not in printed.out + printed.err
    assert str(path) in printed.out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert User.objects.get(username="admin").check_password(password)

    call_command("ensure_admin", password_file=path)
    assert path.read_text().strip() == password


@pytest.mark.django_db
def test_no_administrator_is_made_whose_password_cannot_be_kept(tmp_path):
    with pytest.raises(CommandError, match=r"--password-file: .*/nowhere/password cannot be written"):
        call_command("ensure_admin", password_file=tmp_path / "nowhere" / "password")
    assert not User.objects.exists()


@pytest.mark.docker
def test_an_image_holds_no_secret_of_the_folder_that_it_is_built_in(tmp_path):
    """The instruction that copies the project, and the list of what it leaves out, as they are."""
    context = tmp_path / "project"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, tracked.stdout.decode().split("\0")):
        if (ROOT / name).is_file() and not name.startswith("docs/"):
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            (context / name).write_bytes((ROOT / name).read_bytes())
    planted = [
        ".env",
        "platform/.env",
        "platform/agon/site/core/.env.production",
        "secrets/secret_key",
        "secrets/postgres_password",
        "var/agon.sqlite3",
        "var/secret_key",
        "platform/db.sqlite3",
        "deploy/server.key",
        "games/coup/tls.pem",
        "notes.txt",
        "backup/dump.sql",
        ".git/config",
        ".venv/pip.conf",
    ]
    for name in planted:
        (context / name).parent.mkdir(parents=True, exist_ok=True)
        (context / name).write_text("SECRET_KEY=planted by the tests")
    copied = [line for line in (context / "deploy/Dockerfile").read_text().splitlines() if line == "COPY . ."]
    assert copied, "the Dockerfile copies the project"
    (tmp_path / "Dockerfile").write_text(
        f"FROM {docker_images.tag('core')}\nWORKDIR /srv/agon\n{copied[0]}\n"
    )
    tag = f"agon-test-secrets-{os.getpid()}"
    docker = [
        "docker",
        "build",
        "--quiet",
        "--tag",
        tag,
        "--file",
        str(tmp_path / "Dockerfile"),
        str(context),
    ]
    subprocess.run(docker, capture_output=True, check=True)
    try:
        look = ["docker", "run", "--rm", "--network", "none", "--user", "0", tag, "find", ".", "-type", "f"]
        ran = subprocess.run(look, capture_output=True, text=True, check=True)
    finally:
        subprocess.run(["docker", "image", "rm", "--force", tag], capture_output=True)
    files = {line.removeprefix("./") for line in ran.stdout.splitlines()}
    assert files & set(planted) == set()
    needed = {"manage.py", "deploy/prepare.sh", "platform/agon/site/settings.py", "games/coup/referee.py"}
    assert needed <= files


@pytest.fixture
def redis_with_a_password(tmp_path):
    """The port of a server that reads its settings as that of docker-compose.yml does."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = f"port {port}\nbind 127.0.0.1\nsave ''\nrequirepass a+b/c\n"
    with subprocess.Popen(["redis-server", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        server.stdin.write(settings.encode())
        server.stdin.close()
        yield port
        server.terminate()


CACHE_AND_BROKER = """
import time
import django
django.setup()
from django.core.cache import cache
from agon.site.celery import app
deadline = time.monotonic() + 30
while True:
    cache.set("key", ("value",))
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1)
        break
    except Exception:
        assert time.monotonic() < deadline
        time.sleep(0.1)
from redis import Redis
from django.conf import settings
Redis.from_url(settings.REDIS_URL).ping()
print("connected")
"""


@pytest.mark.first(1)
@pytest.mark.redis
@pytest.mark.parametrize("given_as", ["REDIS_PASSWORD", "REDIS_PASSWORD_FILE"])
def test_the_password_of_redis_reaches_cache_and_broker(given_as, redis_with_a_password, tmp_path):
    (tmp_path / "password").write_text("a+b/c")
    value = "a+b/c" if given_as == "REDIS_PASSWORD" else str(tmp_path / "password")
    url = f"redis://127.0.0.1:{redis_with_a_password}/0"
    ran = python(CACHE_AND_BROKER, tmp_path, REDIS_URL=url, SECRET_KEY="any", **{given_as: value})
    assert ran.stdout == "connected\n", ran.stderr[-500:]
    with Redis.from_url(url, password="wrong") as client, pytest.raises(AuthenticationError):
        client.ping()


@pytest.mark.parametrize("password", ["a+b/c", ODD, "@", ":", "%41"])
def test_a_password_in_a_url_is_the_one_that_was_given(password):
    url = with_password("redis://redis:6379/3", password)
    parts = urlsplit(url)
    assert (unquote(parts.password), parts.hostname, parts.port, parts.path) == (
        password,
        "redis",
        6379,
        "/3",
    )
    assert with_password(with_password("redis://:old@redis/0", "x"), password) == with_password(
        "redis://redis/0", password
    )
    assert with_password("redis://:kept@redis/0", "") == "redis://:kept@redis/0"
    assert with_password("", password) == ""
