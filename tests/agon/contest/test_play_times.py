"""Times in matches: whose they are, what is recorded of them, and what the host may have made."""

import pytest

from agon.contest.platform_failure import PlatformFailure
from sandbox.boxes import extension
from tests.support.boxes import one_backend
from tests.support.cpu_load import busy_processor, spinning
from tests.support.playing import CYCLE, GOOD, READY, bot, faults, matched, pool, warmed

pytestmark = pytest.mark.slow

__all__ = ["bot", "matched", "pool", "warmed"]

READY_LATE = "import time; time.sleep(0.4)\n" + GOOD
ANSWERS_LATE = GOOD.replace("    print(", "    time.sleep(0.06)\n    print(").replace(
    "import sys", "import sys, time"
)


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize("slow", [READY_LATE, ANSWERS_LATE], ids=["to get ready", "to answer"])
@one_backend
def test_the_workers_time_is_split_as_the_bots_have_caused_it(matched, slow):
    """Also what no turn of the record shows, such as the time until READY."""
    matched("samurai", GOOD, GOOD, GOOD, GOOD)  # boxes are warm
    played = matched("samurai", GOOD, slow, GOOD, GOOD)
    assert faults(played) == []
    assert sum(played.used) == pytest.approx(played.seconds)
    assert played.used[1] > 0.6 * played.seconds > 0.2
    assert all(part < 0.2 * played.seconds for seat, part in enumerate(played.used) if seat != 1)


@pytest.mark.serial
@pytest.mark.one_core
@one_backend
def test_a_match_without_a_result_says_whose_the_time_was(matched, warmed):
    programs = GOOD, READY_LATE, GOOD, GOOD
    warmed(*programs)
    with pytest.raises(PlatformFailure) as failed:
        matched("samurai", *programs, longest_s=0.2)
    assert failed.value.used[1] > 0.6 * sum(failed.value.used) > 0.1


SPINS_AND_SLEEPS = """
import sys, time
print("READY", flush=True)
for line in sys.stdin:
    if line[-2:] in ("D\\n", "N\\n"):
        end = time.process_time() + 0.01
        while time.process_time() < end: pass
        time.sleep(0.01)
        print(*[0] * (5 if line[-2] == "D" else 2), flush=True)
"""


@pytest.mark.serial
@pytest.mark.one_core
def test_the_record_holds_wall_processor_and_waited_time_of_every_move(matched):
    """Four bots that want the one processor of this process at the same time: all but one have to wait.

    At the first question their counters are read only after the quick answers that did not come: what they
    had used until then is known to within the time that took. Where others are busy, too, an answer may be
    there at the first look, so that only its wall time is measured.
    """
    with busy_processor(0):
        for _ in range(10):
            exchanges = matched("samurai", *[SPINS_AND_SLEEPS] * 4).log.exchanges
            if all(exchange.cpu_us is not None for exchange in exchanges):
                break
    for exchange in exchanges:
        assert exchange.fault is None
        assert exchange.cpu_us >= (9_000 if exchange.step else 1)
        assert exchange.wall_us >= 20_000, "what it computed and slept"
        assert exchange.wait_us <= exchange.wall_us
    for number in {exchange.step for exchange in exchanges}:
        assert max(exchange.wait_us for exchange in exchanges if exchange.step == number) > 5_000


NAPS = READY + CYCLE.replace("    print(", "    while turn == 3: time.sleep(0.05)\n    print(").replace(
    "import sys", "import sys, time"
)


@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.usefixtures("uncounted_waits")
def test_a_timeout_on_a_host_under_pressure_counts_at_the_first_attempt(matched, warmed, monkeypatch):
    """A bot that naps cannot be proved to sleep: it is waited for, but its match does not begin again."""
    monkeypatch.setattr(extension, "PATIENCE_US", 3_000_000)
    programs = NAPS, GOOD, GOOD, GOOD
    with busy_processor(0):
        warmed(*programs)
        with spinning(3):
            played = matched("samurai", *programs, turn_ms=300)
    assert faults(played) == [(0, "timeout")]
    [late] = [exchange for exchange in played.log.exchanges if exchange.fault is not None]
    assert "others used" in late.host
    assert "undisturbed" in late.host
    [column] = [seat.host for seat in played.log.timing.seats if seat.host]
    assert late.host in column


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.usefixtures("counted_waits")
@pytest.mark.parametrize("seconds", ["60", "0.05"], ids=["long", "in naps"])
@one_backend
def test_a_bot_that_sleeps_where_others_are_busy_does_not_get_its_match_played_again(
    matched, warmed, seconds
):
    programs = NAPS.replace("0.05", seconds), GOOD, GOOD, GOOD
    with busy_processor(0):
        warmed(*programs)
        with spinning(3):
            played = matched("samurai", *programs, turn_ms=300)
    assert faults(played) == [(0, "timeout")]
