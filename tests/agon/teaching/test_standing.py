"""Passed, missed or pending, by the time of the upload and the late policy."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from agon.teaching.lateness import Grace, LastAccepted, LastUpload, PercentADay, Upload
from agon.teaching.standing import standing_of

DEADLINE = datetime(2026, 3, 1, 18, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ZONE = ZoneInfo("Asia/Kathmandu")


def upload(number, minutes, accepted=True):
    """An upload so many minutes after the deadline."""
    return Upload(number, DEADLINE + minutes * MINUTE, accepted)


def standing(uploads, policy, after=1000, deadline=DEADLINE):
    standing_there = standing_of(uploads, deadline, policy, ZONE, Decimal(10), DEADLINE + after * MINUTE)
    return (
        standing_there.verdict.value,
        standing_there.counted and standing_there.counted.upload.id,
        standing_there.points,
    )


@pytest.mark.parametrize(
    ("uploads", "policy", "expected"),
    [
        ([upload(1, 0)], LastAccepted(), ("passed", 1, 10)),
        ([upload(1, 1)], LastAccepted(), ("missed", None, 0)),
        ([upload(1, -9), upload(2, -1, accepted=False)], LastAccepted(), ("passed", 1, 10)),
        ([upload(1, -9), upload(2, -1, accepted=False)], LastUpload(), ("missed", 2, 0)),
        ([upload(1, -9), upload(2, -1)], LastUpload(), ("passed", 2, 10)),
        ([upload(1, 15)], Grace(15), ("passed", 1, 10)),
        ([upload(1, 16)], Grace(15), ("missed", None, 0)),
        ([upload(1, 1)], PercentADay(25), ("passed", 1, Decimal("7.50"))),
        ([upload(1, 24 * 60 + 1)], PercentADay(33), ("passed", 1, Decimal("3.40"))),
        ([upload(1, -1), upload(2, 1)], PercentADay(25), ("passed", 1, 10)),
        ([upload(1, -1), upload(2, 1)], Grace(15), ("passed", 2, 10)),
        ([], PercentADay(25), ("pending", None, 0)),
        ([], LastAccepted(), ("missed", None, 0)),
    ],
)
def test_what_counts_is_the_time_of_the_upload(uploads, policy, expected):
    assert standing(uploads, policy) == expected


def test_until_the_last_moment_nothing_is_missed():
    assert standing([], LastAccepted(), after=0)[0] == "pending"
    assert standing([upload(1, -5, accepted=False)], LastAccepted(), after=-1)[0] == "pending"
    assert standing([], Grace(15), after=15)[0] == "pending"
    assert standing([], Grace(15), after=16)[0] == "missed"


def test_an_upload_in_time_that_is_still_checked_is_not_missed():
    assert standing([upload(1, -1, accepted=None)], LastAccepted())[0] == "pending"
    assert standing([upload(1, 1, accepted=None)], LastAccepted())[0] == "missed"
    assert standing([upload(1, -2), upload(2, -1, accepted=None)], LastUpload())[0] == "pending"


def test_without_a_deadline_the_first_accepted_upload_passes_for_good():
    uploads = [upload(1, -9, accepted=False), upload(2, -5), upload(3, 7)]
    assert standing(uploads, LastAccepted(), deadline=None) == ("passed", 2, 10)
    assert standing(uploads[:1], LastAccepted(), deadline=None) == ("pending", None, 0)
