"""`agon new-game` writes a game that works at once, and touches nothing else."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_bubblewrap")]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def author(agon, environment, tmp_path_factory):
    """A folder of an author's own, with a new game in it, and what the command said."""
    folder = tmp_path_factory.mktemp("author")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(environment, "AGON_GAMES", str(folder))
        ran = agon("new-game", "tic_toe")
        assert (ran.code, ran.err) == (0, "")
        yield folder, ran.out


def files_below(folder):
    """{path: contents} of what is there, compiled Python left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def test_it_writes_one_folder_with_all_that_a_game_has(author):
    folder, said = author
    assert set(files_below(folder)) == {
        f"tic_toe/{name}"
        for name in (
            "__init__.py",
            "bots/climber.sh",
            "bots/starter.py",
            "checks.py",
            "fates.toml",
            "game.toml",
            "referee.py",
            "rules.en.md",
            "test_rules.py",
            "viewer.js",
        )
    }
    assert all(name.partition("/")[2] in said for name in files_below(folder))


def test_the_new_game_is_listed_under_its_own_name(author, agon_here):
    games = {game["slug"]: game for game in agon_here("games", "--json").json}
    assert games["tic_toe"]["title"] == "Tic Toe"
    assert {"coup", "samurai"} < set(games)


def test_what_it_tells_to_do_next_works_at_once(author, agon):
    commands = re.findall(r"^ {4}agon (.*)$", author[1], re.MULTILINE)
    check, play = (command.split() for command in commands)
    checked = agon(*check, "--json")
    assert (checked.code, {verdict["state"] for verdict in checked.json["checks"]}) == (0, {"ok"})
    played = agon(*play, "--seed", 1, "--json")
    [match] = played.json["matches"]
    assert (played.code, match["faults"]) == (0, [])
    assert sorted(match["ranks"]) == [1, 2]


@pytest.mark.parametrize(
    ("called", "on_the_path", "told"),
    [
        ("bin/agon", False, "bin/agon"),
        ("bin/agon", True, "agon"),
        ("./agon games/agon", True, "'./agon games/agon'"),
    ],
)
def test_it_tells_what_to_do_next_as_it_was_called_itself(environment, tmp_path, called, on_the_path, told):
    """A folder of its own stands for the project: with the installed script, and with another one."""
    script = Path(sys.executable).with_name("agon")
    for name in ("bin", "agon games"):
        (tmp_path / name).mkdir()
        shutil.copy(script, tmp_path / name)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin" if on_the_path else "/usr/bin:/bin"
    env = environment | {"AGON_GAMES": str(tmp_path), "PATH": path}
    ran = subprocess.run(
        [called, "new-game", "tac"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert re.findall(r"^ {4}(.*) (?:check-game|play) tac\b", ran.stdout, re.MULTILINE) == [told, told]


def test_its_own_tests_pass(author, environment):
    folder, _ = author
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"\d\d passed", ran.stdout)


@pytest.mark.browser
def test_its_replay_draws_the_frames_of_a_match(author, agon, tmp_path):
    from tests.support.drawing import drawn, replayed

    folder, _ = author
    assert agon("play", "tic_toe", "Starter", "Climber", "--seed", 1, "--save", tmp_path / "a").code == 0
    [path] = (tmp_path / "a").glob("matches/*/record.json")
    log = json.loads(replayed(path, folder))
    head, *rounds = drawn(folder / "tic_toe" / "viewer.js", path)
    assert head == ["Round", "Starter", "Climber"]
    assert rounds == [
        [
            str(frame["round"]),
            *(f"{named} ({score})" for named, score in zip(frame["named"], frame["scores"], strict=True)),
        ]
        for frame in log["frames"]
    ]


def test_a_game_that_is_there_is_left_as_it_is(author, agon):
    folder, _ = author
    before = files_below(folder)
    ran = agon("new-game", "tic_toe")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"agon: 'tic_toe' is taken: {folder / 'tic_toe'} already exists\n"
    assert files_below(folder) == before


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("coup", "'coup' is taken: "),
        ("core", "'core' is taken: "),
        ("Tic-Tac", "got 'Tic-Tac'. How about tic_tac?"),
        ("../tic", "got '../tic'. How about tic?"),
        ("3d", "starts with a letter; got '3d'\n"),
        ("", "starts with a letter; got ''\n"),
        ("x" * 41, f"got '{'x' * 41}'. How about {'x' * 40}?"),
        ("игра", "lowercase letters, digits, and underscores"),
        ("class", "'class' is a Python keyword"),
    ],
)
def test_a_slug_that_cannot_be_is_refused_in_words(author, agon_here, slug, words):
    folder, _ = author
    ran = agon_here("new-game", slug)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert {path.name for path in folder.iterdir()} == {"tic_toe"}


def test_a_folder_that_cannot_be_written_is_named(agon, environment, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "file" / "games"))
    ran = agon("new-game", "tic")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"agon: {tmp_path}/file/games/tic cannot be written: Not a directory\n"


@pytest.fixture(scope="module")
def project(environment, tmp_path_factory):
    """A copy of the project, and how to run a module of Python's there, without a folder of one's own."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("games", "platform/agon", "sandbox"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    there = {name: value for name, value in environment.items() if name != "AGON_GAMES"}
    there["PYTHONPATH"] = f"{copy}:{copy / 'platform'}"

    def run(*words):
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=copy, env=there, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return copy, run


def test_without_a_folder_of_ones_own_it_stands_beside_the_others_and_changes_none(project):
    folder, run = project
    before = files_below(folder)
    run("agon", "new-game", "a_game")
    after = files_below(folder)
    assert {name: after[name] for name in before} == before
    assert {Path(name).parts[:2] for name in after.keys() - before.keys()} == {("games", "a_game")}
    assert "\na_game " in run("agon", "games")


@pytest.mark.exhaustive
def test_it_passes_the_linter_and_the_type_checker_of_the_project(project):
    _, run = project
    run("agon", "new-game", "zzz_game")
    run("ruff", "check", "--no-cache", "games/zzz_game")
    run("ruff", "format", "--no-cache", "--check", "games/zzz_game")
    run("mypy", "--cache-dir", "/dev/null", "games/zzz_game")
