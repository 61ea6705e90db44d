"""Referees and real bots in real sandboxes: what a bot does becomes its fault, and nobody else's."""

import time

import pytest

from agon.contest.arena import Player, play
from games.core.manifest import load
from games.core.record import from_json, to_json
from games.core.replay import rerun
from tests.support.boxes import one_backend
from tests.support.counting import counting
from tests.support.playing import CYCLE, GOOD, READY, bot, faults, matched, pool
from tests.support.reasons import english
from tests.support.replays import differences_when_replayed

# tests/sandbox has sessions in both backends, and test_results_digest.py whole matches of every game.
pytestmark = [pytest.mark.slow, one_backend]

__all__ = ["bot", "counting", "matched", "pool"]

MOVE = """
import sys
path, theirs, mine, cards, *moves = sys.argv[1:]
def append(text):
    with open(path, "a", newline="") as history:
        history.write(text)
"""
INCOME = (
    MOVE
    + """
append(next((move for move in ("C", "p", "\\n", "I\\n") if move in moves), moves[-1]))
"""
)


def reason(played, seat=0):
    return next(english(fault.reason) for fault in played.log.faults if fault.seat == seat)


def test_four_good_bots_play_to_the_end_and_the_record_plays_again_bit_for_bit(matched):
    played = matched("samurai", GOOD, GOOD, GOOD, GOOD)
    assert faults(played) == []
    assert [len(exchange.reply.split()) for exchange in played.log.exchanges[:8]] == [5] * 4 + [2] * 4
    assert from_json(to_json(played.log.record)) == played.log.record
    assert differences_when_replayed(played.log) == []
    assert played.log.seats[0].name == "bot0"
    assert played.log.seconds == played.seconds > 0
    assert all(exchange.wall_us > 0 for exchange in played.log.exchanges)


@pytest.mark.parametrize(
    "said", ["READY\\n", "ready\\n", "  Ready \\r\\n", "hello\\n\\nReAdY\\n", "READY\\nnoise\\n"], ids=repr
)
def test_ready_is_understood_in_any_case_trimmed_and_after_other_lines(matched, said):
    eager = f"import sys; sys.stdout.write('{said}'); sys.stdout.flush()\n" + CYCLE
    assert faults(matched("samurai", eager, GOOD, GOOD, GOOD)) == []


def test_a_ready_without_a_newline_is_no_line_and_its_author_is_told(matched):
    hasty = "import sys, time; sys.stdout.write('READY'); sys.stdout.flush(); time.sleep(60)"
    played = matched("samurai", hasty, GOOD, GOOD, GOOD, ready_ms=400)
    assert faults(played) == [(0, "start")]
    assert "got READY without a newline" in reason(played)


def test_bots_that_do_not_get_ready_are_retired_and_the_others_play_on(matched):
    silent = "import time; time.sleep(60)"
    chatty = "import time; print('hello', flush=True); time.sleep(60)"
    dead = "import sys; sys.exit(3)"
    played = matched("samurai", silent, chatty, dead, GOOD, ready_ms=400)
    assert faults(played) == [(0, "start"), (1, "start"), (2, "start")]
    assert "expected a line READY within 400 ms of the start, got none" in reason(played, 0)
    assert "exited with status 3" in reason(played, 2)
    assert {exchange.seat for exchange in played.log.exchanges} == {3}
    assert len(played.log.exchanges) == 9


def test_late_and_dead_bots_are_retired_with_the_turn_and_the_reason(matched):
    late = READY + "import time; time.sleep(60)"
    raises = (
        READY + "input(); input(); input(); print('0 0 0 0 0', flush=True); raise RuntimeError('too hard')"
    )
    played = matched("samurai", late, raises, GOOD, GOOD, turn_ms=300)
    assert faults(played) == [(0, "timeout"), (1, "crash")]
    assert [fault.step for fault in played.log.faults] == [0, 1]
    assert reason(played, 0) == "turn 1, day: gave no answer within 0.3 s"
    assert reason(played, 1) == "turn 2, night: exited with status 1"
    assert b"RuntimeError: too hard" in played.stderr[1]


def test_a_retired_bot_is_stopped_at_once(matched):
    """It would say something 1.5 s after the first question, while the others play on for 2 s and more."""
    late = READY + "import sys, time; input(); time.sleep(1.5); print('alive', file=sys.stderr, flush=True)"
    slow = GOOD.replace("print(*", "__import__('time').sleep(0.2); print(*")
    played = matched("samurai", late, slow, slow, slow, turn_ms=500)
    assert faults(played) == [(0, "timeout")]
    assert played.stderr[0] == b""


