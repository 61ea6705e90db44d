"""A worker can be interrupted (SystemExit from a signal handler) at any line of the sandbox."""

import gc
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import pytest

import sandbox
from sandbox.api import Limits, SandboxError
from sandbox.boxes import process
from sandbox.boxes.channel import exchange

HERE = str(Path(sandbox.__file__).parent)
# Lines 1, 8, 15, ... are tried, fewer where each box that is lost on the way costs a container. The lines are
# the same but for those that end a box.
EVERY = {"bubblewrap": 7, "docker": 23}
BOT = "import sys\nprint('cba' if len(sys.argv) > 1 else input()[::-1], flush=True)"


@pytest.fixture(autouse=True)
def ignore_leaks_of_interrupted_lines():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


def interrupt_at(number):
    """A trace function that raises SystemExit at the line of the sandbox that is run as that many-th."""
    lines = count(1)

    def trace_line(frame, event, argument):
        if event == "line" and next(lines) == number:
            sys.exit("interrupted")
        return trace_line

    return lambda frame, event, argument: trace_line if frame.f_code.co_filename.startswith(HERE) else None


def run(session):
    return session.run(["argument"], None, 60.0).stdout.strip()


def talk(session):
    return exchange({0: (session.start(), b"abc\n", 60.0)})[0].text


def use(box, how):
    session = box.session()
    try:
        return how(session)
    finally:
        session.close()


def interrupted(box, how, number):
    """Whether it was: the session can be over before. Nothing else may come out, and it must come out."""
    sys.settrace(interrupt_at(number))
    try:
        use(box, how)
    except SystemExit:
        return True
    finally:
        sys.settrace(None)
    return False


def lent(box):
    """Whether it says that the session before was not even begun to be closed."""
    try:
        box.session().close()
    except SandboxError as error:
        return "has a session already" in str(error)
    return False


def interrupt_everywhere(opened, artifact, how, every):
    """How many lines of the sandbox a session runs; each time, what follows must find a sound box or none."""
    box = opened(artifact)
    for number in count(1, every):
        if not interrupted(box, how, number):
            return number
        if box.alive and not lent(box):
            assert use(box, how) == b"cba"
        else:
            box.close()
            box = opened(artifact)


@pytest.mark.parametrize("how", [run, talk])
def test_wherever_a_worker_is_interrupted_the_box_serves_its_next_session_or_is_closed(
    sandbox, opened, artifacts, how
):
    # An exception that a trace function raises within an except clause leaves that clause's exception, and
    # with it the frames that it came from, with the thread (CPython 3.11). So this thread must not outlive
    # the test.
    with ThreadPoolExecutor(1) as thread:
        every = EVERY[sandbox.name]
        lines = thread.submit(interrupt_everywhere, opened, artifacts(BOT), how, every).result()
    assert lines > 100


@pytest.mark.parametrize("act", ["close_input", "close"])
def test_a_descriptor_closed_as_the_interrupt_arrives_is_not_closed_again(monkeypatch, act):
    reading, writing = os.pipe()
    bot = process.Process(Mock(), writing, -1, -1, Limits())
    close = os.close

    def close_and_end(fd):
        close(fd)
        sys.exit("interrupted")

    with monkeypatch.context() as patch:
        patch.setattr(process.os, "close", close_and_end)
        with pytest.raises(SystemExit):
            getattr(bot, act)()
    others = os.dup2(reading, writing)  # the number belongs to something else now
    bot.close()
    assert os.fstat(others)
    for fd in (reading, others):
        os.close(fd)
