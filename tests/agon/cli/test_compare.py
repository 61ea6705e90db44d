"""`agon compare` with real bots, sandboxed: verdicts, exit codes, files, going on after an interruption."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest

from games.core.record import from_json

pytestmark = pytest.mark.slow

HERE = ("--sandbox", "bubblewrap")
WORSE = ("Miser", "Bluffer")  # their matches are short


def substance(ran):
    return {name: value for name, value in ran.json.items() if name != "seconds"}


@pytest.fixture
def mine(agon_here, environment, monkeypatch, tmp_path):
    """The folder of a new game: a match of it takes a third of one of Coup."""
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "games"))
    assert agon_here("new-game", "mine").code == 0
    return tmp_path / "games/mine"


@pytest.fixture(scope="module")
def worse(agon, tmp_path_factory):
    """Miser never wins: the verdict, its JUnit file, and its folder."""
    folder = tmp_path_factory.mktemp("worse")
    files = ("--save", folder / "kept", "--junit", folder / "junit.xml")
    return agon("compare", "coup", *WORSE, "--seed", 3, *files, *HERE, "--json"), folder


def test_a_worse_version_ends_with_exit_code_1(worse):
    ran, _ = worse
    assert (ran.code, ran.err) == (1, "")
    assert (ran.json["verdict"], ran.json["new"], ran.json["old"]) == ("worse", *WORSE)
    assert ran.json["difference"] | {"low": 0, "high": 0} == {
        "estimate": -1.0,
        "low": 0,
        "high": 0,
        "confidence": 0.95,
    }
    assert ran.json["difference"]["high"] < 0
    assert (ran.json["cycles"], ran.json["matches"], ran.json["void"]) == (16, 32, 0)
    assert (ran.json["seed"], ran.json["least"], ran.json["cap"]) == (3, "0.1", 2000)


def test_a_worse_version_is_a_failure_for_junit(worse):
    _, folder = worse
    suite = ElementTree.parse(folder / "junit.xml").getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "1", "1")
    [case] = suite
    assert case.get("name") == "Miser is not worse than Bluffer"
    assert case.find("failure").get("message") == "Miser is worse than Bluffer"


def test_a_better_version_is_said_to_people_and_ends_with_exit_code_0(mine, agon, tmp_path):
    files = ("--junit", tmp_path / "junit.xml")
    ran = agon("compare", "mine", "Starter", "Climber", "--seed", 3, "--jobs", 2, *files, *HERE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "Starter is better than Climber\ndifference of shares: +100.0 points; 95 % interval "
    )
    [case] = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert case.find("failure") is None


def test_a_finished_comparison_is_repeated_from_its_folder_without_playing(worse, agon):
    ran, folder = worse
    kept = sorted((folder / "kept").rglob("*"))
    again = agon("compare", "coup", *WORSE, "--save", folder / "kept", *HERE, "--json")
    assert again.code == 1
    assert substance(again) == substance(ran)
    assert sorted((folder / "kept").rglob("*")) == kept


def test_its_records_can_be_verified(worse, agon_here):
    _, folder = worse
    records = sorted((folder / "kept/matches").glob("*/record.json"))
    assert len(records) == 32
    assert agon_here("verify", *records[:3]).code == 0


@pytest.mark.exhaustive
def test_versions_meet_the_same_opponents(mine, agon, tmp_path):
    opponents = tmp_path / "one.py", tmp_path / "another.py"
    for path in opponents:
        path.write_text(f"# {path.name}\n{(mine / 'bots/starter.py').read_text()}")
    options = ("--seed", 1, "--cap", 64, "--least", "0.3", "--save", tmp_path / "kept")
    against = ("--against", opponents[0], "--against", opponents[1])
    ran = agon("compare", "mine", "Starter", "Climber", *against, *options, *HERE, "--json")
    assert ran.code == 0
    assert ran.json["against"] == ["one", "another"]
    assert (ran.json["verdict"], ran.json["matches"]) == ("better", 64)
    seated = [
        tuple(
            seat.name for seat in from_json((tmp_path / f"kept/matches/{n}/record.json").read_bytes()).seats
        )
        for n in range(64)
    ]
    by_new = [names for names in seated if "Starter" in names]
    by_old = [names for names in seated if "Climber" in names]
    assert [tuple(name.replace("Starter", "Climber") for name in names) for names in by_new] == by_old
    assert {name for names in seated for name in names} == {"Starter", "Climber", "one", "another"}


def test_an_interrupted_comparison_goes_on_and_ends_like_an_uninterrupted_one(
    agon, environment, mine, tmp_path
):
    """Equal programs: every cycle is level, and that there is no difference is known after some of them."""
    starter = (mine / "bots/starter.py").read_text()
    slow, twin = tmp_path / "slow.py", tmp_path / "twin.py"
    slow.write_text(f"import time\ntime.sleep(0.1)\n{starter}")  # not over before it is interrupted
    twin.write_text(f"# the same\n{starter}")
    command = ["compare", "mine", slow, twin, "--seed", 5, "--least", "0.5", *HERE, "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "agon", *map(str, command), "--jobs", "2", "--save", str(tmp_path / "kept")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    lines = tmp_path / "kept/cycles.jsonl"
    try:
        deadline = time.monotonic() + 120
        while not (lines.exists() and lines.read_bytes().count(b"\n") >= 1):
            assert time.monotonic() < deadline
            with contextlib.suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended by itself: {running.wait(timeout=0.02)}")
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    cycles = lines.read_bytes().count(b"\n")
    assert (running.returncode, out) == (130, "")
    assert err == (
        f"agon: stopped; {2 * cycles} matches in {cycles} cycles were played and are saved in"
        f" {tmp_path}/kept; the same command goes on from there\n"
    )
    lines.write_bytes(lines.read_bytes() + b'{"cycle": ')  # as if it had been killed while it wrote
    resumed = agon(*command, "--save", tmp_path / "kept")
    whole = agon(*command, "--jobs", 1)
    assert (resumed.code, whole.code) == (0, 0)
    assert resumed.json["verdict"] == "no difference"
    assert substance(resumed) == substance(whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "coup", "Dice"], "Usage"),
        (["compare", "chess", "a", "b"], "there is no game 'chess'"),
        (["compare", "coup", "Dice", "Misr"], "Did you mean Miser"),
        (["compare", "coup", "Dice", "nothing.py"], "there is no file or folder nothing.py"),
        (["compare", "coup", "Dice", "Miser", "--against", "nothing.py"], "no file or folder nothing.py"),
        (
            ["compare", "samurai", "Even", "Greedy", "--against", "Shadow"],
            "--against: samurai needs 3 opponents or more, got 1",
        ),
        (
            ["compare", "coup", "Dice", "Miser", "--cap", "0"],
            "--cap: expected 32 or more (16 cycles of 2 matches), got 0",
        ),
        (["compare", "coup", "Dice", "Miser", "--cap", "9999999"], "--cap"),
        (["compare", "coup", "Dice", "Miser", "--least", "0"], "--least: expected a share from 0.01"),
        (["compare", "coup", "Dice", "Miser", "--least", "0.001"], "--least: expected a share from 0.01"),
        (["compare", "coup", "Dice", "Miser", "--least", "nan"], "--least: expected a share from 0.01"),
        (["compare", "coup", "Dice", "Dice"], "NEW and OLD are the same bot: Dice and Dice-2"),
        (
            ["compare", "coup", "Dice", "Miser", "--against", "Raider", "--against", "Raider"],
            "--against: Raider and Raider-2 are the same bot",
        ),
        (["compare", "coup", "Dice", "Miser", "--junit", "no/where.xml"], "--junit: no/where.xml"),
    ],
)
def test_wrong_arguments_are_named(agon_here, tmp_path, arguments, words):
    ran = agon_here(*arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert list(tmp_path.iterdir()) == []


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def remove_line(path):
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3] + lines[4:]))


def edit_plan(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


DAMAGE = {
    "no plan": (lambda kept: (kept / "compare.json").unlink(), "it holds matches and no compare.json"),
    "a plan that is no JSON": (
        lambda kept: (kept / "compare.json").write_text("{"),
        "compare.json: expected JSON; the file is damaged",
    ),
    "a plan of another format": (
        lambda kept: edit_plan(kept / "compare.json", format=9),
        "compare.json: format: expected 1, got 9",
    ),
    "no seed": (
        lambda kept: edit_plan(kept / "compare.json", seed=None),
        "compare.json: seed: expected a number as text, got None",
    ),
    "a seed that is too large": (
        lambda kept: edit_plan(kept / "compare.json", seed="9" * 5000),
        "compare.json: seed: expected a number as text, got '999",
    ),
    "another seed": (
        lambda kept: edit_plan(kept / "compare.json", seed="4"),
        "cycles.jsonl, line 1: its check differs",
    ),
    "another comparison": (
        lambda kept: edit_plan(kept / "compare.json", least="0.2"),
        'holds another comparison: least: expected "0.2", got "0.1"',
    ),
    "a line that is no JSON": (
        lambda kept: change(kept / "cycles.jsonl", '{"cycle": 3,', "{"),
        "cycles.jsonl, line 4: ",
    ),
    "other ranks": (
        lambda kept: change(kept / "cycles.jsonl", "[2, 1]", "[1, 2]"),
        "cycles.jsonl, line 1: its check differs",
    ),
    "a line removed": (
        lambda kept: remove_line(kept / "cycles.jsonl"),
        "cycles.jsonl, line 4: its check differs",
    ),
    "a record removed": (
        lambda kept: (kept / "matches/5/record.json").unlink(),
        "matches/5/record.json cannot be read: No such file or directory",
    ),
    "a record changed": (
        lambda kept: change(kept / "matches/5/record.json", "0", "1"),
        "matches/5/record.json was changed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_folder_is_refused_and_named(worse, agon_here, tmp_path, damage):
    subprocess.run(["cp", "-r", worse[1] / "kept", tmp_path / "kept"], check=True)
    harm, words = DAMAGE[damage]
    harm(tmp_path / "kept")
    ran = agon_here("compare", "coup", *WORSE, "--save", tmp_path / "kept", *HERE)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_another_seed_than_that_of_the_folder_is_refused(worse, agon_here):
    ran = agon_here("compare", "coup", *WORSE, "--seed", 4, "--save", worse[1] / "kept", *HERE)
    assert (ran.code, ran.out) == (2, "")
    assert 'holds another comparison: seed: expected "3", got "4"' in ran.err


def test_a_folder_is_not_used_twice_at_the_same_time(worse, agon_here):
    with open(worse[1] / "kept/cycles.jsonl", "ab") as used:
        fcntl.flock(used, fcntl.LOCK_EX)
        ran = agon_here("compare", "coup", *WORSE, "--save", worse[1] / "kept", *HERE)
    assert (ran.code, ran.out) == (2, "")
    assert "is in use by another comparison" in ran.err


@pytest.fixture
def failing(mine):
    """A game whose referee fails where this condition is true."""

    def make(condition):
        change(
            mine / "referee.py",
            "    def play(self) -> Play:\n",
            f"    def play(self) -> Play:\n        assert not {condition}\n",
        )

    return make


@pytest.mark.exhaustive
def test_a_cycle_with_a_void_match_is_left_out(failing, agon, tmp_path):
    failing("self.rng.random() < 0.2")
    command = ["compare", "mine", "Starter", "Climber", "--seed", 1, "--least", "0.5", *HERE, "--json"]
    ran = agon(*command, "--save", tmp_path / "kept")
    assert ran.code == 0
    assert ran.json["void"] > 0
    assert ran.json["matches"] == 2 * ran.json["cycles"]
    assert "is void, through no fault of a bot" in ran.err
    assert substance(agon(*command, "--save", tmp_path / "kept")) == substance(ran)


@pytest.mark.exhaustive
def test_without_enough_cycles_nothing_is_concluded(failing, agon):
    failing("True")
    ran = agon("compare", "mine", "Climber", "Starter", "--cap", 32, *HERE, "--json")
    assert (ran.code, ran.out) == (3, "")
    assert "16 of 16 cycles are void: nothing can be concluded" in ran.err


def test_a_folder_of_something_else_is_not_written_to(agon_here, tmp_path):
    (tmp_path / "dear.txt").write_text("dear")
    ran = agon_here("compare", "coup", *WORSE, "--save", tmp_path, *HERE)
    assert (ran.code, ran.out) == (2, "")
    assert "it holds dear.txt and no compare.json" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["dear.txt"]
