"""Code of a game that never ends is interrupted, and nothing else is."""

import itertools
import subprocess
import sys
import threading
import time

import pytest

from games.core.time_limit import TookTooLong, limited
from tests.support.processes import ROOT


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def never_ends() -> None:
    for _ in itertools.count():
        try:
            busy(0.01)
        except Exception:
            continue


def test_what_never_ends_is_interrupted_after_its_processor_time() -> None:
    began = time.thread_time()
    with pytest.raises(TookTooLong, match="too much processor time"), limited(0.3):
        never_ends()
    assert 0.25 < time.thread_time() - began < 3


def goes_on_after_all_failures() -> None:
    try:
        busy(10)
    except:  # noqa: E722
        busy(10)


def test_an_interruption_that_the_code_itself_catches_is_followed_by_another() -> None:
    began = time.thread_time()
    with pytest.raises(TookTooLong), limited(0.2):
        goes_on_after_all_failures()
    busy(0.7)  # nothing more comes
    assert time.thread_time() - began < 5


def test_in_any_thread_and_others_go_on() -> None:
    interrupted = []

    def in_a_thread() -> None:
        with pytest.raises(TookTooLong), limited(0.2):
            never_ends()
        interrupted.append(threading.current_thread())

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    with limited(30):
        busy(0.1)
    thread.join(60)
    assert interrupted == [thread]


def test_what_ends_in_time_is_not_interrupted_later() -> None:
    for _ in range(20):
        with limited(0.02):
            busy(0.001)
    busy(0.3)


def test_an_interruption_that_comes_at_the_very_end_does_not_arrive_after_it() -> None:
    for number in range(40):
        try:
            with limited(0.1):
                busy(0.095 + number / 4000)
        except TookTooLong:
            continue
        busy(0.01)


AFTERWARDS = """
import sys, time
from games.core.time_limit import TookTooLong, limited

def busy(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass

for block in (0.3, 10.0):  # one that ends as the exception arrives, and one that it ends
    try:
        with limited(0.2):
            busy(block)
    except TookTooLong:
        pass
sys.settrace(lambda *_: None)
busy(0.0)
sys.settrace(None)
print("went on")
"""


def test_the_interpreter_looks_for_no_interruption_afterwards() -> None:
    """Else it would be slower from then on, and CPython 3.11 stand still where it is traced."""
    command = [sys.executable, "-c", AFTERWARDS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("went on\n", "")
