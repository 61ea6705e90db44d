"""Which upload counts: by its time, in the zone of the course, whatever clocks and queues do."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.lateness import (
    Grace,
    LastAccepted,
    LastUpload,
    PercentADay,
    Upload,
    counted,
    extended,
    from_json,
    last_moment,
    to_json,
)

BERLIN, KATHMANDU = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu")
ST_JOHNS, UTC_ZONE = ZoneInfo("America/St_Johns"), ZoneInfo("UTC")
ZONES = st.sampled_from([BERLIN, KATHMANDU, ST_JOHNS, UTC_ZONE, ZoneInfo("Australia/Lord_Howe")])
DEADLINE = datetime(2026, 11, 27, 23, 59, tzinfo=UTC)
POLICIES = st.one_of(
    st.just(LastUpload()),
    st.just(LastAccepted()),
    st.builds(Grace, st.integers(1, 10_000)),
    st.builds(PercentADay, st.integers(1, 100)),
)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))


def upload(minutes, accepted=True, number=1, deadline=DEADLINE):
    return Upload(number, deadline.astimezone(UTC) + timedelta(minutes=minutes), accepted)


def which(uploads, policy, zone=UTC_ZONE, deadline=DEADLINE):
    counting = counted(uploads, deadline, policy, zone)
    return counting and counting.upload.id


def test_the_last_upload_in_time_counts_and_one_at_the_very_moment_is_in_time():
    uploads = [upload(-60, number=1), upload(0, number=2), upload(1 / 60, number=3)]
    assert which(uploads, LastUpload()) == which(uploads, LastAccepted()) == 2


def test_an_upload_that_was_not_accepted_counts_only_where_the_last_upload_does():
    uploads = [upload(-60, number=1), upload(-1, accepted=False, number=2)]
    assert which(uploads, LastUpload()) == 2
    assert which(uploads, LastAccepted()) == which(uploads, Grace(5)) == which(uploads, PercentADay(10)) == 1


def test_grace_forgives_its_minutes_and_no_more():
    uploads = [upload(-60, number=1), upload(15, number=2), upload(16, number=3)]
    counting = counted(uploads, DEADLINE, Grace(15), UTC_ZONE)
    assert (counting.upload.id, counting.late, counting.factor) == (2, timedelta(minutes=15), 1)


@pytest.mark.parametrize(
    ("minutes", "factor"),
    [(0, "1"), (1, "0.9"), (1440, "0.9"), (1441, "0.8"), (9 * 1440, "0.1"), (9 * 1440 + 1, None)],
)
def test_each_begun_day_costs_its_percentage_until_nothing_is_left(minutes, factor):
    counting = counted([upload(minutes)], DEADLINE, PercentADay(10), UTC_ZONE)
    assert (counting and counting.factor) == (factor and Decimal(factor))


@pytest.mark.parametrize(
    ("day", "hours"),
    [(datetime(2026, 3, 28, 18), 23), (datetime(2026, 10, 24, 18), 25), (datetime(2026, 6, 1), 24)],
)
def test_a_day_ends_when_clocks_show_the_time_of_the_deadline_again(day, hours):
    deadline = day.replace(tzinfo=BERLIN)
    late = [upload(hours * 60 + more, deadline=deadline) for more in (0, 1)]
    factors = [
        counted([late_submission], deadline, PercentADay(10), BERLIN).factor for late_submission in late
    ]
    assert factors == [Decimal("0.9"), Decimal("0.8")]


def test_an_extension_moves_the_deadline():
    own = extended(DEADLINE, 90)
    assert which([upload(90)], LastAccepted(), deadline=own) == 1
    assert which([upload(91)], LastAccepted(), deadline=own) is None


@given(MOMENTS, ZONES, POLICIES, st.integers(-20_000, 200_000))
def test_an_upload_counts_exactly_until_the_last_moment(deadline, zone, policy, minutes):
    counting = counted([upload(minutes, deadline=deadline)], deadline, policy, zone)
    in_time = deadline + timedelta(minutes=minutes) <= last_moment(deadline, policy, zone)
    assert (counting is not None) == in_time
    assert counting is None or 0 < counting.factor <= 1


@given(MOMENTS, ZONES, POLICIES, st.integers(0, 100_000), st.integers(0, 10_000))
def test_an_extension_never_harms(deadline, zone, policy, minutes, more):
    late = [upload(minutes, deadline=deadline)]
    before = counted(late, deadline, policy, zone)
    after = counted(late, extended(deadline, more), policy, zone)
    assert before is None or (after is not None and after.factor >= before.factor)


@pytest.mark.parametrize("make", [lambda: Grace(0), lambda: PercentADay(101), lambda: Grace(True)])
def test_a_policy_outside_its_bounds_is_refused(make):
    with pytest.raises(ValueError, match="expected a whole number from 1 to"):
        make()


@given(POLICIES)
def test_a_policy_is_read_as_it_was_stored(policy):
    assert from_json(json.loads(json.dumps(to_json(policy)))) == policy


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "policy: expected an object, got None"),
        (
            {"kind": "late"},
            "kind: expected one of last_upload, last_accepted, grace, percent_a_day, got 'late'",
        ),
        ({"kind": "grace"}, "minutes: expected a whole number, got None"),
        ({"kind": "grace", "minutes": "5"}, "minutes: expected a whole number from 1 to 527040, got '5'"),
        ({"kind": "last_upload", "minutes": 5}, "policy: expected only kind, got 'minutes'"),
    ],
)
def test_what_is_no_policy_is_refused_with_what_was_expected(value, message):
    with pytest.raises(ValueError, match="expected") as refused:
        from_json(value)
    assert str(refused.value) == message
