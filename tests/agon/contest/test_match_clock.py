"""A match is given up for the time of its referee, not for that of its bots."""

import time

import pytest

from agon.contest.match_clock import MatchClock, OutOfTime


@pytest.fixture
def at(monkeypatch):
    """at(seconds): let that much time have passed since the test began."""
    now = time.monotonic()
    monkeypatch.setattr("agon.contest.match_clock.time.monotonic", lambda: now)
    return lambda seconds: monkeypatch.setattr(
        "agon.contest.match_clock.time.monotonic", lambda: now + seconds
    )


def test_a_match_is_over_after_its_time(at):
    clock = MatchClock(10.0)
    at(9.0)
    clock.check()
    at(10.5)
    with pytest.raises(OutOfTime, match="match_s"):
        clock.check()


def test_the_clock_stands_still_while_bots_are_waited_for(at):
    clock = MatchClock(10.0)
    at(2.0)
    with clock.stopped():
        at(1000.0)
    at(1007.5)
    clock.check()
    at(1008.5)
    with pytest.raises(OutOfTime):
        clock.check()


def test_and_goes_on_after_a_failure_of_the_sandbox(at):
    clock = MatchClock(10.0)
    waiting = clock.stopped()
    waiting.__enter__()
    at(20.0)
    assert not waiting.__exit__(KeyError, KeyError(), None)
    at(29.0)
    clock.check()
    at(30.5)
    with pytest.raises(OutOfTime):
        clock.check()


def test_who_does_not_wait_longer_counts_all_the_time(at):
    clock = MatchClock(1000.0, longest_s=60.0)
    with clock.stopped():
        at(59.0)
    clock.check()
    with clock.stopped():
        at(60.5)
    with pytest.raises(OutOfTime, match="waits for it"):
        clock.check()
