"""Writing an archive takes the same memory, however many matches it has."""

import tracemalloc
from collections.abc import Iterable
from fractions import Fraction

import pytest

from agon.contest.archive.manifest import Header
from agon.contest.archive.writer import ArchivedMatch, entries
from agon.contest.formats import ScheduledMatch, in_order
from agon.contest.points import Result
from games.core.record import SeatInfo

MATCHES = 60 * 59  # in a round
MOST_BYTES_EACH = 40  # of what may grow: a result and a place of the schedule take ten times as much


def header(rounds: int) -> Header:
    entrants = tuple(SeatInfo(f"bot {number}", f"{number:064x}") for number in range(60))
    settings = (("ordered", True), ("self_play", False), ("ties", "shared"))
    return Header("honest_rps", "round_robin", rounds, 7, "score", 2, entrants, format_settings=settings)


def played(scheduled: ScheduledMatch) -> ArchivedMatch:
    number = scheduled.index
    result = Result(scheduled.seats, (Fraction(number), Fraction(-number)), (1, 2), (), number)
    return ArchivedMatch(scheduled, number, ("a", "b"), result, b"{}", b"", (b"", b""), {})


def peak(values: Iterable[object]) -> int:
    """The most memory taken while they are read, one by one."""
    tracemalloc.start()
    try:
        for value in values:
            del value
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def pieces(rounds: int) -> Iterable[bytes]:
    about = header(rounds)
    assert about.plan is not None
    for _path, contents in entries(about, map(played, in_order(about.plan))):
        yield from contents


@pytest.mark.slow
def test_an_archive_of_twice_as_many_matches_takes_no_more_memory() -> None:
    few, many = peak(pieces(1)), peak(pieces(2))
    assert many - few < MATCHES * MOST_BYTES_EACH


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_schedule_is_made_match_by_match(rounds: int) -> None:
    plan = header(rounds).plan
    assert plan is not None
    assert peak(in_order(plan)) < 100_000
