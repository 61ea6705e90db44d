"""The table of evidence: who is to blame when a box is lost."""

import signal

import pytest

from sandbox.api import SandboxError
from sandbox.boxes import blame as blame_module
from sandbox.boxes.blame import Death, blame

KILLED = -signal.SIGKILL


@pytest.mark.parametrize(
    ("death", "kind"),
    [
        (Death(KILLED, out_of_memory=True), "memory"),
        (Death(None, out_of_memory=True), "memory"),
        (Death(1, out_of_memory=True), "memory"),
        (Death(KILLED, out_of_memory=True, outside="the engine was asked to kill it"), "memory"),
        (Death(0, out_of_memory=False), "crash"),
        (Death(1, out_of_memory=False), "crash"),
        (Death(-signal.SIGSEGV, out_of_memory=False), "crash"),
        (Death(None, out_of_memory=False), "crash"),
    ],
)
def test_what_can_be_brought_about_from_inside_is_the_bots_fault(death, kind):
    assert blame(death).kind == kind


@pytest.mark.parametrize(
    "death",
    [
        Death(KILLED, out_of_memory=False),
        Death(KILLED, out_of_memory=False, outside="the engine was asked to kill it"),
        Death(None, out_of_memory=False, outside="the engine fails"),
        Death(1, out_of_memory=False, outside="the engine has lost it"),
    ],
)
def test_what_can_only_have_been_done_from_outside_is_no_bots_fault(death):
    with pytest.raises(SandboxError):
        blame(death)


def test_a_silence_is_the_bots_fault_on_a_busy_host_too(monkeypatch):
    """A bot can keep the processors busy and its agent silent.

    If that were the platform's failure, its match would begin again.
    """
    monkeypatch.setattr(blame_module, "overload_delay_s", lambda: 0.0)
    failed = blame(Death(None, False), 10.0)
    assert failed.kind == "crash"
