"""The times of a match: two digits of each, by seat, read back from anywhere, fitted to the match again."""

import json
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.driver import Driver, Reply
from games.core.manifest import load
from games.core.match_log import timed
from games.core.record import BadRecord, SeatInfo
from games.core.record import to_json as record_json
from games.core.replay import replay
from games.core.timing import SeatTiming, Timing, from_json, to_json, two_digits


@pytest.mark.parametrize(
    ("exact", "kept"), [(0, 0), (9, 9), (99, 99), (100, 100), (1987, 1900), (2_000_000, 2_000_000)]
)
def test_two_digits_are_kept(exact, kept):
    assert two_digits(exact) == kept


@given(st.integers(0, 1 << 62))
def test_what_is_kept_is_never_more_and_at_most_a_tenth_less(exact):
    assert exact * 0.9 <= two_digits(exact) <= exact


TIMES = Timing(
    (SeatTiming((7, 1900), (None, 4), (), ("", "2 of 2 busy")), SeatTiming((12,), (), (3,))),
    "2026-01-02T03:04:05+00:00",
    1.5,
)


def test_times_read_back_as_themselves():
    assert from_json(to_json(TIMES)) == TIMES


def test_a_column_that_was_never_read_is_left_out():
    assert json.loads(to_json(TIMES))["seats"] == [
        {"wall_us": [7, 1900], "cpu_us": [None, 4], "host": ["", "2 of 2 busy"]},
        {"wall_us": [12], "wait_us": [3]},
    ]


@pytest.mark.parametrize(
    ("seat", "words"),
    [
        ([], r"seats\[0\]: expected an object"),
        ({}, r"seats\[0\].wall_us: missing"),
        ({"wall_us": 1}, r"seats\[0\].wall_us: expected a list"),
        ({"wall_us": [1, -1]}, r"seats\[0\].wall_us\[1\]: expected a whole number"),
        ({"wall_us": [True]}, r"seats\[0\].wall_us\[0\]: expected a whole number"),
        ({"wall_us": [1], "cpu_us": [1, 2]}, r"seats\[0\].cpu_us: expected 1 of them, as in wall_us, got 2"),
        ({"wall_us": [1], "cpu_us": ["x"]}, r"seats\[0\].cpu_us\[0\]: expected a whole number"),
        ({"wall_us": [1], "x": []}, r"seats\[0\].x: no such field"),
    ],
)
def test_a_wrong_field_is_named(seat, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        from_json(json.dumps({"seats": [seat], "started": "", "seconds": 1}))


def rps():
    """A match of bots that throw at random and take as long as functions in a box do."""
    driver, draw = Driver(load("honest_rps"), 2, 3), random.Random(1)
    while driver.pending:
        driver.answer(
            {
                request.seat: Reply(draw.choice("RPS"), None, int(draw.lognormvariate(4.7, 0.4)))
                for request in driver.pending
            }
        )
    return driver.log([SeatInfo("Census", "ab" * 32), SeatInfo("Profiler", "cd" * 32)], "2026-01-02", 0.1)


def test_a_match_of_honest_rps_takes_two_kib_with_everything():
    log = rps()
    kept = [record_json(log.record), to_json(log.timing)]
    assert sum(len(zlib.compress(text.encode())) for text in kept) <= 2048


def test_times_come_back_to_the_answers_that_they_are_of():
    log = rps()
    again = timed(replay(log.record), from_json(to_json(log.timing)))
    assert [exchange.wall_us for exchange in again.exchanges] == [
        two_digits(exchange.wall_us) for exchange in log.exchanges
    ]
    assert (again.started, again.seconds) == ("2026-01-02", 0.1)


def test_times_of_another_match_are_refused():
    with pytest.raises(
        BadRecord, match=r"^seats: expected times of \[500, 500\] answers by seat, got \[2, 1\]"
    ):
        timed(rps(), TIMES)
