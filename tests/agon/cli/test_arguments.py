"""What is wrong with the arguments is said in words, before anything is played, with exit code 2."""

import json
import subprocess
import sys

import pytest

from games.core.manifest import house_bots, load

HOUSE_BOTS = [bot.name for bot in house_bots(load("coup"))]


def test_games_lists_every_game_for_people_and_as_json(agon_here):
    listed = agon_here("games")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == [
        game["slug"] for game in agon_here("games", "--json").json
    ]
    games = {game["slug"]: game for game in agon_here("games", "--json").json}
    assert games["samurai"]["seats"] == [4, 4]
    assert games["coup"]["house_bots"]


@pytest.mark.first(1)
@pytest.mark.parametrize("command", ["games", "serve"])
def test_a_folder_of_games_that_does_not_exist_is_refused(environment, tmp_path, command):
    there = environment | {
        "AGON_GAMES": str(tmp_path / "games"),
        "AGON_VAR": str(tmp_path / "var"),
        "PORT": "8999",
    }
    done = subprocess.run(
        [sys.executable, "-m", "agon", command], env=there, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert (
        done.stderr == f"agon: AGON_GAMES: expected a folder of games, got {tmp_path}/games, which is none\n"
    )
    assert not (tmp_path / "var" / "agon.sqlite3").exists(), "it is refused before anything is changed"


def test_the_installed_command_needs_no_django(environment):
    script = (
        "import sys; from agon.__main__ import main\n"
        "try: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, "games", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
    assert "'django'" not in done.stderr
    assert "'sandbox.api'" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "cuop", "a", "b"], "there is no game 'cuop'. Did you mean coup?"),
        (["play", "chess", "a", "b"], "there is no game 'chess'. There are: "),
        (["play", "honest-rps", "starter"], "honest_rps needs 2 bots, got 1"),
        (["play", "coup", "starter"], "coup needs 2 bots, got 1"),
        (["play", "samurai", *"abc"], "samurai needs 4 bots, got 3"),
        (["play", "coup", "a/b.py", "c"], "there is no file or folder a/b.py"),
        (["play", "coup", "missing.py", "c"], "there is no file or folder missing.py"),
        (["play", "coup", "a", "b", "--seed", "-1"], "--seed"),
        (["play", "coup", "a", "b", "--seed", "x"], "--seed"),
        (["play", "coup", "a", "b", "--matches", "0"], "--matches"),
        (
            ["play", "coup", "a", "b", "--matches", "9999999"],
            "matches: expected 1 to 1,000,000, got 9999999",
        ),
        (["play", "coup", "a", "b", "--sandbox", "none"], "--sandbox"),
        (["play"], "Usage"),
        (["tournament", "coup", "a"], "entrants: expected 2 or more, got 1"),
        (["tournament", "coup", "a", "b", "--format", "ladder"], "format: expected one of round_robin"),
        (["tournament", "coup", "a", "b", "--format", "rotations"], "format: rotations does not fit"),
        (["tournament", "coup", "a", "b", "--rounds", "0"], "--rounds"),
        (["tournament", "samurai", "a", "b", "c"], "entrants: expected 4 or more, got 3"),
        (["play", "coup", "", "c"], "there is no house bot '' in coup, and no such file"),
        (["play", "coup", f"{'a' * 5000}.py", "c"], "there is no file or folder aaaa"),
        (["play", "coup", "/dev/zero", "c"], "/dev/zero is neither a file nor a folder"),
        (["verify", "nothing.zip"], "there is no file or folder nothing.zip"),
        (["verify", "a" * 5000], "there is no file or folder aaaa"),
        (["verify", "/dev/zero"], "/dev/zero is neither a file nor a folder"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_wrong_arguments_are_named(agon_here, tmp_path, arguments, words):
    ran = agon_here(*arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("command", ["play", "tournament", "compare"])
def test_a_name_that_no_file_can_have_is_named(environment, command):
    name = "x" * 300
    arguments = [command, "coup", *HOUSE_BOTS[:2], "--save", name]
    done = subprocess.run(
        [sys.executable, "-m", "agon", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"agon: {name}/")
    assert done.stderr.endswith(": File name too long\n")


def test_a_house_bot_that_is_misspelt_gets_a_suggestion(agon_here, tmp_path):
    name = HOUSE_BOTS[-1]
    ran = agon_here("play", "coup", name[:-1] + "x", name, cwd=tmp_path)
    assert ran.code == 2
    assert f"Did you mean {name}" in ran.err


def test_a_folder_that_holds_something_is_not_written_to(agon_here, tmp_path):
    (tmp_path / "dear.txt").write_text("dear")
    name = HOUSE_BOTS[0]
    ran = agon_here("play", "coup", name, name, "--save", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "expected a new or empty folder, it holds dear.txt" in ran.err


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.py", b"", "empty.py is empty"),
        ("bot.xyz", b"hello", "in no known language"),
        ("bot.zip", b"hello", "is not an archive, or is damaged"),
    ],
)
def test_what_could_not_be_uploaded_cannot_be_played(agon_here, tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    ran = agon_here("play", "coup", tmp_path / name, tmp_path / name)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
