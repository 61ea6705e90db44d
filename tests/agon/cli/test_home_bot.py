"""The process that `agon connect` runs: how it is found, what it is told, and what of it is sent."""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from agon.cli.home_bot import HomeBot, command_of
from agon.cli.output import CommandError
from tests.agon.supervisor.conftest import eventually

LINE = {"game": "samurai", "channel": "stdio", "ready_ms": 1000, "answer_bytes": 10}
FUNCTION = {"game": "honest_rps", "channel": "function", "ready_ms": 1000, "answer_bytes": 512}
COUNTS = """
import sys
print("one moment", flush=True)
print("READY", flush=True)
for heard, line in enumerate(sys.stdin):
    print(heard, line.strip(), flush=True)
"""


def ask(step, text="", match=1, attempt=1):
    return {"match": match, "attempt": attempt, "seat": 0, "step": step, "text": text}


@pytest.fixture
def run(tmp_path):
    """run(program, line): the bot in such a file."""
    with ExitStack() as at_end:

        def make(program, line=LINE):
            path = tmp_path / "bot.py"
            path.write_text(program)
            return at_end.enter_context(HomeBot(command_of([str(path)], line, at_end), line))

        yield make


def test_it_is_started_for_each_match_and_answers_line_by_line(run):
    bot = run(COUNTS)
    for match in (1, 2):
        assert not bot.knows(ask(-1, match=match))
        bot.start(ask(-1, match=match), [])
        assert bot.answer(ask(-1, match=match)) == "READY"
        assert bot.knows(ask(0, match=match))
        assert bot.answer(ask(0, "a", match=match)) == "0 a"
    assert not bot.knows(ask(1, match=2, attempt=2))


def test_one_that_is_started_in_mid_match_is_told_what_it_was_asked(run):
    bot = run(COUNTS)
    told = [ask(-1), ask(0, "a"), ask(0, "of an earlier attempt", attempt=0), ask(1, "b")]
    bot.start(ask(2, "c"), told)
    assert bot.answer(ask(2, "c")) == "2 c"


@pytest.mark.parametrize(
    ("does", "answer"),
    [
        ("print('x' * 100_000)", "x" * 11),  # as wrong as all of it, and the next line is the next answer
        ("sys.stdout.buffer.write(b'\\xff\\0\\n')", "\\xff\\x00"),
        # No longer than the site takes.
        ("sys.stdout.buffer.write(b'\\xff' * 11 + b'\\n')", "\\xff\\xff\\xf"),
        ("sys.exit(1)", None),
        ("os.close(1)", None),
        ("sys.stdout.write('no end'); sys.stdout.flush(); sys.exit()", None),
    ],
)
def test_what_is_no_line_is_sent_as_what_it_is(run, does, answer):
    begins, goes_on = "import os, sys\nprint('READY', flush=True)\ninput()", "input()\nprint('next')"
    bot = run(f"{begins}\n{does}\nsys.stdout.flush()\n{goes_on}\n")
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    assert bot.answer(ask(0, "a")) == answer
    assert bot.answer(ask(1, "b")) == (None if answer is None else "next")


LEAVES_A_CHILD = """
import os, signal, sys
print("READY", flush=True)
input()
if os.fork() == 0:
    print(os.getpid(), flush=True)
    signal.pause()
input()
os._exit(0)
"""


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_one_that_ends_has_ended_though_a_child_holds_its_output_and_takes_the_child_along(run):
    bot = run(LEAVES_A_CHILD)
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    child = int(bot.answer(ask(0, "a")))
    assert bot.answer(ask(1, "b")) is None
    bot.__exit__()
    eventually(lambda: not runs(child))


def test_one_that_never_answers_is_ended_once_the_site_waits_no_longer(run):
    bot = run("print('READY', flush=True)\nfor line in iter(input, None): pass\n")
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    waits = iter([True, False])
    assert bot.answer(ask(0, "a"), lambda: next(waits), 0.01) is None
    assert not bot.knows(ask(1))
    bot.start(ask(-1, match=2), [])
    assert bot.answer(ask(-1, match=2)) == "READY"


