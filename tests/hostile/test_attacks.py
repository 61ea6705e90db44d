"""Hostile bots, each a small program that says what it tries and what must come of it.

In both backends each is let loose beside a harmless neighbor in a box of its own. It must get nowhere,
the neighbor and the host must not notice, its box must be clean (or gone) in good time, and the next
session, in the same box if it is still there, must find no trace. What an attack uses up is bounded in
the attack itself, so that none can harm the host even where it is not held.
"""

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.api import Artifact, Box, Failed, Limits, Line
from sandbox.boxes.channel import exchange
from tests.hostile import targets
from tests.hostile.attack_counts import FIGURES
from tests.hostile.host_disk import is_slowed_down, timed_flushes
from tests.hostile.targets import HERE, LIMITS, Arena
from tests.support.cpu_load import if_alone

pytestmark = pytest.mark.slow

SLOWEST_CLEANING = 5.0  # seconds
# They use up what the control group, the work folder, the pipes and the clock of the referee limit, alike for
# every bot, however it was started.
USING_UP = ("memory", "disk", "output", "timing")
# Each drops cached files of the host and reads for seconds. `make test` tries a way to read and one to write.
LONG = {
    *("disk_attributes", "disk_deep", "disk_direct_reads", "disk_hidden", "disk_inodes", "disk_mapped_reads"),
    *("disk_read_ahead", "disk_scattered_reads", "disk_sparse"),
}
FAMILIES = {
    *("processes", "signals", "reading", "writing", "network", "kernel"),
    *("privileges", "state", "telling", "forging", "warm", *USING_UP),
}


@dataclass(frozen=True)
class Attack:
    path: Path
    expected: frozenset[str]  # "held", or kinds of failure

    @property
    def endless(self) -> bool:
        return "timeout" in self.expected and "held" not in self.expected

    @property
    def seconds(self) -> float:
        return 0.3 if self.endless else 10.0


def attacks(folder: str, *families: str) -> list[object]:
    parameters = []
    for path in sorted((HERE / folder).iterdir()):
        if path.is_file() and path.stem.split("_")[0] in families:
            words = re.search(r"Expect: ([\w, ]+)", path.read_text())
            assert words, f"{path} does not say what it expects"
            attack = Attack(path, frozenset(words[1].strip().split(", ")))
            marks = [pytest.mark.exhaustive] if path.stem in LONG else []
            parameters.append(pytest.param(attack, id=path.stem, marks=marks))
    return parameters


def outcome(answer: Line | Failed) -> str:
    if isinstance(answer, Failed):
        return answer.kind
    text = answer.text.decode("utf-8", "replace")
    return text if text.isprintable() else "garbage"


@pytest.fixture(scope="module")
def facts(tmp_path_factory) -> Iterator[dict[str, object]]:
    with targets.open_doors(tmp_path_factory.mktemp("host")) as facts:
        yield facts


@pytest.fixture(scope="module", params=["forked", pytest.param("spawned", marks=pytest.mark.exhaustive)])
def arena(request, sandbox, facts, tmp_path_factory) -> Iterator[Arena]:
    """Python bots are forked from a warm interpreter, all others are programs that are spawned."""
    arena = Arena(sandbox, tmp_path_factory.mktemp("arena"), facts, warm=request.param == "forked")
    yield arena
    arena.close()


@pytest.fixture(scope="module")
def neighbor(sandbox, artifacts, facts) -> Iterator[Box]:
    box = targets.neighbor(sandbox, artifacts)
    yield box
    box.close()


def let_loose(box, neighbor, attack, line):
    """The outcome of the attack. Counts it, and what it did to others."""
    name = f"{box.host.__class__.__module__}:{attack.path.stem}"
    before = targets.host()
    if attack.path.stem.startswith("disk_"):
        targets.drop_cached_files()
    with closing(neighbor.session()) as neighbor_session, closing(box.session()) as session:
        asks = {
            "attack": (session.start(), line, attack.seconds),
            "neighbor": (neighbor_session.start(), b"fine\n", 30.0),
        }
        with timed_flushes() as flushes:
            answers = exchange(asks)
            for _ in range(50):
                if len(said := outcome(answers["attack"])) < 1000 and said:
                    break
                answers |= exchange({"attack": asks["attack"]})  # it has not said anything yet
        got = outcome(answers["attack"])
        started = time.monotonic()
        session.close()
        FIGURES.cleaning_s.append(time.monotonic() - started)
    FIGURES.tried += 1
    flush = FIGURES.add_flushes(name, flushes)
    if got not in attack.expected:
        FIGURES.escaped.append(name)
    if outcome(answers["neighbor"]) != "fine" or targets.host() != before:
        FIGURES.harmed.append(name)
    assert got in attack.expected
    assert FIGURES.cleaning_s[-1] < if_alone(SLOWEST_CLEANING)
    assert outcome(answers["neighbor"]) == "fine"
    assert targets.host() == before
    assert not is_slowed_down(flush)
    return answers["attack"]


