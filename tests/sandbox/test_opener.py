"""Boxes that another process opens: the worker has no engine, and can ask for nothing but a box."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import docker
import pytest

from sandbox.api import CORE, Failed, Limits, SandboxError
from sandbox.backends import open_sandbox, opened
from sandbox.boxes.channel import exchange
from sandbox.reason_texts import english

pytestmark = pytest.mark.docker

ROOT = Path(__file__).resolve().parents[2]
BOT = """
    import sys
    for line in sys.stdin:
        print(line.strip().upper(), flush=True)
"""
WANTED = {"family": "core", "memory_mib": 64, "processes": 8, "work_mib": 8, "size": 1 << 20}
WANTED |= {"processors": sorted(os.sched_getaffinity(0))}


class Opener(NamedTuple):
    path: str
    pid: int


@pytest.fixture(scope="module")
def opener(tmp_path_factory) -> Iterator[Opener]:
    path = tmp_path_factory.mktemp("opener") / "socket"
    process = subprocess.Popen([sys.executable, "-m", "sandbox.backends.opener", str(path)], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield Opener(str(path), process.pid)
    process.terminate()
    process.wait(30)


@pytest.fixture
def worker(opener, containers, monkeypatch):
    """The sandbox of a worker that has no engine."""
    monkeypatch.setenv("AGON_SANDBOX_OPENER", opener.path)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    sandbox = open_sandbox("docker")
    yield sandbox
    sandbox.close()


@pytest.fixture
def client():
    engine = docker.from_env()
    yield engine
    engine.close()


@pytest.fixture
def containers(opener, client):
    """The names of the containers that the opener has opened."""

    def find():
        listed = client.containers.list(
            all=True, ignore_removed=True, filters={"name": f"agon-{opener.pid}-"}
        )
        return {container.name for container in listed}

    return find


def is_none_left(containers):
    """Whether all containers are gone, soon: a busy engine may still be removing one."""
    deadline = time.monotonic() + 20
    while containers() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not containers()


def ask(opener, question):
    with opened.connect(opener.path) as connection:
        return opened.ask(connection, question)


def test_a_worker_without_an_engine_gets_boxes_that_work(worker, artifacts, containers):
    box = worker.open(artifacts(BOT), Limits())
    session = box.session()
    answer = exchange({0: (session.start(), b"hello\n", 20.0)})[0]
    assert answer.text == b"HELLO"
    assert len(containers()) == 1
    session.close()
    box.close()
    assert is_none_left(containers)


def test_a_worker_builds_in_such_a_box_and_learns_why_one_ended(worker, tmp_path):
    source, result = tmp_path / "source", tmp_path / "result"
    source.mkdir()
    (source / "a.txt").write_text("x")
    run = worker.build(source, [["cp", "a.txt", "b.txt"]], Limits(), 20.0, result)
    assert run.ok
    assert (result / "b.txt").read_text() == "x"
    eats = [["python3", "-c", "x = [b'x' * (1 << 20) for n in range(10_000)]"]]
    lost = worker.build(source, eats, Limits(memory_mib=64), 20.0, tmp_path / "other")
    assert not lost.ok


def test_a_box_ends_with_the_worker_that_asked_for_it(opener, containers):
    code = f"""
import json, os, socket
from sandbox.backends import opened
connection = opened.connect({opener.path!r})
opened.ask(connection, {{"open": json.loads({json.dumps(json.dumps(WANTED))})}})
print("open", flush=True)
import time; time.sleep(600)
"""
    worker = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert worker.stdout.readline() == b"open\n"
    assert len(containers()) == 1
    worker.kill()
    worker.communicate()
    deadline = time.monotonic() + 60
    while containers():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize(
    "change",
    [
        {"family": "../core"},
        {"family": "core:latest"},
        {"family": ["core"]},
        {"memory_mib": 1 << 20},
        {"memory_mib": "64"},
        {"memory_mib": True},
        {"processes": -1},
        {"work_mib": 1e3},
        {"size": 1 << 40},
        {"processors": ["0-63"]},
        {"processors": [1 << 20]},
        {"volumes": {"/": "/host"}},
        {"privileged": True},
    ],
    ids=str,
)
def test_a_worker_can_ask_for_nothing_but_a_family_limits_and_a_size(opener, containers, change):
    with pytest.raises(SandboxError, match="expected"):
        ask(opener, {"open": WANTED | change})
    assert is_none_left(containers)


@pytest.mark.parametrize(
    "message", [b"x", b"[]", b"{}", b'{"death": true}', b'{"remove": "name"}', b"[" * 4000, b"x" * 5000]
)
def test_any_other_message_is_refused_and_the_next_one_answered(opener, message):
    with opened.connect(opener.path) as connection:
        connection.send(message)
        assert "error" in json.loads(connection.recv(1 << 16))
        assert opened.ask(connection, {"image": CORE})[0]["image"]


def test_a_connection_has_one_box(opener, containers):
    with opened.connect(opener.path) as connection:
        _, descriptors = opened.ask(connection, {"open": WANTED})
        assert not os.get_inheritable(descriptors[0])
        with pytest.raises(SandboxError, match="expected image, sweep, open or death"):
            opened.ask(connection, {"open": WANTED})
        assert len(containers()) == 1
        control = socket.socket(fileno=descriptors[0])
        control.close()
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        death = opened.ask(connection, {"death": True})[0]["death"]
    assert death[:2] == [0, False]


def test_a_family_that_does_not_exist_is_refused(opener):
    with pytest.raises(SandboxError, match="expected a family of languages"):
        ask(opener, {"image": "nothing"})


def test_without_an_opener_the_worker_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("AGON_SANDBOX_OPENER", str(tmp_path / "nothing"))
    with pytest.raises(SandboxError, match="no opener of boxes answers at"):
        open_sandbox("docker")


def test_a_box_that_is_killed_from_outside_is_the_platforms_failure(worker, artifacts, containers, client):
    box = worker.open(artifacts(BOT), Limits())
    process = box.session().start()
    client.containers.get(*containers()).kill()
    with pytest.raises(SandboxError, match="the engine was asked to kill the container"):
        exchange({0: (process, b"hello\n", 20.0)})
    box.close()


def test_a_bot_without_memory_is_at_fault_as_in_a_box_of_its_own_engine(worker, artifacts):
    box = worker.open(
        artifacts("input(); x = [b'x' * (1 << 20) for n in range(10_000)]"), Limits(memory_mib=64)
    )
    [answer] = exchange({0: (box.session().start(), b"go\n", 20.0)}).values()
    assert isinstance(answer, Failed)
    assert "memory" in english(answer.reason)
    box.close()
