"""A match is given up for the time that bots are charged with, not for waits that they are credited with."""

import time

from contest.match_clock import MatchClock
from sandbox.api import Times


def test_a_match_is_over_after_its_time(monkeypatch):
    clock = MatchClock(10.0)
    now = time.monotonic()
    monkeypatch.setattr("contest.match_clock.time.monotonic", lambda: now + 9.0)
    assert not clock.over
    monkeypatch.setattr("contest.match_clock.time.monotonic", lambda: now + 10.5)
    assert clock.over


def test_what_bots_waited_for_a_processor_does_not_count(monkeypatch):
    """Of those asked together the longest wait: they wait at the same time."""
    clock = MatchClock(10.0)
    now = time.monotonic()
    clock.credit(
        [
            Times(6_000_000, 1_000_000, 5_000_000),
            Times(3_000_000, 0, 3_000_000),
            Times(2_000_000, 2_000_000, 0),
        ]
    )
    monkeypatch.setattr("contest.match_clock.time.monotonic", lambda: now + 14.5)
    assert not clock.over
    monkeypatch.setattr("contest.match_clock.time.monotonic", lambda: now + 15.5)
    assert clock.over


def test_a_bot_that_sleeps_or_computes_gets_no_credit(monkeypatch):
    clock = MatchClock(10.0)
    now = time.monotonic()
    clock.credit([Times(5_000_000, 0, 0)])
    clock.credit([Times(5_000_000, 5_000_000, 0)])
    clock.credit([])
    monkeypatch.setattr("contest.match_clock.time.monotonic", lambda: now + 10.5)
    assert clock.over
