"""Real boxes and real bots for tests: both backends, bots given as source."""

import functools
import hashlib
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox import Sandbox, open_sandbox
from sandbox.api import Artifact, Box, Limits, Process, ProgramRun, Session, Usage
from sandbox.boxes import cgroup
from sandbox.boxes.pool import Pool
from sandbox.boxes.runs import Runs
from sandbox.leftovers import this_process

BACKENDS = ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)]
# For what is decided above the backends, and reaches them through sandbox/api.py alone. That both keep to it
# is tested in tests/sandbox: builds in test_build_box.py, sessions in test_stdio.py and test_program.py.
one_backend = pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
Lent = tuple[Pool, Box]


@pytest.fixture(scope="session", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Artifact]:
    """artifacts(source, warm=True, **more files): a Python bot; warm=False: started by exec."""

    def make(source: str, warm: bool = True, **files: str | bytes) -> Artifact:
        folder = tmp_path_factory.mktemp("artifact")
        artifact = Artifact(
            folder,
            hashlib.sha256(str(folder).encode()).hexdigest(),
            "python",
            ("python3", "bot.py"),
            "bot.py" if warm else None,
        )
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(textwrap.dedent(source))
        for name, content in files.items():
            path = artifact.files / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return artifact

    return make


@pytest.fixture(scope="session")
def compiled(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Artifact]:
    """compiled(source): a C bot, built in the sandbox; each source once."""
    built: dict[str, Artifact] = {}

    def make(source: str) -> Artifact:
        if source not in built:
            given = tmp_path_factory.mktemp("source")
            (given / "bot.c").write_text(textwrap.dedent(source))
            folder = tmp_path_factory.mktemp("artifact")
            steps = [["gcc", "-O1", "-pthread", "-o", "bot", "bot.c"]]
            run = sandbox.build(given, steps, Limits(memory_mib=512), 30, folder / "files")
            assert run.ok, run.log
            built[source] = Artifact(folder, hashlib.sha256(source.encode()).hexdigest(), "c", ("./bot",))
        return built[source]

    return make


@pytest.fixture
def opened(sandbox: Sandbox) -> Iterator[Callable[..., Box]]:
    """opened(artifact, limits): an open box, closed when the test ends."""
    boxes: list[Box] = []

    def make(artifact: Artifact, limits: Limits | None = None) -> Box:
        boxes.append(sandbox.open(artifact, limits or Limits()))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


TOLD = """
    import os, sys
    def told():
        if len(sys.argv) > 1: return sys.argv.pop()
        left, text = int(os.read(0, 8), 16), b""
        while len(text) < left: text += os.read(0, left - len(text))
        return text
    exec(compile(told(), "bot.py", "exec"))
"""


class ToldSession:
    """A session of the bot TOLD. It is told its program on its input, or as the last argument of a run."""

    def __init__(self, box: Box, source: str) -> None:
        self.box = box
        self.source = textwrap.dedent(source)
        self._session = box.session()

    def start(self) -> Process:
        process = self._session.start()
        text = self.source.encode()
        os.write(process.stdin, b"%08x" % len(text) + text)
        return process

    def run(self, args: Sequence[str], file: bytes | None, seconds: float) -> ProgramRun:
        return self._session.run([*args, self.source], file, seconds)

    def runs(self) -> Runs:
        return self._session.runs()

    def close(self) -> Usage:
        return self._session.close()

    @property
    def stderr(self) -> bytes:
        return self._session.stderr

    @property
    def stderr_at(self) -> tuple[int, ...]:
        return self._session.stderr_at


@pytest.fixture(scope="module")
def warm_box(sandbox: Sandbox, artifacts: Callable[..., Artifact]) -> Iterator[Callable[..., Lent]]:
    """warm_box(warm, limits): a pool, and a box of it with the bot TOLD."""
    bots = {warm: artifacts(TOLD, warm) for warm in (True, False)}
    pools: dict[object, Pool] = {}

    def take(warm: bool, limits: Limits | None) -> Lent:
        place = frozenset(os.sched_getaffinity(0)), cgroup.available()  # where a box is, for good
        pool = pools.setdefault(place, Pool(sandbox, Limits(), most=4))
        return pool, pool.take(bots[warm], limits)

    yield take
    for pool in pools.values():
        pool.close()


@pytest.fixture
def session(
    warm_box: Callable[..., Lent], opened: Callable[..., Box], artifacts: Callable[..., Artifact]
) -> Iterator[Callable[..., Session]]:
    """session(source, limits, warm, **more files): a session with that Python bot.

    It is told its program in a warm box, used before as in play, so that not every test opens one. With more
    files the bot is an artifact in a box of its own.
    """
    lent: list[tuple[Pool, ToldSession]] = []

    def make(source: str, limits: Limits | None = None, warm: bool = True, **files: str) -> Session:
        if files:
            return opened(artifacts(source, warm, **files), limits).session()
        pool, box = warm_box(warm, limits)
        lent.append((pool, ToldSession(box, source)))
        return lent[-1][1]

    yield make
    for pool, session in lent:
        session.close()
        pool.give(session.box)


@pytest.fixture(params=[True, False], ids=["forked", "spawned"])
def warm(request: pytest.FixtureRequest) -> bool:
    """Whether a Python bot is forked from the warm interpreter; else it is a program, like all others."""
    return bool(request.param)


@pytest.fixture
def program(session: Callable[..., Session], warm: bool) -> Callable[..., Session]:
    """The same as session, of either kind."""
    return functools.partial(session, warm=warm)


def agent_of(box: Box) -> int:
    """The pid of its agent, as this process sees it."""
    host = box.host
    if host.uids:
        host.container.reload()
        return host.container.attrs["State"]["Pid"]
    (agent,) = children(host.process.pid)
    return agent


def agents(sandbox: Sandbox) -> list[int]:
    """The pids of the agents of all boxes that this process has opened, those half open included."""
    if sandbox.name == "docker":
        mine = {"label": f"agon.sandbox.owner={this_process()}"}
        found = sandbox.client.containers.list(filters=mine, ignore_removed=True)
        pids = [container.attrs["State"]["Pid"] for container in found]
        return [pid for pid in pids if pid]  # 0: it has ended meanwhile
    launched = [pid for pid in children(os.getpid()) if is_bwrap(pid)]  # and not, say, a site of other tests
    return [agent for pid in launched for agent in children(pid)]


def is_bwrap(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text() == "bwrap\n"
    except OSError:  # it has ended meanwhile
        return False


def first_of(box: Box) -> int:
    """In namespaces, the pid of PID 1 of those of the session that goes on."""
    (first,) = (pid for pid in children(agent_of(box)) if is_first(pid))
    return first


def is_first(pid: int) -> bool:
    """Whether it is PID 1 of a namespace."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has ended meanwhile
        return False
    return any("\t1\n" in line for line in re.findall(r"NSpid:.*\n", status))


def family(pid: int) -> Iterator[int]:
    """A process and all that it and its children have started, as far as they are still there."""
    yield pid
    for child in children(pid):
        yield from family(child)


def children(pid: int) -> list[int]:
    found = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:  # it has ended meanwhile
        return []
    for task in tasks:
        with suppress(OSError):
            words = Path(f"/proc/{pid}/task/{task}/children").read_text().split()
            found += [int(word) for word in words]
    return found
