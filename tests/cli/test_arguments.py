"""What is wrong with the arguments is said in words, before anything is played, with exit code 2."""

import json
import subprocess
import sys

import pytest


def test_games_lists_every_game_for_people_and_as_json(agon):
    listed = agon("games")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == [
        game["slug"] for game in agon("games", "--json").json
    ]
    games = {game["slug"]: game for game in agon("games", "--json").json}
    assert games["samurai"]["seats"] == [4, 4]
    assert games["coup"]["house_bots"]


def test_the_installed_command_needs_no_django(environment):
    script = (
        "import sys; from cli import main\ntry: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, "games", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
    assert "'django'" not in done.stderr
    assert "'sandbox'" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "cuop", "a", "b"], "there is no game 'cuop'. Did you mean coup?"),
        (["play", "chess", "a", "b"], "there is no game 'chess'. There are: "),
        (["play", "coup", "starter"], "coup needs 2 bots, got 1"),
        (["play", "samurai", *"abc"], "samurai needs 4 bots, got 3"),
        (["play", "coup", "a/b.py", "c"], "there is no file or folder a/b.py"),
        (["play", "coup", "missing.py", "c"], "there is no file or folder missing.py"),
        (["play", "coup", "a", "b", "--seed", "-1"], "--seed"),
        (["play", "coup", "a", "b", "--seed", "x"], "--seed"),
        (["play", "coup", "a", "b", "--matches", "0"], "--matches"),
        (
            ["play", "coup", "a", "b", "--matches", "9999999"],
            "matches: expected 1 to 1,000,000, came 9999999",
        ),
        (["play", "coup", "a", "b", "--sandbox", "none"], "--sandbox"),
        (["play"], "Usage"),
        (["tournament", "coup", "a"], "entrants: expected 2 or more, came 1"),
        (["tournament", "coup", "a", "b", "--format", "swiss"], "format: expected one of round_robin"),
        (["tournament", "coup", "a", "b", "--format", "rotations"], "format: rotations does not fit"),
        (["tournament", "coup", "a", "b", "--rounds", "0"], "--rounds"),
        (["tournament", "samurai", "a", "b", "c"], "entrants: expected 4 or more, came 3"),
        (["play", "coup", "", "c"], "there is no house bot '' in coup, and no such file"),
        (["play", "coup", f"{'a' * 5000}.py", "c"], "there is no file or folder aaaa"),
        (["play", "coup", "/dev/zero", "c"], "/dev/zero is neither a file nor a folder"),
        (["verify", "nothing.zip"], "there is no file or folder nothing.zip"),
        (["verify", "a" * 5000], "there is no file or folder aaaa"),
        (["verify", "/dev/zero"], "/dev/zero is neither a file nor a folder"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_wrong_arguments_are_named(agon, tmp_path, arguments, words):
    ran = agon(*arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def house_bots_of_coup(agon):
    return next(game["house_bots"] for game in agon("games", "--json").json if game["slug"] == "coup")


def test_a_house_bot_that_is_misspelt_gets_a_suggestion(agon, tmp_path):
    name = house_bots_of_coup(agon)[-1]
    ran = agon("play", "coup", name[:-1] + "x", name, cwd=tmp_path)
    assert ran.code == 2
    assert f"Did you mean {name}" in ran.err


def test_a_folder_that_holds_something_is_not_written_to(agon, tmp_path):
    (tmp_path / "dear.txt").write_text("dear")
    name = house_bots_of_coup(agon)[0]
    ran = agon("play", "coup", name, name, "--save", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "expected a new or empty folder, it holds dear.txt" in ran.err


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.py", b"", "empty.py is empty"),
        ("bot.xyz", b"hello", "of no known language"),
        ("bot.zip", b"hello", "is no archive, or a damaged one"),
    ],
)
def test_what_could_not_be_uploaded_cannot_be_played(agon, tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    ran = agon("play", "coup", tmp_path / name, tmp_path / name)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