def test_output_that_nobody_asked_for_is_dropped(matched):
    early = READY + "print('5 5 5 5 5', flush=True)\n" + CYCLE
    played = matched("samurai", early, GOOD, GOOD, GOOD)
    first = next(exchange for exchange in played.log.exchanges if exchange.seat == 0)
    assert first.reply in ("1 1 1 1 1", "5 5 5 5 5")
    assert faults(played) == []


def test_a_million_lines_before_ready_hold_up_no_worker(matched):
    """Only those that are awaited are charged: four bots with half as many took a worker 70 s."""
    loud = "import os\nfor _ in range(15): os.write(1, b'\\n' * 65536)\nos.write(1, b'x\\nready\\ny\\n')\n"
    began = time.process_time()
    played = matched("samurai", loud + GOOD, GOOD, GOOD, loud + "raise SystemExit(3)")
    assert time.process_time() - began < 5
    assert [fault.seat for fault in played.log.faults] == [3]


def test_bytes_that_are_no_text_are_escaped_in_the_record(matched):
    answer = "sys.stdout.buffer.write(b'\\xff\\x00 \\xe7\\x8c\\xab\\r\\n'); sys.stdout.flush()"
    odd = GOOD.replace("print(*[turn % 6] * (5 if turn % 2 else 2), flush=True)", answer)
    played = matched("samurai", odd, GOOD, GOOD, GOOD)
    assert played.log.exchanges[0].reply == "\\xff\x00 猫\r"
    assert from_json(to_json(played.log.record)) == played.log.record


def test_each_seat_has_its_own_stderr(matched):
    played = matched(
        "samurai", *(f"import sys; print('I am {n}', file=sys.stderr)\n{GOOD}" for n in range(4))
    )
    assert played.stderr == (b"I am 0\n", b"I am 1\n", b"I am 2\n", b"I am 3\n")


def test_coup_is_played_and_the_history_is_the_appended_moves(matched):
    played = matched("coup", INCOME, INCOME)
    assert faults(played) == []
    assert played.log.ranks in ((1, 2), (2, 1))
    assert played.files == {
        "history.txt": "".join(exchange.reply["appended"] for exchange in played.log.exchanges)
    }
    assert rerun(played.log.record).files == played.files
    assert differences_when_replayed(played.log) == []


