"""`agon tournament`: formats whose rounds follow from results, and `--save` that goes on where it stopped."""

import shutil
import signal
import subprocess
import sys
import time

import pytest

from agon.contest.archive import verify

from .conftest import BOTS

COUP_PY = BOTS / "coup/good.py"
ENTRANTS = ("Bluffer", "Challenger", "Dice", "Honest", "Miser")
HERE = ("--sandbox", "bubblewrap")
CUP = ("tournament", "coup", *ENTRANTS, *HERE, "--seed", "7", "--json")


@pytest.fixture(scope="module")
def complete(agon, tmp_path_factory):
    """A Swiss that was played without an interruption: its folder, and what was printed."""
    folder = tmp_path_factory.mktemp("complete") / "cup"
    ran = agon(*CUP, "--format", "swiss", "--save", folder)
    assert ran.code == 0, ran.err
    return folder, ran.json


def test_a_swiss_is_played_round_by_round_and_verifies(complete):
    folder, said = complete
    assert len(said["matches"]) == 6
    assert {"buchholz", "sonneborn"} <= said["standings"][0].keys()
    report = verify.verify(folder)
    assert (report.differences, report.matches) == ((), 6)


def test_a_round_that_other_results_would_have_led_to_is_found_out(complete, tmp_path):
    folder = shutil.copytree(complete[0], tmp_path / "forged")
    text = (folder / "manifest.json").read_text()
    label, other_label = '"round": 1, "number": 0, "seats": ', '"round": 1, "number": 1, "seats": '
    first, second = text.split(label)[1].split("]")[0], text.split(other_label)[1].split("]")[0]
    text = text.replace(label + first, label + "?").replace(other_label + second, other_label + first)
    (folder / "manifest.json").write_text(text.replace(label + "?", label + second))
    differences = "\n".join(verify.verify(folder).differences)
    assert "not the match that the results before it lead to" in differences or "seats" in differences


@pytest.mark.first(2)
@pytest.mark.parametrize("lost", ["manifest", "a match", "a file", "half a record", "the end"])
def test_what_was_saved_is_kept_and_the_rest_is_played(complete, agon, tmp_path, lost):
    folder = shutil.copytree(complete[0], tmp_path / "cup")
    (folder / "manifest.json").rename(folder / "unfinished.json")
    for name in ("standings.csv", "SHA256SUMS"):
        (folder / name).unlink()
    match = folder / "matches/2"
    if lost == "a match":
        shutil.rmtree(match)
    elif lost == "a file":
        next(match.glob("*.stderr")).unlink()
    elif lost == "half a record":
        (match / "record.json").write_bytes((match / "record.json").read_bytes()[:100])
    elif lost == "the end":
        for index in (3, 4, 5):
            shutil.rmtree(folder / f"matches/{index}")
    before = (folder / "matches/0/times.json").read_bytes()

    ran = agon(*CUP, "--format", "swiss", "--save", folder)

    assert ran.code == 0, ran.err
    assert ran.json["digest"] == complete[1]["digest"]
    assert ran.json["standings"] == complete[1]["standings"]
    assert (folder / "matches/0/times.json").read_bytes() == before
    assert not (folder / "unfinished.json").exists()
    assert verify.verify(folder).sound


def test_a_run_that_was_killed_goes_on_without_its_seed_being_given(environment, agon, tmp_path):
    slow = tmp_path / "slow.py"  # so slow that the run has not ended when it is killed
    slow.write_text(f"import time\ntime.sleep(0.05)\n{COUP_PY.read_text()}")
    folder = tmp_path / "cup"
    command = ["tournament", "coup", str(slow), *ENTRANTS[:2], "--rounds", "3", *HERE, "--save", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-m", "agon", *command], env=environment, stderr=subprocess.DEVNULL, text=True
    )
    deadline = time.monotonic() + 120
    while len(list(folder.glob("matches/*/record.json"))) < 5 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    there = len(list(folder.glob("matches/*/record.json")))
    assert 5 <= there < 18

    ran = agon(*command, "--json")

    assert ran.code == 0, ran.err
    assert len(ran.json["matches"]) == 18
    assert verify.verify(folder).sound


def test_another_contest_is_not_continued(complete, agon_here):
    ran = agon_here(*CUP, "--format", "swiss", "--save", complete[0], "--rounds", "2")
    assert ran.code != 0
    assert "holds another contest; rounds: expected 2, got 3" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--setting", "best_of"), "--setting: expected NAME=VALUE, got 'best_of'"),
        (("--setting", "best_of=many"), "best_of: expected 1 to 99, got 'many'"),
        (
            ("--setting", "byes=1"),
            "settings: expected best_of, seeding, equal, third for this format, got 'byes'",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_said_before_anything_is_played(agon_here, arguments, words):
    ran = agon_here("tournament", "coup", "Dice", "Honest", "--format", "single_elimination", *arguments)
    assert ran.code != 0
    assert words in ran.err
