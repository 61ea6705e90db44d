"""A real web server, with few files to open, between visitors who keep what they can get."""

import asyncio
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.support.databases import migrated

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
LARGE = max((ROOT / "static" / "editor").glob("*.js"), key=lambda file: file.stat().st_size)
# The server as the supervisor starts it, with less patience; only 256 files, a quarter of what is usual.
SERVE = """
import resource, sys
from agon.supervisor import web
web.HEADERS_SECONDS = 1.0
web.READING_SECONDS = 1.0
from agon.site.web.core import body_limit
body_limit.STALLED = 1.5
body_limit.PATIENCE = 3.0
web.main(int(sys.argv[1]), int(sys.argv[2]))
"""
PREPARE = """
import django
django.setup()
from agon.site.competitions.models import Competition
Competition.objects.create(slug="coup", game="coup", title="Coup")
from agon.site.accounts.models import User
from django.test import Client
browser = Client()
browser.force_login(User.objects.create_user("ada"))
print(browser.cookies["sessionid"].value)
"""


class Crowd:
    """A server at `port`, the process `pid`; `session` is ada's. What connects is closed with `sockets`."""

    def __init__(self, port: int, pid: int, session: str) -> None:
        self.port, self.pid, self.session = port, pid, session
        self.url = f"http://127.0.0.1:{port}"
        self.sockets = ExitStack()
        assert self.home() == 200
        self.idle = self.connections()

    def connect(self, sent: bytes) -> socket.socket:
        connection = self.sockets.enter_context(
            socket.create_connection(("127.0.0.1", self.port), timeout=60)
        )
        connection.sendall(sent)
        return connection

    def request(self, line: str, *headers: str) -> bytes:
        return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *headers, "", ""]).encode()

    def connections(self) -> int:
        """How many sockets the server has open, also that on which it listens."""
        count = 0
        for descriptor in Path(f"/proc/{self.pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                count += os.readlink(descriptor).startswith("socket:")
        return count

    def memory(self) -> int:
        """Bytes of it that are in memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def home(self) -> int:
        return httpx.get(f"{self.url}/", timeout=60).status_code


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, store: Path) -> dict[str, str]:
    var = tmp_path_factory.mktemp("crowds") / "var"
    var.mkdir()
    shutil.copyfile(migrated(store.parent), var / "agon.sqlite3")
    return os.environ | {
        "AGON_VAR": str(var),
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT}/platform",
        "AGON_STREAMS_PER_ADDRESS": "20",
    }


@pytest.fixture(scope="module")
def session(environment: dict[str, str]) -> str:
    prepared = subprocess.run(
        [sys.executable, "-c", PREPARE],
        env=environment | {"ALLOWED_HOSTS": "*"},
        capture_output=True,
        text=True,
    )
    assert prepared.returncode == 0, prepared.stderr
    return prepared.stdout.strip()


@contextmanager
def serving(environment: dict[str, str], session: str, files: str) -> Iterator[Crowd]:
    """files: the soft and the hard limit of open ones."""
    ready, when_ready = os.pipe()
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        limited = ["prlimit", f"--nofile={files}", sys.executable, "-c", SERVE]
        server = subprocess.Popen(
            [*limited, str(listening.fileno()), str(when_ready)],
            env=environment,
            pass_fds=(listening.fileno(), when_ready),
        )
        os.close(when_ready)
        try:
            assert os.read(ready, 1)
            crowd = Crowd(int(listening.getsockname()[1]), server.pid, session)
            with crowd.sockets:
                yield crowd
        finally:
            os.close(ready)
            server.terminate()
            server.wait(60)


@pytest.fixture(scope="module")
def server(environment: dict[str, str], session: str) -> Iterator[Crowd]:
    with serving(environment, session, "256:1024") as crowd:
        yield crowd


@pytest.fixture
def crowd(server: Crowd) -> Iterator[Crowd]:
    """The server, without the connections of other tests."""
    until(lambda: server.connections() <= server.idle)
    with server.sockets:
        yield server


@pytest.fixture
def many_files() -> Iterator[None]:
    """This process may open as many as it wants."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def status_of(connection: socket.socket) -> int:
    answer = connection.recv(1 << 16)
    return int(answer.split()[1]) if answer else 0


@pytest.mark.exhaustive
def test_one_visitor_with_many_open_streams_shuts_nobody_out(crowd: Crowd) -> None:
    opened = [crowd.connect(crowd.request("GET /c/coup/events/")) for _ in range(300)]
    statuses = [status_of(response) for response in opened]
    assert statuses.count(200) == 20
    assert set(statuses) == {200, 429}
    assert crowd.home() == 200

    for response in opened:
        response.close()
    answer = b""
    deadline = 60
    while b" 200 " not in answer and deadline:  # until the server has noticed
        answer = crowd.connect(crowd.request("GET /c/coup/events/")).recv(1 << 16)
        deadline -= 1
    assert b" 200 " in answer


def test_more_connections_than_the_soft_limit_are_served(crowd: Crowd) -> None:
    for _ in range(400):
        crowd.connect(b"")
    assert crowd.home() == 200


@pytest.mark.first(1)
@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: a", b"\r\n"])
def test_a_connection_without_a_request_is_closed(crowd: Crowd, begun: bytes) -> None:
    connection = crowd.connect(begun)
    while connection.recv(1 << 16):
        pass


def test_a_slow_reader_is_waited_for_although_the_kernel_takes_nothing_for_seconds(crowd: Crowd) -> None:
    times = 60  # more than the buffers of the kernel hold
    slow = crowd.connect(crowd.request(f"GET /{LARGE.relative_to(ROOT)}") * times)
    begun = time.monotonic()
    while time.monotonic() - begun < 6:
        assert slow.recv(20 << 10)
        time.sleep(0.1)
    wanted = LARGE.stat().st_size * (times // 2)
    while wanted > 0:
        part = slow.recv(1 << 20)
        assert part, "the connection was closed"
        wanted -= len(part)


def test_a_reader_who_takes_nothing_of_a_long_answer_is_sent_away_and_a_slow_one_is_not(crowd: Crowd) -> None:
    before = crowd.connections()
    times = 60  # more than the buffers of the kernel hold
    asked, all_of_it = crowd.request(f"GET /{LARGE.relative_to(ROOT)}") * times, LARGE.stat().st_size * times
    deaf = crowd.connect(asked)
    slow = crowd.connect(asked)
    received = 0
    while received < all_of_it:  # for longer than the server waits for one who takes nothing
        received += len(slow.recv(64 << 10))
        time.sleep(0.005)
    slow.close()
    until(lambda: crowd.connections() <= before)
    taken = 0
    with suppress(ConnectionResetError):
        while part := deaf.recv(1 << 20):
            taken += len(part)
    assert taken < all_of_it
    assert crowd.home() == 200


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)  # another process is at work


def test_unfinished_uploads_of_visitors_are_refused_and_of_an_account_they_are_few(crowd: Crowd) -> None:
    size = f"Content-Length: {30 << 20}"
    visitor = crowd.connect(crowd.request("POST /c/coup/submit/", size))
    assert b" 413 " in visitor.recv(1 << 16)

    form = ("Content-Type: application/x-www-form-urlencoded", f"Cookie: sessionid={crowd.session}")
    uploads = [crowd.connect(crowd.request("POST /c/coup/submit/", size, *form)) for _ in range(6)]
    statuses = sorted(status_of(upload) for upload in uploads)
    assert statuses == [408, 408, 429, 429, 429, 429]  # two were waited for
    assert crowd.home() == 200


def test_what_is_hidden_behind_a_second_length_is_not_answered(crowd: Crowd) -> None:
    """As a proxy would pass it on that goes by Content-Length."""
    hidden = crowd.request("GET /archives/signers")
    chunked = b"0\r\n\r\n" + hidden
    lengths = (f"Content-Length: {len(chunked)}", "Transfer-Encoding: chunked")
    connection = crowd.connect(crowd.request("POST /theme/", *lengths) + chunked)
    answer = b""
    while part := connection.recv(1 << 16):
        answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


def test_bodies_that_stall_are_given_up_and_their_places_are_free_again(crowd: Crowd) -> None:
    for _ in range(2):
        stalled = [crowd.connect(crowd.request("POST /theme/", "Content-Length: 10")) for _ in range(25)]
        statuses = sorted(status_of(response) for response in stalled)
        assert statuses == [408] * 20 + [429] * 5


def test_a_body_that_drips_is_given_up(crowd: Crowd) -> None:
    async def drip() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", crowd.port)
        writer.write(crowd.request("POST /theme/", "Content-Length: 1000"))
        answer = asyncio.create_task(reader.read(100))
        while not answer.done():
            writer.write(b"x")
            await asyncio.wait([answer], timeout=0.5)
        writer.close()
        return answer.result()

    assert b" 408 " in asyncio.run(asyncio.wait_for(drip(), 60))


def test_an_upload_of_a_few_mib_arrives(crowd: Crowd) -> None:
    browser = httpx.Client(base_url=crowd.url, cookies={"sessionid": crowd.session}, timeout=60)
    with browser:
        browser.get("/c/coup/submit/")
        form = {"name": "Rita", "way": "file", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        file = {"file": ("bot.py", b"#" * (5 << 20))}
        answer = browser.post("/c/coup/submit/", data=form, files=file)
    assert answer.status_code in (302, 422)
    assert answer.headers.get("Location", "/submissions/").startswith("/submissions/")


@pytest.mark.minutes
@pytest.mark.serial
def test_ten_thousand_open_streams_leave_pages_quick(
    environment: dict[str, str], session: str, many_files: None
) -> None:
    streams = 10_000  # half of the files that the server may open
    limits = {"AGON_STREAMS": str(streams), "AGON_STREAMS_PER_ADDRESS": str(streams)}
    with serving(environment | limits, session, "20000:20000") as crowd:
        alone, memory = seconds_of_a_page(crowd), crowd.memory()
        for _ in range(streams // 100):
            opened = [crowd.connect(crowd.request("GET /c/coup/events/")) for _ in range(100)]
            assert {status_of(response) for response in opened} == {200}
        beside, more = seconds_of_a_page(crowd), crowd.memory() - memory
        print(
            f"{crowd.connections()} sockets, {more / streams / 1024:.1f} KiB of memory a stream; "
            f"a page: median {alone[0]:.3f} s, 95 % {alone[1]:.3f} s alone, {beside[0]:.3f} s and "
            f"{beside[1]:.3f} s beside them"
        )
        assert crowd.connections() >= streams
        assert status_of(crowd.connect(crowd.request("GET /c/coup/events/"))) == 429
        assert more < streams * (64 << 10)
        assert beside[0] < 1.0


def seconds_of_a_page(crowd: Crowd) -> tuple[float, float]:
    """The median of forty, and what 95 % take at most. They are spread over time: streams have a pulse."""
    taken = []
    for _ in range(40):
        began = time.monotonic()
        assert crowd.home() == 200
        taken.append(time.monotonic() - began)
        time.sleep(0.25)
    return sorted(taken)[20], sorted(taken)[38]
