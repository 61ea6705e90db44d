"""While PostgreSQL is stopped, or hangs, pages and the API say so with 503, and go on by themselves later."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psycopg2
import pytest
from django.db import OperationalError

from agon.site.core.db.unavailable import is_unavailable
from tests.support.processes import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import services

pytestmark = pytest.mark.slow
PATIENCE = 120.0  # seconds
PAGE = "/c/no-such/"  # 404, as the database says
PAGES = (PAGE, "/", "/accounts/login/", "/admin/")


class Server:
    """A PostgreSQL of these tests' own. Each leaves it as it was."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._data, self._stack, self._log = folder / "postgres", stack, folder / "postgres.log"
        try:
            self.url = stack.enter_context(services.postgres(folder))["AGON_TEST_POSTGRES_URL"]
        except services.Unavailable as error:
            pytest.skip(str(error))
        self._command = Path(f"/proc/{self.pid}/cmdline").read_text().split("\0")[:-1]

    @property
    def pid(self) -> int:
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        pid = self.pid
        os.kill(pid, signal.SIGINT)
        until(lambda: not (self._data / "postmaster.pid").exists())

    def start(self) -> None:
        user = services.postgres_user()
        running = services.running(self._command, self._log, user, stop=signal.SIGINT)
        self._stack.enter_context(running)

    def hang(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)  # other processes are at work


def answers(address: str, status: int = 200) -> bool:
    try:
        return httpx.get(address, timeout=30).status_code == status
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with TemporaryDirectory() as name, ExitStack() as stack:
        Path(name).chmod(0o755)  # the server runs as another user
        yield Server(Path(name), stack)
        print((Path(name) / "postgres.log").read_text()[-8000:])  # shown where the test failed


@pytest.fixture(scope="module")
def site(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    own = {"DATABASE_URL": server.url, "AGON_VAR": str(folder / "var"), "SECRET_KEY": "of this test"}
    environment = os.environ | own | {"REDIS_URL": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    (folder / "var").mkdir()
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity=0"], env=environment, cwd=ROOT, check=True
    )
    words = ["uvicorn", "agon.site.server:application", "--port", str(port), "--no-access-log"]
    with open(folder / "log", "wb") as log:
        web = subprocess.Popen(
            [sys.executable, "-m", *words], env=environment, cwd=ROOT, stdout=log, stderr=log
        )
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}/readyz"))
        yield f"http://127.0.0.1:{port}"
    finally:
        web.terminate()
        web.wait(60)
        print((folder / "log").read_text()[-8000:])  # shown where the test failed


ASK = """
import sys
import django
django.setup()
from django.test import Client
for address in sys.argv[1:]:
    found = Client(raise_request_exception=False).get(address)
    print(found.status_code, found.get("retry-after"), found.content.decode().replace("\\n", " "))
"""


def test_pages_and_the_api_say_so_where_no_server_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        away = f"postgres://agon@127.0.0.1:{probe.getsockname()[1]}/agon"
    own = {"DATABASE_URL": away, "AGON_VAR": str(tmp_path / "var"), "ALLOWED_HOSTS": "testserver"}
    environment = os.environ | own | {"REDIS_URL": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["DJANGO_SETTINGS_MODULE"] = "agon.site.settings"
    command = [sys.executable, "-c", ASK, PAGE, "/api/v1/competitions"]
    asked = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    page, problem = asked.stdout.splitlines()
    assert page.startswith("503 10 ")
    assert "The database does not answer" in page
    assert "Connection refused" not in page  # nor what the driver says
    assert problem.startswith("503 10 ")
    assert '"unavailable"' in problem


@pytest.mark.exhaustive
def test_pages_say_so_and_go_on_without_a_restart(server: Server, site: str) -> None:
    before = {page: httpx.get(f"{site}{page}", timeout=60).status_code for page in PAGES}
    assert list(before.values()) == [404, 200, 200, 302]
    server.stop()
    answer = httpx.get(f"{site}{PAGE}", timeout=60)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert "The database does not answer" in answer.text
    assert "not your fault" not in answer.text
    assert "Connection refused" not in answer.text  # nor what the driver says
    problem = httpx.get(f"{site}/api/v1/competitions", timeout=60)
    assert (problem.status_code, problem.headers["retry-after"]) == (503, "10")
    assert problem.headers["content-type"] == "application/problem+json"
    assert problem.json()["code"] == "unavailable"
    body, cookies = bytes(300 << 10), {"sessionid": "x" * 32}
    large = httpx.post(f"{site}/c/x/submit/", content=body, cookies=cookies, timeout=60)
    assert large.status_code == 503
    until(lambda: answers(f"{site}/readyz", 503))  # it looks again after three seconds
    assert answers(f"{site}/healthz")

    server.start()
    until(lambda: answers(f"{site}/readyz"))
    assert {page: httpx.get(f"{site}{page}", timeout=60).status_code for page in PAGES} == before


@pytest.mark.exhaustive
def test_a_server_that_hangs_keeps_nobody_waiting_for_long(server: Server, site: str) -> None:
    server.hang()
    try:
        began = time.monotonic()
        answer = httpx.get(f"{site}{PAGE}", timeout=60)
        assert answer.status_code == 503
        assert time.monotonic() - began < 30
        began = time.monotonic()
        assert answers(f"{site}/readyz", 503)
        assert answers(f"{site}/healthz")
        assert time.monotonic() - began < 20
    finally:
        server.go_on()
    until(lambda: answers(f"{site}/readyz"))
    assert answers(f"{site}{PAGE}", 404)


def caused_by(driver: Exception, text: str = "x") -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = driver
    return error


def test_a_query_that_is_wrong_or_slow_is_no_database_that_is_down() -> None:
    assert is_unavailable(caused_by(psycopg2.OperationalError("connection refused")))
    wrapped = RuntimeError("in a view")
    wrapped.__cause__ = caused_by(psycopg2.OperationalError("connection refused"))
    assert is_unavailable(wrapped)
    assert is_unavailable(OperationalError("database is locked"))
    assert not is_unavailable(OperationalError("no such table: x"))
    assert not is_unavailable(ValueError("database is locked"))
    assert not is_unavailable(None)
