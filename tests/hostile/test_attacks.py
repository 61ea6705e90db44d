"""Hostile bots, each a small program that says what it tries and what must come of it.

In both backends each is let loose beside a harmless neighbour in a box of its own. It must get nowhere,
the neighbour must not notice, its box must be clean (or gone) in good time, and the next session must
find no trace. What an attack uses up is bounded in the attack itself, so that none can harm the host
even where it is not held.
"""

import hashlib
import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.api import Artifact, Failed, Limits, Line
from sandbox.channel import exchange

HERE = Path(__file__).parent
LIMITS = Limits(memory_mib=128, processes=32, work_mib=16)
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n"
SLOWEST_CLEANING = 5.0  # seconds


@dataclass(frozen=True)
class Attack:
    path: Path
    expected: frozenset[str]  # "held", or kinds of failure


def attacks(folder: str, pattern: str) -> list[object]:
    found = []
    for path in sorted((HERE / folder).glob(pattern)):
        words = re.search(r"Expect: ([\w, ]+)", path.read_text())
        assert words, f"{path} does not say what it expects"
        found.append(pytest.param(Attack(path, frozenset(words[1].strip().split(", "))), id=path.stem))
    return found


def outcome(answer: Line | Failed) -> str:
    if isinstance(answer, Failed):
        return answer.kind
    return answer.text.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def neighbour(sandbox, artifacts):
    box = sandbox.open(artifacts(ECHO), LIMITS)
    yield box
    box.close()


def let_loose(box, neighbour, attack):
    """What came of the attack, and how long it took to clean up after it."""
    session, other = box.session(), neighbour.session()
    seconds = 1.0 if attack.expected == {"timeout"} else 10.0
    asks = {"attack": (session.start(), b"go\n", seconds), "neighbour": (other.start(), b"fine\n", 30.0)}
    answers = exchange(asks)
    if len(outcome(answers["attack"])) > 1000:  # it has not said anything yet: see what comes of it
        answers |= exchange({"attack": (asks["attack"][0], b"go\n", seconds)})
    started = time.monotonic()
    session.close()
    cleaning = time.monotonic() - started
    other.close()
    assert outcome(answers["neighbour"]) == "fine"
    return outcome(answers["attack"]), cleaning


@pytest.mark.parametrize("attack", attacks("attacks", "*.py"))
def test_an_attack_in_python_gets_nowhere(sandbox, opened, neighbour, tmp_path, attack):
    artifact = Artifact(tmp_path, attack.path.stem, "python", ("python3", "bot.py"), "bot.py")
    artifact.files.mkdir()
    (artifact.files / "bot.py").write_bytes(attack.path.read_bytes())
    (artifact.files / "hostile.py").write_bytes((HERE / "hostile.py").read_bytes())
    box = opened(artifact, LIMITS)
    came, cleaning = let_loose(box, neighbour, attack)
    assert came in attack.expected
    assert cleaning < SLOWEST_CLEANING
    after = box if box.alive else opened(artifact, LIMITS)
    found = exchange({0: (after.session().start(), b"look\n", 10.0)})[0]
    assert outcome(found) == "clean"


@pytest.mark.parametrize("attack", attacks("attacks_c", "*.c"))
@pytest.mark.compilers
def test_an_attack_in_c_gets_nowhere(compiled, opened, neighbour, attack):
    box = opened(compiled(attack.path.read_text()), LIMITS)
    came, cleaning = let_loose(box, neighbour, attack)
    assert came in attack.expected
    assert cleaning < SLOWEST_CLEANING


def test_what_one_run_leaves_does_not_forge_the_next(opened, artifacts):
    """What a bot leaves for its next move is its own business, but no other match may find it."""
    box = opened(artifacts("""
        import os, sys
        print(os.path.exists("evil"))
        open("evil", "w").close()
        with open(sys.argv[1], "w") as file: file.write("forged history")
    """), LIMITS)  # fmt: skip
    for _ in range(2):
        session = box.session()
        runs = [session.run([], b"history", 5.0) for _ in range(2)]
        assert [run.stdout for run in runs] == [b"False\n", b"True\n"]
        assert runs[0].file == b"forged history", "the referee is shown what was done to its file"
        session.close()


@pytest.mark.compilers
def test_killing_the_keeper_in_the_moment_of_the_start_fails_the_bot_and_nothing_else(opened, compiled):
    source = (HERE / "attacks_c" / "processes_kill_parent.c").read_text()
    for _ in range(5):
        box = opened(compiled(source), LIMITS)
        session = box.session()
        runs = []
        for _ in range(10):
            runs.append(session.run([], None, 2.0))
        session.close()
        assert all(run.failed is None or run.failed.kind in ("crash", "timeout") for run in runs)


def test_there_are_attacks_of_every_family():
    names = [path.stem for path in HERE.glob("attacks*/*.*")]
    families = {name.split("_")[0] for name in names}
    assert families >= {
        *("processes", "memory", "disk", "output", "reading", "writing"),
        *("network", "kernel", "privileges", "state", "forging"),
    }
    assert len(names) >= 25
    assert len({hashlib.sha256(path.read_bytes()).digest() for path in HERE.glob("attacks*/*.*")}) == len(
        names
    )