MISDEEDS = {
    "append('')": ("illegal", "got nothing"),
    "append('x')": ("illegal", "got 'x'"),
    "append('IIII')": ("illegal", "got 'IIII'"),
    "append('I' * 256)": ("illegal", "got 'IIII"),
    "append('I' * 257)": ("illegal", "257 bytes were appended, which begin 'IIII"),
    "append('I' * 5000)": ("illegal", "5,000 bytes were appended, which begin 'IIII"),
    "append('x' * (5 << 20))": ("illegal", "far too large"),
    "open(path, 'w').write('J\\n')": ("illegal", "what it held (4 bytes) is no longer there"),
    "open(path, 'w').close()": ("illegal", "what it held (4 bytes) is no longer there"),
    "__import__('os').remove(path)": ("illegal", "it is gone, no longer a regular file, or far too large"),
    "import os; os.remove(path); os.mkdir(path)": (
        "illegal",
        "it is gone, no longer a regular file, or far too large",
    ),
    "import os; os.remove(path); os.mkfifo(path)": (
        "illegal",
        "it is gone, no longer a regular file, or far too large",
    ),
    "import os; os.remove(path); os.symlink('/etc/passwd', path)": ("illegal", "no longer a regular file"),
    "open(path, 'w').close(); sys.exit(3)": ("crash", "exited with status 3"),
    "append('I\\n'); import os; os.kill(os.getpid(), 9)": ("crash", "killed by signal 9"),
    "append('I\\n'); import time; time.sleep(60)": ("timeout", "0.5 s"),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_what_a_program_must_not_do_forfeits_with_its_reason(matched, misdeed):
    naughty = MOVE + f"if len(open(path).read()) < 4: append('I\\n')\nelse:\n    {misdeed}\n"
    kind, words = MISDEEDS[misdeed]
    played = matched("coup", naughty, INCOME, turn_ms=500)
    assert faults(played) == [(0, kind)]
    assert words in reason(played)
    assert (played.log.scores, played.log.faults[0].step) == (("0", "1"), 2)
    assert differences_when_replayed(played.log) == []


def test_what_a_bot_prints_without_need_is_cut_in_the_record(matched):
    talker = INCOME + "print('x' * 20_000)\n"
    played = matched("coup", talker, INCOME)
    assert faults(played) == []
    kept = {exchange.reply["stdout"] for exchange in played.log.exchanges if exchange.seat == 0}
    assert kept == {"x" * load("coup").limits.answer_bytes + "..."}
    assert differences_when_replayed(played.log) == []


def test_an_answer_does_not_become_legal_because_its_rest_is_cut(matched):
    talker = INCOME + "print('AB' + ' ' * 5000 + 'and more')\n"
    played = matched("coup", talker, INCOME)
    kept = {exchange.reply["stdout"].split()[-1] for exchange in played.log.exchanges if exchange.seat == 0}
    assert kept == {"..."}


COUNTING = (
    MOVE
    + """
import os
calls = len(open("calls.txt").read()) if os.path.exists("calls.txt") else 0
open("calls.txt", "a").write("x")
print(calls, path, file=sys.stderr)
"""
    + INCOME.replace(MOVE, "")
)


def test_a_bot_keeps_its_files_and_its_path_through_a_match_and_no_longer(matched):
    for _ in range(2):
        played = matched("coup", COUNTING, INCOME)
        lines = [line.split() for line in played.stderr[0].decode().splitlines()]
        assert [int(calls) for calls, _ in lines] == list(range(len(lines)))
        assert len({path for _, path in lines}) == 1


def test_a_bot_against_itself_sits_in_two_boxes(matched):
    played = matched("coup", COUNTING, COUNTING)
    assert faults(played) == []
    calls = [exchange.seat for exchange in played.log.exchanges]
    for seat in (0, 1):
        counted = [int(line.split()[0]) for line in played.stderr[seat].splitlines()]
        assert counted == list(range(calls.count(seat)))


def test_the_same_seed_gives_the_same_match(matched):
    first, second = (matched("coup", INCOME, INCOME, seed=7).log for _ in range(2))
    assert first.frames == second.frames
    assert first.frames != matched("coup", INCOME, INCOME, seed=8).log.frames


ROLLS = READY + "import sys\nfor line in sys.stdin: print('[0]', flush=True)"
WRONG = ROLLS.replace("[0]", "[9]")  # for which Camel Up plays the default move, turn after turn
LATE = READY + "import time; time.sleep(60)"


def test_a_bot_on_trial_is_stopped_after_its_first_fault_and_the_others_play_on(matched):
    played = matched("camel_up", ROLLS, LATE, ROLLS, WRONG, on_trial=frozenset({1}), turn_ms=300)

    late, stopped = [fault for fault in played.log.faults if fault.seat == 1]
    assert (late.kind, stopped.kind, stopped.step - late.step) == ("timeout", "crash", 4)
    assert english(stopped.reason).endswith(": it was stopped: it is on trial and had made a fault")
    exchanges = played.log.exchanges
    assert [exchange.fault is None for exchange in exchanges if exchange.seat == 1] == [False, False]
    assert {exchange.fault is None for exchange in exchanges if exchange.seat in (0, 2)} == {True}
    assert (
        len([exchange for exchange in exchanges if exchange.seat == 3 and exchange.fault[0] == "illegal"]) > 2
    )
    assert differences_when_replayed(played.log) == []


def test_a_bot_on_trial_in_several_seats_is_stopped_in_all_of_them(matched):
    played = matched("camel_up", ROLLS, WRONG, ROLLS, ROLLS, on_trial=frozenset({0, 1, 2}))
    first, *others = faults(played)
    assert first == (1, "illegal")
    assert sorted(others) == [(0, "crash"), (1, "crash"), (2, "crash")]
    assert differences_when_replayed(played.log) == []


def test_faults_of_others_stop_no_bot_that_is_on_trial(matched):
    played = matched("camel_up", ROLLS, WRONG, ROLLS, ROLLS, on_trial=frozenset({0}))
    assert set(faults(played)) == {(1, "illegal")}
    assert len(played.log.faults) > 2


def test_a_program_on_trial_is_run_no_more_after_its_first_fault(counting, pool, bot):
    first = bot("import sys\nopen(sys.argv[1], 'a').write('one')")
    second = bot("import sys\nopen(sys.argv[1], 'a').write('two'); print('run', file=sys.stderr)")
    played = play(counting(), [Player("one", first), Player("two", second)], 1, pool, frozenset({1}))
    assert faults(played) == [(1, "illegal"), (1, "crash"), (1, "crash")]
    assert played.stderr[1] == b"run\n"