@pytest.mark.parametrize("attack", attacks("attacks", *sorted(FAMILIES.difference(USING_UP))))
def test_an_attack_in_python_gets_nowhere(arena, neighbor, attack):
    assert_gets_nowhere(arena, neighbor, attack)


@pytest.mark.parametrize("arena", ["forked"], indirect=True)
@pytest.mark.parametrize("attack", attacks("attacks", *USING_UP))
def test_using_up_what_is_limited_gets_nowhere(arena, neighbor, attack):
    """Forked only: see USING_UP. Those in C use up memory in programs that are spawned."""
    assert_gets_nowhere(arena, neighbor, attack)


def assert_gets_nowhere(arena, neighbor, attack):
    got = let_loose(arena.box(), neighbor, attack, f"go {attack.path.stem}\n".encode())
    if isinstance(got, Failed) and got.kind == "timeout":
        # Wall time alone grows on a busy machine, processor time alone with the number of processors.
        assert min(got.times.wall_us, got.times.cpu_us) < 1e6 * (1.5 * attack.seconds + 0.5)
    assert_nothing_is_left(arena, attack)


def assert_nothing_is_left(arena, attack):
    """The next session, in the same box if it is still there, finds no trace."""
    with closing(arena.box().session()) as session:
        answer = exchange({0: (session.start(), f"look {arena.digest}\n".encode(), 10.0)})[0]
    if outcome(answer) != "clean":
        FIGURES.carried.append(attack.path.stem)
    assert outcome(answer) == "clean"


AT_ITS_STARTER = [
    attack
    for attack in attacks("attacks", "forging", "processes", "reading", "signals", "warm")
    if attack.id != "reading_neighbors"  # that there is a starter may be seen
]


@pytest.mark.first(12)
@pytest.mark.parametrize("attack", AT_ITS_STARTER)
def test_an_attack_gets_no_further_when_it_is_run_for_a_move(arena, attack):
    """The process that starts a move has the bot's own uid: to end or stop it costs the bot its session."""
    box = arena.box()
    with closing(box.session()) as session:
        seconds = min(0.5, attack.seconds)
        with timed_flushes() as flushes:
            runs = [session.run(["go", attack.path.stem], b"history", seconds) for _ in range(2)]
    flush = FIGURES.add_flushes(f"{attack.path.stem} for a move", flushes)
    said = {run.failed.kind if run.failed else run.stdout.decode().strip() for run in runs}
    FIGURES.tried += 1
    if not said <= attack.expected | {"crash", "timeout"}:
        FIGURES.escaped.append(f"{box.host.__class__.__module__}:{attack.path.stem} for a move")
    assert said <= attack.expected | {"crash", "timeout"}
    assert not is_slowed_down(flush)
    assert_nothing_is_left(arena, attack)


@pytest.fixture(scope="module")
def programs(sandbox, tmp_path_factory) -> Path:
    """A folder with all attacks in C, each the program `bot` of an artifact. One box compiles them."""
    names = [path.stem for path in (HERE / "attacks_c").glob("*.c")]
    steps = [["mkdir", "-p", *(f"{name}/files" for name in names)]]
    steps += [["gcc", "-O1", "-pthread", "-o", f"{name}/files/bot", f"{name}.c"] for name in names]
    folder = tmp_path_factory.mktemp("programs")
    run = sandbox.build(HERE / "attacks_c", steps, Limits(memory_mib=512), 60, folder)
    assert run.ok, run.log
    return folder


@pytest.mark.parametrize("attack", attacks("attacks_c", *sorted(FAMILIES)))
@pytest.mark.compilers
def test_an_attack_in_c_gets_nowhere(programs, opened, neighbor, attack):
    name = attack.path.stem
    box = opened(Artifact(programs / name, name, "c", ("./bot",)), LIMITS)
    let_loose(box, neighbor, attack, b"go\n")


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


def test_a_program_cannot_hide_what_it_uses_in_children_without_waiting_for_them(opened, artifacts):
    attack = (HERE / "attacks" / "forging_unseen_children.py").read_text()
    session = opened(artifacts(f"{attack}\nprint(go())\n"), LIMITS).session()
    run = session.run([], None, 0.3)
    session.close()
    assert run.failed is not None, run.stdout
    assert run.failed.kind == "timeout"


@pytest.mark.exhaustive
@pytest.mark.compilers
def test_killing_the_spawner_during_a_start_fails_the_bot_and_nothing_else(opened, compiled):
    source = (HERE / "attacks_c" / "processes_kill_parent.c").read_text()
    for _ in range(3):
        box = opened(compiled(source), LIMITS)
        session = box.session()
        runs = []
        for _ in range(10):
            runs.append(session.run([], None, 0.5))
        session.close()
        assert all(run.failed is None or run.failed.kind in ("crash", "timeout") for run in runs)


def test_the_attacks_are_many_and_all_different():
    files = [*HERE.glob("attacks*/*.*"), *HERE.glob("builds/*.sh"), *HERE.glob("functions/*.py")]
    assert {path.stem.split("_")[0] for path in HERE.glob("attacks*/*.*")} == FAMILIES
    assert len({hashlib.sha256(path.read_bytes()).digest() for path in files}) == len(files) >= 60
