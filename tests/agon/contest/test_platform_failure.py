"""Failures of the platform and of referees: the match has no result, and no bot is to blame."""

import contextlib
import dataclasses
import os
import signal
import sys

import pytest

from agon.contest import match_clock
from agon.contest.arena import Player, play
from agon.contest.attempts import FailureKind
from agon.contest.platform_failure import PlatformFailure
from games.core.manifest import load
from sandbox.api import Artifact
from tests.support.boxes import one_backend
from tests.support.counting import counting
from tests.support.playing import bot, matched, pool

pytestmark = [pytest.mark.slow, one_backend]

__all__ = ["bot", "counting", "matched", "pool"]

APPENDS = "import sys\nopen(sys.argv[1], 'a').write('one')"
INCOME = """
import sys
path, theirs, mine, cards, *moves = sys.argv[1:]
with open(path, "a", newline="") as history:
    history.write(next((move for move in ("C", "p", "\\n", "I\\n") if move in moves), moves[-1]))
"""


def test_a_failure_of_the_platform_is_no_result(pool, bot, tmp_path):
    gone = Artifact(tmp_path / "gone", "0" * 64, "python", ("python3", "bot.py"), "bot.py")
    players = [Player("here", bot(INCOME)), Player("gone", gone)]
    with pytest.raises(PlatformFailure):
        play(load("coup"), players, 1, pool)
    assert play(load("coup"), [players[0], players[0]], 1, pool).log.faults == ()


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("__init__", "def __init__(self, seats, seed): 1 / 0"),
        ("play", "def play(self): 1 / 0"),
        ("summary", "def summary(self): 1 / 0"),
        ("files", "def files(self): 1 / 0"),
        ("play", "def play(self): raise SystemExit"),
        ("play", "def play(self): exit(1)"),
        ("play", "def play(self): raise type('Panic', (BaseException,), {})"),
    ],
)
def test_whatever_of_a_referee_fails_is_no_result_and_named(counting, pool, bot, where, code):
    """As a failure of the game: neither of this machine, nor one that ends the worker."""
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    with pytest.raises(PlatformFailure, match=rf"^counting\d+: referee.py, line 16, in {where}: ") as failed:
        play(counting(f"    {code}"), players, 1, pool)
    assert failed.value.kind == FailureKind.REFEREE


def test_characters_that_no_bot_can_be_sent_are_escaped_for_it(counting, pool, bot):
    """A game that parses JSON gets them from a bot, which must not make its match void by what it says."""
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    info = counting("    def view(self, seat): return Invocation((), '\\ud800')")
    assert play(info, players, 1, pool).log.faults == ()


def test_scores_that_cannot_be_written_are_no_result(counting, pool, bot):
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    with pytest.raises(PlatformFailure, match="ValueError: Exceeds the limit") as failed:
        play(counting("    def play(self): yield from (); return [10**5000, 0]"), players, 1, pool)
    assert failed.value.kind == FailureKind.REFEREE


def test_scores_that_sites_have_no_room_for_are_no_result(counting, pool, bot):
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    score = "__import__('fractions').Fraction(10**30 + 1, 10**30)"
    with pytest.raises(PlatformFailure, match="expected scores of at most 60 characters, got 1000") as failed:
        play(counting(f"    def play(self): yield from (); return [{score}, 0]"), players, 1, pool)
    assert failed.value.kind == FailureKind.REFEREE


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "def summary(self): return {'lead': {1, 2}}",
            "TypeError: the summary is not JSON: Object of type set",
        ),
        (
            "def files(self): return {'a/b': ''}",
            "ValueError: expected names of files without slash, got 'a/b'",
        ),
        (
            "def files(self): return {'record.json': ''}",
            "ValueError: record.json is the name of a file that every match has in an archive",
        ),
        ("def files(self): return {'history': b''}", "TypeError: .*expected files as text, by name"),
    ],
)
def test_what_no_site_can_store_is_a_failure_of_the_game_and_not_of_the_worker(
    counting, pool, bot, code, words
):
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    over = "def play(self): yield from (); return [1, 0]"
    with pytest.raises(PlatformFailure, match=rf"^counting\d+: .*{words}") as failed:
        play(counting(f"    {over}\n    {code}"), players, 1, pool)
    assert failed.value.kind == FailureKind.REFEREE


@pytest.mark.parametrize(
    "code",
    [
        "def __init__(self, seats, seed):\n        while True: pass",
        "def play(self):\n        while True: pass",
        "def play(self):\n        __import__('time').sleep(3600); yield",
        "def view(self, seat):\n        while True: pass",
        "def files(self):\n        while True: pass",
    ],
)
def test_a_referee_that_does_not_come_back_is_interrupted(counting, pool, bot, code):
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    info = counting(f"    {code}")
    info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, match_s=1))
    with pytest.raises(PlatformFailure, match="longer than its match_s") as failed:
        play(info, players, 1, pool)
    assert failed.value.kind == FailureKind.OVERTIME
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert play(load("coup"), [Player(name, bot(INCOME)) for name in "ab"], 1, pool).log.faults == ()


def test_a_referee_that_catches_every_interruption_is_ended_with_its_process(
    counting, pool, bot, monkeypatch, capfd
):
    monkeypatch.setattr(match_clock, "AGAIN", 0.05)
    monkeypatch.setattr(match_clock, "MOST_INTERRUPTS", 3)
    stubborn = """    def __init__(self, seats, seed):
        while True:
            try:
                __import__("time").sleep(3600)
            except BaseException:
                continue
"""
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    info = counting(stubborn)
    info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, match_s=1))
    if (child := os.fork()) == 0:
        with contextlib.suppress(BaseException):
            play(info, players, 1, pool)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    assert "referee.py" in capfd.readouterr().err


def test_a_signal_that_ends_the_worker_while_a_referee_thinks_is_no_failure_of_it(counting, pool, bot):
    players = [Player(name, bot(APPENDS)) for name in "ab"]
    thinks = f"    def play(self): import os; os.kill({os.getpid()}, {signal.SIGUSR1:d}); yield from ()"
    before = signal.signal(signal.SIGUSR1, lambda *_: sys.exit(3))
    try:
        with pytest.raises(SystemExit):
            play(counting(thinks), players, 1, pool)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_match_that_outlasts_its_time_is_no_result(matched):
    with pytest.raises(PlatformFailure, match="longer than its match_s"):
        matched("coup", INCOME, INCOME, match_s=0)
