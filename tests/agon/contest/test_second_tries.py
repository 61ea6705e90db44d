"""No bot gets a second try: the match's own deadline cannot be brought about from inside a box.

match_s is far below what the bots take in these matches.
"""

import dataclasses
import os
import signal
import threading

import pytest

from agon.contest.arena import Player, play
from agon.contest.attempts import FailureKind
from agon.contest.platform_failure import PlatformFailure
from games.core.manifest import load
from sandbox.boxes import extension
from sandbox.boxes.host_load import HostLoad
from tests.support.boxes import agent_of
from tests.support.playing import CYCLE, GOOD, READY, bot, faults, matched, pool

pytestmark = pytest.mark.slow

__all__ = ["bot", "matched", "pool"]

READY_LATE = "import time; time.sleep(1.2)\n" + GOOD
DAWDLES = READY + CYCLE.replace("import sys", "import sys, time").replace(
    "    print(", "    time.sleep(0.3)\n    print("
)
STALLS = DAWDLES.replace("time.sleep(0.3)", "while turn == 3: time.sleep(0.05)")
IN_CHILDREN = DAWDLES.replace(
    "time.sleep(0.3)", "[(os.fork() == 0 and (time.sleep(0.25), os._exit(0)), os.wait()) for _ in range(2)]"
).replace("import sys", "import os, sys")
DAWDLING_PROGRAM = """
import sys, time
path, theirs, mine, cards, *moves = sys.argv[1:]
time.sleep(0.2)
with open(path, "a", newline="") as history:
    history.write(next((move for move in ("C", "p", "\\n", "I\\n") if move in moves), moves[-1]))
"""


@pytest.mark.first(1)
@pytest.mark.parametrize("program", [READY_LATE, DAWDLES, IN_CHILDREN], ids=["ready", "turns", "children"])
def test_a_bot_that_takes_its_time_in_every_turn_does_not_outlast_the_match(matched, program):
    played = matched("samurai", GOOD, program, GOOD, GOOD, match_s=1)
    assert faults(played) == []
    assert played.seconds > 1


@pytest.mark.exhaustive
def test_nor_does_a_program_that_is_run_for_each_move(matched):
    played = matched("coup", DAWDLING_PROGRAM, DAWDLING_PROGRAM, match_s=1)
    assert faults(played) == []
    assert played.seconds > 1


def test_nor_one_that_is_waited_for_beyond_its_limit(matched, monkeypatch):
    """Whatever held the host up, its second bot perhaps: it loses, and the match does not begin again."""
    held_up = HostLoad(100_000, 2, 200_000, 200_000, 0, 0, 1)
    monkeypatch.setattr(extension, "load_since", lambda *_: held_up)
    monkeypatch.setattr(extension, "is_disturbed", lambda *_: True)
    monkeypatch.setattr(extension, "PATIENCE_US", 2_000_000)
    played = matched("samurai", GOOD, STALLS, GOOD, GOOD, turn_ms=300, match_s=1)
    assert faults(played) == [(1, "timeout")]
    assert played.seconds > 1


def test_what_takes_too_long_is_the_referee_and_it_says_whom_it_asked(matched):
    with pytest.raises(PlatformFailure) as failed:
        matched("samurai", GOOD, GOOD, GOOD, GOOD, match_s=0)
    assert failed.value.kind == FailureKind.OVERTIME


STUCK = READY + "import time; time.sleep(600)"


@pytest.mark.first(1)
@pytest.mark.parametrize("seat", [1, 3])
def test_a_box_that_was_lost_is_named_by_the_seats_that_had_to_answer(pool, bot, seat):
    """Its agent is killed from outside while only its bot has not answered."""
    players = [Player(f"bot{number}", bot(STUCK if number == seat else GOOD)) for number in range(4)]
    boxes, over = [], threading.Event()
    taking = pool.take

    def take(*args):
        boxes.append(taking(*args))
        return boxes[-1]

    def kill_when_asked(driver):
        while not (len(boxes) == 4 and seat in driver.waiting_for):
            if over.wait(0.01):
                return
        os.kill(agent_of(boxes[seat]), signal.SIGKILL)

    pool.take = take
    threads = []

    def began(driver):
        threads.append(threading.Thread(target=kill_when_asked, args=(driver,)))
        threads[0].start()

    info = load("samurai")
    info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, turn_ms=60_000))
    try:
        with pytest.raises(PlatformFailure) as failed:
            play(info, players, 1, pool, began=began)
    finally:
        over.set()
        threads[0].join()
        del pool.take
    assert failed.value.kind == FailureKind.BOX
    assert seat in failed.value.asked
