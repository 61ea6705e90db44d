"""What others do to a bot on its host, and how long it is proved to have waited or slept there."""

import pytest

from sandbox.boxes.activity import Activity, Thread
from sandbox.boxes.host_load import HostLoad, is_disturbed

SECOND = 1_000_000
IDLE = HostLoad(SECOND, 2, 0, 0, 0, 0, 1)
BUSY = HostLoad(SECOND, 2, 2 * SECOND, 0, SECOND, 0, 40)
STALLED = IDLE._replace(stalled_us=SECOND * 6 // 10)
STOLEN = IDLE._replace(others_us=SECOND, stolen_us=SECOND)


@pytest.mark.parametrize(
    ("load", "pressure"),
    [
        (IDLE, False),
        (BUSY, True),
        (IDLE._replace(others_us=SECOND // 2, crowded_us=SECOND), False),  # three of four parts are idle
        (BUSY._replace(crowded_us=SECOND // 10), False),  # busy, but no process waits
        (STALLED, True),
        (STOLEN, True),
        (IDLE._replace(crowded_us=None, stalled_us=None, running=100), False),  # others have used nothing
        (BUSY._replace(crowded_us=None, stalled_us=None, running=1000), True),
        (BUSY._replace(crowded_us=None, stalled_us=None, running=1), False),
    ],
)
def test_pressure_is_what_others_do_for_half_of_the_time(load, pressure):
    assert load.is_under_pressure == pressure


@pytest.mark.parametrize(
    ("load", "used_full_limit", "disturbed"),
    [
        (IDLE, False, False),
        (BUSY, False, True),
        (STALLED, False, True),
        (STALLED._replace(stalled_us=None), False, False),  # whose stall it is, is not known
        (BUSY, True, False),  # it was credited with all its waits for a processor
        (STALLED, True, True),
        (STOLEN, True, True),
    ],
)
def test_a_host_under_pressure_disturbs_a_bot_that_may_not_have_used_full_limit(
    load, used_full_limit, disturbed
):
    assert is_disturbed(load, used_full_limit) == disturbed


def samples(*states: tuple[int, float, int]) -> Activity:
    """What is known of a bot of one thread after samples a second apart: (ready, run seconds, given up)."""
    activity = Activity(0)
    for number, (ready, run, given_up) in enumerate(states):
        thread = Thread(7, 100 * SECOND, int(run * 10**9), 0, ready, given_up)
        activity.sample(number * 10**9, [thread])
    return activity


ASLEEP, READY, BLOCKED = 0, 1, -1


@pytest.mark.parametrize(
    ("states", "asleep"),
    [
        ([(ASLEEP, 0, 1)] * 3, 2),
        ([(ASLEEP, 0, 1), (ASLEEP, 1, 1)], 0),  # it has run in between
        ([(ASLEEP, 0, 1), (ASLEEP, 0, 2)], 0),  # it has woken, however shortly
        ([(BLOCKED, 0, 1)] * 3, 0),
        ([(ASLEEP, 0, 1), (BLOCKED, 0, 1)], 0),
        ([(READY, 0, 1)] * 3, 0),
    ],
)
def test_only_what_never_stirred_between_two_samples_is_proved_to_sleep(states, asleep):
    assert samples(*states).asleep_us == asleep * SECOND


def test_a_bot_of_which_one_thread_is_ready_does_not_sleep():
    activity = Activity(0)
    for second in range(3):
        sleeper = Thread(7, 100 * SECOND, 0, 0, ASLEEP, 1)
        activity.sample(second * 10**9, [sleeper, sleeper._replace(number=8, ready=READY)])
    assert activity.asleep_us == 0


def test_what_threads_gave_up_before_the_question_does_not_count():
    activity = Activity(10 * 10**9)
    old, young = Thread(7, 100 * SECOND, 0, 0, ASLEEP, 50), Thread(8, SECOND // 2, 0, 0, ASLEEP, 3)
    activity.sample(11 * 10**9, [old, young])
    assert activity.given_up == 3
    activity.sample(12 * 10**9, [old._replace(given_up=54)])
    assert activity.given_up == 7
