"""A match is given up for the time that bots are charged with, not for waits that they are credited with.

And when a time-out that the host may have made counts.
"""

import dataclasses
import time

import pytest

from contest.match_clock import MatchClock, TimeoutInDoubt
from sandbox.api import Failed, Times


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


TIMEOUT = Failed("timeout", "gave no answer within 1 s", host="others used everything")


def test_a_timeout_in_doubt_counts_only_at_the_last_attempt():
    doubtful = dataclasses.replace(TIMEOUT, doubtful=True)
    with pytest.raises(TimeoutInDoubt, match="under pressure: others used everything"):
        MatchClock(10.0, final=False).judge(doubtful)
    MatchClock(10.0, final=True).judge(doubtful)


def test_a_timeout_without_doubt_counts_at_once():
    MatchClock(10.0, final=False).judge(TIMEOUT)
