"""What the authors of bots that fail are told on the command line, as on the page of a match."""

import pytest

from .conftest import BOTS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_bubblewrap")]

ROLLER = "def move(player, g):\n    return [0]\n"


@pytest.fixture
def bot(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_the_end_of_a_crashed_bots_standard_error_is_shown_and_stdout_stays_json(agon, bot):
    lost = bot("lost.py", "def lost(*pasts):\n    return pasts[7]\n")
    ran = agon("play", "honest_rps", lost, "Stone", "--json")
    assert ran.code == 0
    [fault] = ran.json["matches"][0]["faults"]
    assert (fault["kind"], fault["reason"]) == (
        "crash",
        "round 1, claim: the function raised IndexError: tuple index out of range (lost.py, line 2)",
    )
    assert ran.err.splitlines() == [
        "agon: the end of what lost wrote to standard error:",
        "    Traceback (most recent call last):",
        '      File "/box/work/lost.py", line 2, in lost',
        "        return pasts[7]",
        "               ~~~~~^^^",
        "    IndexError: tuple index out of range",
    ]


def test_of_much_standard_error_the_end_is_shown_once_for_each_bot(agon, bot):
    loud = bot("loud.py", "import sys\nfor n in range(100): print('line', n, file=sys.stderr)\nsys.exit(3)\n")
    ran = agon("play", "coup", loud, "StarterPy", "--matches", 2)
    assert "loud: crash: call 1: exited with status 3" in ran.out
    assert ran.err.splitlines() == [
        "agon: the end of what loud wrote to standard error:",
        "    ... (85 more lines)",
        *(f"    line {n}" for n in range(85, 100)),
    ]


@pytest.mark.exhaustive
def test_what_a_bot_without_a_fault_writes_is_not_shown(agon, bot):
    loud = bot("loud.py", f"print('loading')\n{ROLLER}")
    ran = agon("play", "camel_up", loud, "Roller", "Roller", "Roller")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "reason", "printed"),
    [
        (
            "def another(one): pass",
            "bot.py: expected a function bot of four arguments, there is none of that name",
            "",
        ),
        ("def bot(a, b): pass", "bot.py: bot is called with 4 arguments, it is defined as bot(a, b)", ""),
        (
            "import scipy.nonsense",
            "bot.py raised ModuleNotFoundError: No module named 'scipy' (bot.py, line 1): there is no module "
            "scipy here; Python has its standard library and numpy, and an upload may contain more",
            "ModuleNotFoundError: No module named 'scipy'",
        ),
        (
            "print('good bye')\nimport os\nos._exit(3)",
            "while it was loaded, it exited with status 3",
            "good bye",
        ),
        (
            "import time\nprint('counting', flush=True)\ntime.sleep(60)",
            "loading took longer than 5 s; the last line that it printed: counting",
            "counting",
        ),
        (
            "bot = raw_input()",
            "bot.py raised NameError: name 'raw_input' is not defined (bot.py, line 1): "
            "raw_input is Python 2; Agon runs Python 3.11",
            "",
        ),
    ],
)
def test_a_function_that_cannot_be_loaded_is_refused_before_the_first_match(agon, bot, text, reason, printed):
    ran = agon("tournament", "honest_rps", bot("bot.py", text), "Stone")
    assert (ran.code, ran.out) == (2, "")
    *log, last = ran.err.splitlines()
    assert last == f"agon: bot does not build: {reason}"
    assert printed in "\n".join(log)
    assert "" not in log, "nothing was logged: no line of it"
    assert "READY" not in ran.err


def test_a_program_that_says_something_else_than_ready_is_told_what_it_said(agon, bot):
    hello = bot("hello.py", "import time\nprint('HELLO', flush=True)\ntime.sleep(60)\n")
    good = BOTS / "samurai/good.py"
    ran = agon("play", "samurai", hello, good, good, good, "--json")
    assert [fault["reason"] for fault in ran.json["matches"][0]["faults"]] == [
        "expected a line READY within 5,000 ms of the start, got 'HELLO'"
    ]


def test_a_program_whose_answers_stay_in_its_buffer_is_told_where_to_flush_them(agon, bot):
    silent = bot(
        "silent.py", "import sys\nprint('READY', flush=True)\nfor line in sys.stdin:\n    print(1)\n"
    )
    good = BOTS / "samurai/good.py"
    ran = agon("play", "samurai", silent, good, good, good, "--json")
    assert [fault["kind"] for fault in ran.json["matches"][0]["faults"]] == ["timeout"]
    assert ran.err.splitlines() == [
        "agon: silent: Line 4: what is printed here stays in a buffer and does not reach the game in time. "
        "Flush the output: print(..., flush=True)"
    ]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"run.sh": "php5 bot.php"}, "exited with status 127: there is no php5 here, use php"),
        ({"run.sh": "python2 bot.py"}, "exited with status 127: there is no python2 here, use python3"),
        (
            {"bot.toml": 'run = "python2 bot.py"'},
            "could not be started (python2 bot.py): No such file or directory: "
            "there is no python2 here, use python3",
        ),
    ],
)
def test_an_old_program_is_named_with_what_is_here_instead(agon, tmp_path, files, reason):
    folder = tmp_path / "old"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    ran = agon("play", "coup", folder, "StarterPy", "--json")
    [fault] = ran.json["matches"][0]["faults"]
    assert fault["reason"] == f"call 1: {reason}"


@pytest.mark.exhaustive
def test_an_old_compiler_is_named_with_what_is_here_instead(agon, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "compile.sh").write_text("php5 -l bot.php\n")
    (folder / "run.sh").write_text("php bot.php\n")
    ran = agon("play", "coup", folder, "StarterPy", "--sandbox", "bubblewrap")
    assert ran.code == 2
    assert "exited with status 127: there is no php5 here, use php" in ran.err


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "raw_input()",
            "exited with status 1: raw_input is Python 2; Agon runs Python 3.11",
        ),
        ("bytearray(1 << 30)", "ran out of memory: 256 MiB"),
        (
            "open('big', 'wb', 0).write(bytes(80 << 20)); open('more', 'wb', 0).write(b'x' * 4096)",
            "exited with status 1: its work folder is full: at most 64 MiB and 4,096 files",
        ),
    ],
)
def test_limits_and_python_2_are_named(agon, bot, statement, reason):
    ran = agon("play", "coup", bot("bot.py", f"{statement}\n"), "StarterPy", "--json")
    [fault] = ran.json["matches"][0]["faults"]
    assert fault["reason"] == f"call 1: {reason}"
