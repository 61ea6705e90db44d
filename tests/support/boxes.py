"""Fixtures with real boxes on both backends, and real bots that are given as source code."""

import functools
import hashlib
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.api import Artifact, Box, Limits, Process, ProgramRun, Sandbox, Session, Usage
from sandbox.backends import open_sandbox
from sandbox.boxes import cgroup
from sandbox.boxes.pool import Pool
from sandbox.boxes.runs import Runs
from sandbox.leftovers import this_process

BACKENDS = ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)]
# For tests of code that uses the backends only through sandbox/api.py, so that one backend is enough. In
# tests/sandbox, test_build_box.py, test_stdio.py and test_program.py show that both follow that interface.
one_backend = pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
Lent = tuple[Pool, Box]


@pytest.fixture(scope="session", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Artifact]:
    """artifacts(source, warm=True, **more files): a Python bot. warm=False: it is started with exec."""

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
    """compiled(source): a C bot, built in the sandbox. The same source is built once."""
    built: dict[str, Artifact] = {}

    def make(source: str) -> Artifact:
        if source not in built:
            source_folder = tmp_path_factory.mktemp("source")
            (source_folder / "bot.c").write_text(textwrap.dedent(source))
            folder = tmp_path_factory.mktemp("artifact")
            steps = [["gcc", "-O1", "-pthread", "-o", "bot", "bot.c"]]
            run = sandbox.build(source_folder, steps, Limits(memory_mib=512), 30, folder / "files")
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


# A bot that receives its program, with its first input or as its last argument, and executes it.
RECEIVER = """
    import os, sys
    def received():
        if len(sys.argv) > 1: return sys.argv.pop()
        left, text = int(os.read(0, 8), 16), b""
        while len(text) < left: text += os.read(0, left - len(text))
        return text
    exec(compile(received(), "bot.py", "exec"))
"""


class ReceiverSession:
    """A session of the bot RECEIVER that sends it a program."""

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
    """warm_box(warm, limits): a pool, and a box from it with the bot RECEIVER."""
    bots = {warm: artifacts(RECEIVER, warm) for warm in (True, False)}
    pools: dict[object, Pool] = {}

    def take(warm: bool, limits: Limits | None) -> Lent:
        fixed = frozenset(os.sched_getaffinity(0)), cgroup.available()  # what an open box cannot change
        pool = pools.setdefault(fixed, Pool(sandbox, Limits(), most=4))
        return pool, pool.take(bots[warm], limits)

    yield take
    for pool in pools.values():
        pool.close()


@pytest.fixture
def session(
    warm_box: Callable[..., Lent], opened: Callable[..., Box], artifacts: Callable[..., Artifact]
) -> Iterator[Callable[..., Session]]:
    """session(source, limits, warm, **more files): a session of a Python bot with this source.

    The source is sent to a warm box, which is reused as in real matches, so that not every test opens a box.
    With more files, the bot is an artifact in a box of its own.
    """
    lent: list[tuple[Pool, ReceiverSession]] = []

    def make(source: str, limits: Limits | None = None, warm: bool = True, **files: str) -> Session:
        if files:
            return opened(artifacts(source, warm, **files), limits).session()
        pool, box = warm_box(warm, limits)
        lent.append((pool, ReceiverSession(box, source)))
        return lent[-1][1]

    yield make
    for pool, session in lent:
        session.close()
        pool.give(session.box)


@pytest.fixture(params=[True, False], ids=["forked", "spawned"])
def warm(request: pytest.FixtureRequest) -> bool:
    """Whether a Python bot is forked from the warm interpreter; if not, it is spawned like other programs."""
    return bool(request.param)


@pytest.fixture
def program(session: Callable[..., Session], warm: bool) -> Callable[..., Session]:
    """Like `session`, with bots that are forked and with bots that are spawned."""
    return functools.partial(session, warm=warm)


def agent_of(box: Box) -> int:
    """The pid of the box's agent, in the pid namespace of this process."""
    host = box.host
    if host.uids:
        host.container.reload()
        return host.container.attrs["State"]["Pid"]
    (agent,) = children(host.process.pid)
    return agent


def agents(sandbox: Sandbox) -> list[int]:
    """The pids of the agents of all boxes of this process, including boxes that are just being opened."""
    if sandbox.name == "docker":
        mine = {"label": f"agon.sandbox.owner={this_process()}"}
        containers = sandbox.client.containers.list(filters=mine, ignore_removed=True)
        pids = [container.attrs["State"]["Pid"] for container in containers]
        return [pid for pid in pids if pid]  # 0: the container has ended
    # Other children may be, for example, the site of another test.
    parents = [pid for pid in children(os.getpid()) if is_bwrap(pid)]
    return [agent for pid in parents for agent in children(pid)]


def is_bwrap(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text() == "bwrap\n"
    except OSError:  # the process has ended
        return False


def first_of(box: Box) -> int:
    """The pid, outside of its namespace, of PID 1 of the current session (bubblewrap only)."""
    (first,) = (pid for pid in children(agent_of(box)) if is_first(pid))
    return first


def is_first(pid: int) -> bool:
    """Whether the process is PID 1 of a pid namespace."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # the process has ended
        return False
    return any("\t1\n" in line for line in re.findall(r"NSpid:.*\n", status))


def family(pid: int) -> Iterator[int]:
    """A process and all of its descendants that are still running."""
    yield pid
    for child in children(pid):
        yield from family(child)


def children(pid: int) -> list[int]:
    pids = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:  # the process has ended
        return []
    for task in tasks:
        with suppress(OSError):
            words = Path(f"/proc/{pid}/task/{task}/children").read_text().split()
            pids += [int(word) for word in words]
    return pids
