"""Whatever is killed from outside: no bot is blamed for it, and nothing is left."""

import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from sandbox.api import Failed, Limits, SandboxError
from sandbox.boxes import blame
from sandbox.boxes.channel import exchange
from sandbox.inside import wire
from sandbox.reason_texts import english
from tests.support.boxes import BACKENDS, agent_of, agents, children, family, first_of

pytestmark = pytest.mark.slow

WORKER = """
    import sys
    from pathlib import Path
    from sandbox.backends import open_sandbox
    from sandbox.api import Artifact, Limits
    from sandbox.boxes.channel import await_lines
    from tests.support.boxes import agent_of, family

    sandbox = open_sandbox(sys.argv[1])
    box = sandbox.open(Artifact(Path(sys.argv[2]), "x", "python", ("python3", "bot.py"), "bot.py"), Limits())
    process = box.session().start()
    await_lines({0: (process, 60.0)})
    print(*family(agent_of(box)), flush=True)
    sys.stdin.read()
"""

BOT = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    print("ready", flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("name", BACKENDS)
def test_when_a_worker_is_killed_no_process_of_its_boxes_is_left(name, artifacts):
    worker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORKER), name, artifacts(BOT).path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout is not None
        pids = [int(word) for word in worker.stdout.readline().split()]
        watched = []
        for pid in pids:
            with suppress(ProcessLookupError):  # a child of the agent that it makes to look at the others
                watched.append(os.pidfd_open(pid))
        assert len(watched) >= 3, "agent, bot and its child; in namespaces their PID 1 as well"
    finally:
        worker.kill()
        worker.communicate()
    for fd in watched:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        assert poll.poll(60_000), f"one of {pids} is still there"
        os.close(fd)


# What is killed from outside while a bot runs: never the bot's fault.

MANY = 4
CROWD = f"""
    import os, sys, time
    if len(sys.argv) == 1: print(input(), flush=True); input()
    for _ in range({MANY}):
        if os.fork() == 0: break
    time.sleep(1000)
"""


def kill_agent(box):
    os.kill(agent_of(box), signal.SIGKILL)


def kill_first(box):
    os.kill(first_of(box), signal.SIGKILL)


def kill_everything(box):
    """The bots first, in no order that can be relied on: as when a whole control group is ended."""
    for pid in reversed(list(family(agent_of(box)))):
        with suppress(ProcessLookupError):  # with the one before it
            os.kill(pid, signal.SIGKILL)


def remove_container(box):
    box.host.container.remove(force=True)


OWN_WAYS = {"bubblewrap": kill_first, "docker": remove_container}


@pytest.fixture(
    params=[kill_agent, kill_everything, "its own"], ids=["agent", "everything", "namespace or container"]
)
def killing(request, sandbox):
    """What ends a session from outside: for one, each sandbox has its own way."""
    return request.param if callable(request.param) else OWN_WAYS[sandbox.name]


@contextmanager
def as_soon_as(condition, act) -> Iterator[None]:
    """Do `act` from another thread, once `condition` holds."""
    begun, over = threading.Event(), threading.Event()

    def watch():
        while not condition():
            if over.wait(0.002):
                return
        begun.set()
        act()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert begun.is_set(), "it was over before that"


def when_it_has_children(box, killing):
    """Do that to the box as soon as its bot has a crowd of children."""
    before = len(list(family(agent_of(box))))
    return as_soon_as(lambda: len(list(family(agent_of(box)))) >= before + MANY, lambda: killing(box))


def test_a_bot_is_not_blamed_for_what_was_killed_while_it_was_thinking(opened, artifacts, killing, warm):
    box = opened(artifacts(CROWD, warm))
    session = box.session()
    process = session.start()
    assert exchange({0: (process, b"hello\n", 60.0)})[0].text == b"hello"
    with when_it_has_children(box, killing), pytest.raises(SandboxError):
        exchange({0: (process, b"go\n", 60.0)})
    assert not box.alive
    session.close()


def test_a_program_is_not_blamed_for_what_was_killed_while_it_ran(opened, artifacts, killing, warm):
    box = opened(artifacts(CROWD, warm))
    session = box.session()
    with when_it_has_children(box, killing), pytest.raises(SandboxError):
        session.run(["go"], b"", 60.0)
    assert not box.alive
    session.close()


# Lets no other process use a processor for a third of a second.
HOG = """
    import os, sys, time
    os.sched_setaffinity(0, {int(sys.argv[1])})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print(flush=True)
    end = time.monotonic() + 0.3
    while time.monotonic() < end: pass
"""


