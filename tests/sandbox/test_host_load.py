"""What others do to a bot on its host, and how long it is proved to have waited or slept there."""

import pytest

from sandbox.boxes.host_load import HostLoad, is_disturbed
from sandbox.boxes.waiting import Thread, Waiting, spawner_thread

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
def test_a_host_under_pressure_disturbs_a_bot_that_may_not_have_had_its_time(
    load, used_full_limit, disturbed
):
    assert is_disturbed(load, used_full_limit) == disturbed


def sampled(*states: tuple[int, float, int]) -> Waiting:
    """What is known of a bot of one thread after samples a second apart: (ready, run seconds, given up)."""
    waiting = Waiting(0)
    for number, (ready, run, given_up) in enumerate(states):
        thread = Thread(7, 100 * SECOND, int(run * 10**9), 0, 5 + int(100 * run), ready, given_up)
        waiting.sample(number * 10**9, int(run * SECOND), [thread])
    return waiting


ASLEEP, READY, BLOCKED = 0, 2, -1


@pytest.mark.parametrize(
    ("states", "asleep", "blocked"),
    [
        ([(ASLEEP, 0, 1)] * 3, 2, 0),
        ([(ASLEEP, 0, 1), (ASLEEP, 1, 1)], 0, 0),  # it has run in between
        ([(ASLEEP, 0, 1), (ASLEEP, 0, 2)], 0, 0),  # it has woken, however shortly
        ([(BLOCKED, 0, 1)] * 3, 0, 2),
        ([(ASLEEP, 0, 1), (BLOCKED, 0, 1)], 0, 0),
        ([(READY, 0, 1)] * 3, 0, 0),
    ],
)
def test_only_what_never_stirred_between_two_looks_is_proved(states, asleep, blocked):
    waiting = sampled(*states)
    assert (waiting.asleep_us, waiting.blocked_us) == (asleep * SECOND, blocked * SECOND)


def test_a_bot_of_which_one_thread_is_ready_does_not_sleep():
    waiting = Waiting(0)
    for second in range(3):
        sleeper = Thread(7, 100 * SECOND, 0, 0, 5, ASLEEP, 1)
        waiting.sample(second * 10**9, 0, [sleeper, sleeper._replace(number=8, ready=READY)])
    assert waiting.asleep_us == 0


def test_the_time_before_the_first_process_of_a_program_exists_is_not_its_own():
    waiting, ours = Waiting(0), spawner_thread((0, 0), None)
    waiting.start_with([ours])
    waiting.sample(1 * 10**9, 0, [ours])
    assert waiting.proved_us == SECOND
    young = Thread(7, SECOND // 2, 0, 0, 1, ASLEEP, 1)
    waiting.sample(2 * 10**9, 0, [ours, young])
    waiting.sample(3 * 10**9, 0, [ours, young._replace(age_us=3 * SECOND // 2)])
    assert 0 <= waiting.proved_us - 3 * SECOND // 2 <= 10_000, (
        "half a second of its life, and all of the last one, it slept; its start is told in ticks"
    )


@pytest.mark.parametrize("cpu_us", [0, 1700])
def test_a_program_that_ended_before_anybody_looked_is_not_waited_for_without_end(cpu_us):
    """It can stop the process that would report its end."""
    waiting, ours = Waiting(0), spawner_thread((0, 0), None)
    waiting.start_with([ours])
    for second in range(1, 20):
        waiting.sample(second * 10**9, cpu_us, [ours])
    assert waiting.proved_us <= 2 * SECOND


def test_the_start_of_a_program_may_take_as_long_as_our_own_process_waits_for_a_processor():
    waiting = Waiting(0)
    waiting.start_with([spawner_thread((0, 0), None)])
    for second in range(1, 10):
        waiting.sample(second * 10**9, 0, [spawner_thread((0, second * SECOND), None)])
    assert waiting.proved_us == 9 * SECOND


def test_no_program_that_is_run_was_there_before():
    """The request to run it may be answered before the referee gets to note when it asked."""
    waiting, ours = Waiting(10**9), spawner_thread((0, 0), None)
    waiting.start_with([ours])
    waiting.sample(2 * 10**9, SECOND // 4, [ours, Thread(7, 2 * SECOND, 10**9 // 4, 10**9, 9, READY, 0)])
    assert waiting.proved_us >= 3 * SECOND // 4


@pytest.mark.parametrize(
    ("states", "proved"),
    [
        ([(READY, 0, 4), (READY, 0.25, 4), (READY, 0.5, 4)], 1.5),
        ([(READY, 0, 4), (READY, 1, 5)], 0),
        ([(ASLEEP, 0, 4), (READY, 1, 4)], 0),  # it may have slept until now
        ([(READY, 0, 4), (ASLEEP, 1, 5)], 0),
    ],
)
def test_a_thread_that_is_ready_and_does_not_give_up_the_processor_runs_or_waits(states, proved):
    assert sampled(*states).proved_us == proved * SECOND


def test_nor_has_one_slept_that_has_never_given_it_up():
    waiting, ours = Waiting(0), spawner_thread((0, 0), None)
    waiting.start_with([ours])
    waiting.sample(10**9, SECOND // 4, [ours, Thread(7, SECOND, 10**9 // 4, 0, 1, READY, 0)])
    assert waiting.proved_us == 3 * SECOND // 4