def test_one_that_does_not_end_by_itself_is_ended_though_ctrl_c_is_pressed_again_meanwhile(run):
    presses_again = "os.kill(os.getppid(), signal.SIGINT)"
    bot = run(
        "import os, signal, sys\nprint('READY', flush=True)\nprint(os.getpid(), flush=True)\n"
        f"sys.stdin.read()\n{presses_again}\nwhile True: signal.pause()\n"
    )
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    program = int(bot.answer(ask(0, "a")))
    with pytest.raises(KeyboardInterrupt):
        bot.__exit__()
    assert not runs(program)


def test_ten_thousand_lines_of_standard_error_hold_nothing_up(run):
    says = "for number in range(10_000): print(number, file=sys.stderr)"
    bot = run(f"import sys\nprint('READY', flush=True)\ninput()\n{says}\nprint('R', flush=True)\ninput()\n")
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    assert bot.answer(ask(0, "a")) == "R"


def test_one_that_ends_before_it_is_ready_says_its_last_line(run):
    bot = run("print('no model here')")
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "no model here"[:11]  # of the longest answer here, and one more
    assert bot.answer(ask(0, "a")) is None


def test_a_python_function_is_called_as_in_a_box(run):
    bot = run("def bot(their_past, my_past, their_claim, my_claim):\n    return 'R'\n", FUNCTION)
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    broken = run("import a_model_that_is_not_there\n", FUNCTION)
    broken.start(ask(-1), [])
    assert "a_model_that_is_not_there" in broken.answer(ask(-1))


def test_a_game_that_only_the_site_has_needs_to_be_here_for_functions_alone(run, tmp_path):
    elsewhere = {"game": "of_the_site"}
    bot = run(COUNTS, LINE | elsewhere)
    bot.start(ask(-1), [])
    assert bot.answer(ask(-1)) == "READY"
    with pytest.raises(CommandError, match=r"no game 'of_the_site'.*name a command line"):
        run(COUNTS, FUNCTION | elsewhere)


def test_what_cannot_be_run_is_refused_in_words(tmp_path):
    (tmp_path / "bot.js").write_text("1")
    with ExitStack() as at_end:
        for words, says in (
            (["nowhere.py"], "no file or program nowhere.py"),
            ([str(tmp_path)], "is a folder"),
            ([str(tmp_path / "bot.js")], "cannot be run: name the command line"),
            ([str(tmp_path / "bot.js"), "fast"], "no program that can be run with 'fast'"),
        ):
            with pytest.raises(CommandError, match=says):
                command_of(words, LINE, at_end)
        assert command_of(["sh", "-c", "cat"], LINE, at_end) == ["sh", "-c", "cat"]


# It ignores that its input has ended, and so does what it has started.
STAYS = """
import os, signal, sys
from pathlib import Path
os.fork()
with open(Path(__file__).with_name("pids"), "a") as pids:
    print(os.getpid(), file=pids)
sys.stdin.read()
signal.pause()
"""
RUNS_IT = """
import sys, json
from agon.cli.home_bot import HomeBot
HomeBot([sys.executable, sys.argv[1]], json.loads(sys.argv[2])).start(json.loads(sys.argv[3]), [])
sys.stdin.read()
"""


def test_it_ends_with_all_it_has_started_also_if_the_command_is_killed(tmp_path):
    bot, pids = tmp_path / "bot.py", tmp_path / "pids"
    bot.write_text(STAYS)
    words = [sys.executable, "-c", RUNS_IT, str(bot), json.dumps(LINE), json.dumps(ask(-1))]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as command:
        eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        command.kill()
    eventually(lambda: not any(map(is_running, pids.read_text().split())), seconds=20)


def is_running(pid):
    """Whether the process is there, and not merely waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
