"""Boxes and sessions: one at a time, nothing of one in the next, platform failures reported as such."""

import os
import signal

import pytest

from sandbox.api import Artifact, Limits, SandboxError
from sandbox.boxes.channel import exchange
from tests.support.boxes import one_backend


def test_a_box_serves_many_sessions(opened, artifacts):
    box = opened(artifacts("print(input()[::-1], flush=True)"))
    for number in range(20):
        session = box.session()
        assert exchange({0: (session.start(), b"ab%d\n" % (number % 10), 60.0)})[0].text == b"%dba" % (
            number % 10
        )
        session.close()
    assert box.alive


@one_backend
def test_a_box_has_one_session_at_a_time(opened, artifacts):
    box = opened(artifacts("input()"))
    box.session()
    with pytest.raises(SandboxError, match="has a session already"):
        box.session()


@one_backend
def test_a_session_starts_its_bot_once(opened, artifacts):
    session = opened(artifacts("input()")).session()
    session.start()
    with pytest.raises(SandboxError, match="started its bot already"):
        session.start()


@one_backend
def test_a_closed_box_opens_no_session(opened, artifacts):
    box = opened(artifacts("input()"))
    box.close()
    assert not box.alive
    with pytest.raises(SandboxError, match="closed"):
        box.session()


@one_backend
def test_a_session_that_is_not_used_can_be_closed(opened, artifacts):
    session = opened(artifacts("input()")).session()
    assert session.close().cpu_us == 0


def test_usage_reports_cpu_time_and_memory(opened, artifacts):
    session = opened(
        artifacts("import time\nx = b'x' * (50 << 20)\nwhile time.process_time() < 0.1: pass")
    ).session()
    session.run([], None, 60.0)
    usage = session.close()
    assert usage.cpu_us >= 100_000
    assert usage.peak_kib >= 50 << 10


def test_the_death_of_the_agent_is_the_platforms_failure(opened, artifacts):
    box = opened(artifacts("input()\ninput()"))
    session = box.session()
    process = session.start()
    _kill_agent(box)
    with pytest.raises(SandboxError):
        exchange({0: (process, b"go\n", 60.0)})
    assert not box.alive


def _kill_agent(box):
    """From outside, as the out-of-memory killer of the host would."""
    if box.host.uids:
        box.host.container.reload()
        pid = box.host.container.attrs["State"]["Pid"]
    else:
        with open(f"/proc/{box.host.process.pid}/task/{box.host.process.pid}/children") as children:
            pid = int(children.read())
    os.kill(pid, signal.SIGKILL)


def test_an_artifact_is_what_was_saved(tmp_path):
    artifact = Artifact(tmp_path, "abc", "python", ("python3", "bot.py"), "bot.py")
    artifact.save()
    assert Artifact.load(tmp_path) == artifact


def test_a_folder_that_is_no_artifact_is_refused(tmp_path):
    with pytest.raises(SandboxError, match="not a built submission"):
        Artifact.load(tmp_path)


def test_limits_are_those_given(opened, artifacts):
    limits = Limits(open_files=32, work_mib=3)
    session = opened(
        artifacts("""
            import os, resource
            files = os.statvfs(".")
            print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], files.f_blocks * files.f_frsize >> 20)
        """),
        limits,
    ).session()
    assert session.run([], None, 60.0).stdout == b"32 3\n"