@pytest.mark.serial
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can keep others from a processor")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the agent needs another processor")
@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
def test_nor_where_its_namespace_takes_long_to_end(opened, artifacts):
    """PID 1 of it waits for the program, which is the agent's to reap, and then for a processor."""
    mine, theirs, *_ = sorted(os.sched_getaffinity(0))

    def kill(box):
        agent, first = agent_of(box), first_of(box)
        [program] = (pid for pid in children(agent) if pid != first)
        crowd = children(program)
        os.sched_setaffinity(agent, {mine})
        os.sched_setaffinity(first, {theirs})
        os.kill(agent, signal.SIGSTOP)
        os.kill(first, signal.SIGKILL)
        while any(os.path.exists(f"/proc/{pid}") for pid in crowd):
            time.sleep(0.002)
        command = [sys.executable, "-c", textwrap.dedent(HOG), str(theirs)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as hog:
            assert hog.stdout is not None
            assert hog.stdout.readline(), "it could not get the processor to itself"
            os.kill(agent, signal.SIGCONT)

    box = opened(artifacts(CROWD, warm=False))
    session = box.session()
    with when_it_has_children(box, kill), pytest.raises(SandboxError):
        session.run(["go"], b"", 60.0)
    assert not box.alive
    session.close()


def test_a_box_that_is_lost_while_nothing_runs_in_it_is_known_to_be(opened, artifacts):
    box = opened(artifacts("input()"))
    box.session().close()
    assert box.alive
    agent = agent_of(box)
    gone = os.pidfd_open(agent)
    os.kill(agent, signal.SIGKILL)
    select.select([gone], [], [], 60.0)
    os.close(gone)
    assert not box.alive
    with pytest.raises(SandboxError, match="the box was lost"):
        box.session()


def test_a_build_that_lost_its_box_has_not_failed_for_its_author(sandbox, tmp_path):
    steps = [["sh", "-c", "sleep 1000 & sleep 1000 & sleep 1000 & wait"]]
    multithreaded = lambda: any(len(list(family(agent))) > MANY for agent in agents(sandbox))  # noqa: E731
    with as_soon_as(multithreaded, lambda: kill_agents(sandbox)), pytest.raises(SandboxError):
        sandbox.build(tmp_path, steps, Limits(), 60.0, tmp_path / "result")


@pytest.mark.serial  # a thread must see the agent before the box is open
@pytest.mark.one_core
def test_a_box_that_is_lost_while_it_is_opened_is_the_platforms_failure(sandbox, artifacts):
    artifact = artifacts("input()", big_dot_bin=bytes(40 << 20))
    there = lambda: agents(sandbox)  # noqa: E731
    with as_soon_as(there, lambda: kill_agents(sandbox)), pytest.raises(SandboxError):
        sandbox.open(artifact, Limits())
    assert agents(sandbox) == []


def kill_agents(sandbox):
    for agent in agents(sandbox):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(agent, signal.SIGKILL)


# What is brought about from inside a box is the bot's fault, whatever it has done to the box.

SLEEPER = "import time; time.sleep(1000)"


def fault_of(box, act) -> Failed:
    """The fault of a bot to whose box this is done while it is asked."""
    session = box.session()
    process = session.start()
    act()
    answer = exchange({0: (process, b"go\n", 1.0)})[0]
    session.close()
    assert not box.alive
    assert isinstance(answer, Failed)
    return answer


def test_a_bot_is_blamed_for_an_agent_that_fails(opened, artifacts, warm):
    box = opened(artifacts(SLEEPER, warm))
    fault = fault_of(box, lambda: wire.send(box.host.control, {"op": "what no worker asks"}))
    assert (fault.kind, english(fault.reason)[:17]) == ("crash", "broke its sandbox")


def test_a_bot_is_blamed_for_an_agent_that_is_silent_on_an_idle_host(opened, artifacts, impatient):
    box = opened(artifacts(SLEEPER))
    fault = fault_of(box, lambda: os.kill(agent_of(box), signal.SIGSTOP))
    assert fault.kind == "crash"
    assert english(fault.reason).startswith("kept its sandbox from answering")


def test_no_bot_is_blamed_for_an_agent_that_is_silent_on_a_starved_host(
    opened, artifacts, impatient, monkeypatch
):
    """The naps of a process that gets no processor end late."""
    nap = time.sleep
    monkeypatch.setattr(blame.time, "sleep", lambda seconds: nap(seconds + 0.03))
    box = opened(artifacts(SLEEPER))
    with pytest.raises(SandboxError, match="overloaded"):
        fault_of(box, lambda: os.kill(agent_of(box), signal.SIGSTOP))


def test_a_program_is_blamed_for_an_agent_that_fails(opened, artifacts, warm):
    box = opened(artifacts(SLEEPER, warm))
    session = box.session()
    fail = lambda: wire.send(box.host.control, {"op": "what no worker asks"})  # noqa: E731
    before = len(list(family(agent_of(box))))
    with as_soon_as(lambda: len(list(family(agent_of(box)))) > before, fail):
        run = session.run(["go"], b"", 1.0)
    assert run.failed is not None
    assert run.failed.kind == "crash"
    session.close()
    assert not box.alive


@pytest.fixture
def impatient(monkeypatch):
    """Shorter waits for an agent that is silent."""
    monkeypatch.setattr("sandbox.boxes.agent_link._SETUP_SECONDS", 1.0)
    monkeypatch.setattr("sandbox.boxes.agent_link._EVIDENCE_SECONDS", 1.0)
    monkeypatch.setattr("sandbox.boxes.agent_link._STATUS_SECONDS", 1.0)
