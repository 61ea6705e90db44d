"""Manifests: what is there, and what a wrong one gets."""

import dataclasses
import subprocess
import sys

import pytest

from games.core.faults import FaultKind
from games.core.manifest import BadManifest, UnknownGame, all_games, house_bots, load, read, referee, starters

GOOD = load("coup").folder.joinpath("game.toml").read_text(encoding="utf-8").partition("[look]")[0]
BOT = (
    '\n[[house_bots]]\nname = "A"\nfile = "bots/a.py"\nlanguage = "python"\nstrength = 1\ndescription = "x"\n'
)
STARTER = '\n[[starters]]\nname = "S"\nfile = "bots/s.go"\nlanguage = "go"\n'


@pytest.fixture
def written(tmp_path):
    """Reads the given text as the manifest of a game named coup."""

    def reader(text):
        folder = tmp_path / "coup"
        folder.mkdir()
        folder.joinpath("game.toml").write_text(text, encoding="utf-8")
        return read(folder)

    return reader


def test_a_manifest_that_cannot_be_read_is_a_bad_one(written, tmp_path):
    (tmp_path / "other" / "game.toml").mkdir(parents=True)
    with pytest.raises(BadManifest, match=r"^other/game.toml: Is a directory$"):
        read(tmp_path / "other")
    with pytest.raises(BadManifest, match=r"^coup/game.toml: nested too deeply$"):
        written(f"title = {'[' * 100_000}")


def test_the_games_are_listed_by_slug():
    slugs = [info.slug for info in all_games()]
    assert {"coup", "samurai"} <= set(slugs)
    assert slugs == sorted(slugs)


def test_coup_is_played_as_its_rules_say():
    info = load("coup")
    assert (info.channel, info.min_seats, info.max_seats) == ("program", 2, 2)
    assert info.limits.turn_ms >= 1000
    assert info.limits.ready_ms is None
    assert info.faults == dict.fromkeys(FaultKind, "forfeit")
    assert (info.tournament.format, info.tournament.rounds, info.tournament.points) == (
        "round_robin",
        10,
        "score",
    )


@pytest.mark.parametrize("slug", ["samurai", "language_survival"])
def test_the_games_of_secret_turns_are_played_as_their_rules_say(slug):
    info = load(slug)
    assert (info.channel, info.min_seats, info.max_seats) == ("stdio", 4, 4)
    assert (info.limits.ready_ms, info.limits.turn_ms) == (5000, 1000)
    assert info.faults == {**dict.fromkeys(FaultKind, "retire"), "illegal": "default"}
    assert (info.tournament.format, info.tournament.points) == ("rotations", "win")


def test_honest_rps_is_played_as_its_rules_say():
    info = load("honest_rps")
    assert (info.channel, info.min_seats, info.max_seats) == ("function", 2, 2)
    assert info.faults == dict.fromkeys(FaultKind, "disqualify")
    preset = info.tournament
    assert (preset.format, preset.rounds, preset.points) == ("round_robin_self", 100, "score")


def test_camel_up_is_played_as_its_rules_say():
    info = load("camel_up")
    assert (info.channel, info.min_seats, info.max_seats, info.limits.turn_ms) == ("function", 4, 4, 10_000)
    assert (info.faults["illegal"], info.faults["timeout"]) == ("default", "default")
    assert {info.faults[kind] for kind in ("start", "crash", "flood", "memory")} == {"retire"}
    preset = info.tournament
    assert (preset.format, preset.rounds, preset.points) == ("started_tens", 100, "shared_win")


def test_every_house_bot_is_there():
    for info in all_games():
        for bot in house_bots(info):
            assert bot.path.exists()


def test_history_files_are_named_as_the_original_arbiter_named_them():
    info = load("coup")
    assert info.archive_name("history.txt", ["Taxman", "Mask"], round=3, index=17) == "Taxman_Mask_3_17.txt"
    assert info.archive_name("other.txt", ["Taxman", "Mask"], round=3, index=17) == "other.txt"


def test_referees_are_the_games_of_their_manifests():
    for info in all_games():
        assert (referee(info).slug, referee(info).version) == (info.slug, info.version)


def test_a_referee_of_another_version_is_found_out():
    info = dataclasses.replace(load("coup"), version="2")
    with pytest.raises(
        BadManifest, match=r"^coup/game.toml: describes coup version 2, referee.py has coup v"
    ):
        referee(info)


def test_loading_manifests_imports_no_referee():
    code = "import sys; from games.core.manifest import all_games; all_games(); "
    code += "print([name for name in sys.modules if 'referee' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize("slug", ["chess", "", "core", "../coup", "coup/", "Coup", "coup\n", "x" * 500])
def test_an_unknown_game_is_named_with_those_there_are(slug):
    with pytest.raises(UnknownGame, match=r"^there is no game .*coup.*samurai") as error:
        load(slug)
    assert len(str(error.value)) < 300


def test_a_good_manifest_reads_with_defaults(written):
    info = written(GOOD.replace("answer_bytes = 256\n", "") + BOT)
    assert (info.limits.memory_mib, info.limits.processes, info.limits.work_mib) == (256, 64, 64)
    assert (info.limits.output_bytes, info.limits.open_files) == (1 << 20, 256)
    assert info.limits.answer_bytes == 4096
    (bot,) = info.house
    assert (bot.name, bot.starter, bot.path) == ("A", False, info.folder / "bots" / "a.py")


def test_a_house_bot_whose_file_is_missing_is_named(written):
    info = written(GOOD + BOT)
    with pytest.raises(BadManifest, match=r"coup/game.toml: bot A: no file a.py"):
        house_bots(info)


def test_a_circle_of_links_is_no_house_bot(written, tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(BadManifest, match=r"\[0\]: file: expected a path below the game's folder"):
        written(GOOD + BOT.replace("bots/a.py", "../circle"))


def test_a_starter_is_a_house_bot_or_only_a_download(written):
    info = written(GOOD + BOT + "starter = true\n" + STARTER)
    assert [bot.name for bot in info.house] == ["A"]
    for name in ("a.py", "s.go"):
        with pytest.raises(BadManifest, match=rf"no file {name}"):
            starters(info)
        (info.folder / "bots").mkdir(exist_ok=True)
        (info.folder / "bots" / name).touch()
    assert [(bot.name, bot.language, bot.path.name) for bot in starters(info)] == [
        ("A", "python", "a.py"),
        ("S", "go", "s.go"),
    ]


WRONG = [
    ("seats = {", "seats {", "coup/game.toml: "),
    ('slug = "coup"', 'slug = "chess"', "coup/game.toml: slug: expected coup, got 'chess'"),
    ('"program"', '"pigeon"', "channel: expected stdio or program or function, got 'pigeon'"),
    ('title = "Coup"', "", "title: missing"),
    ('title = "Coup"', "title = 7", "title: expected text, got '7'"),
    ('title = "Coup"', 'title = "Co\\u0000"', "title: expected one line of at most 120 characters, got"),
    ('title = "Coup"', f'title = "{"x" * 121}"', "title: expected one line of at most 120 characters, got"),
    ("[archive]", BOT.replace('"A"', f'"{"A" * 41}"') + "[archive]", "name: expected one line of at most 40"),
    (
        "[archive]",
        BOT.replace('"A"', r'"A\u001b[31m"') + "[archive]",
        "name: expected one line of at most 40",
    ),
    ('title = "Coup"', 'title = " "', "title: expected text"),
    ('title = "Coup"', 'title = "Coup"\ncolor = "red"', "color: no such field"),
    ("seats = { min = 2", "seats = { ideal = 2, min = 2", "seats: ideal: no such field"),
    ("seats = { min = 2", "seats = { min = 3", "seats: min: expected a whole number from 1 to 2, got '3'"),
    ("ms = 2000", "ms = true", "limits: turn_ms: expected a whole number from 1 to 600000, got 'True'"),
    ("ms = 2000", "ms = 2000\nready_ms = 5000", "limits: ready_ms: no such field"),
    ("ms = 2000", "ms = 2000\nmemory_mib = 1", "limits: memory_mib: expected a whole number from 16"),
    ('start = "forfeit"', 'start = "default"', "start: expected forfeit or disqualify or retire, got"),
    ('crash = "forfeit"', 'crash = "ignore"', "crash: expected forfeit or .* or default, got 'ignore'"),
    ('crash = "forfeit"', "", "faults: crash: missing"),
    ('crash = "forfeit"', 'crash = "forfeit"\nboredom = "retire"', "faults: boredom: no such field"),
    ("{seat1}_", "{seat2}_", "archive: history.txt: knows index, round, seat0, seat1, not seat2"),
    ("{seat1}_", "{seat1", "archive: history.txt: expected '}' before end of string|unexpected '{'"),
    ("{seat1}_", "}_", "archive: history.txt: Single '}' encountered"),
    (
        "{seat1}_",
        "{seat1:d}",
        "archive: history.txt: expected the name of a file, with no more in braces, got",
    ),
    (
        "{seat1}_",
        "{seat1!x}",
        "archive: history.txt: expected the name of a file, with no more in braces, got",
    ),
    ("{seat1}_", "../{seat1}", "archive: history.txt: expected the name of a file, with no more in braces"),
    ("[archive]", '[archive]\n"a" = "{index}"\n"b" = "{index}"', "archive: the name {index} is there twice"),
    (
        "[archive]",
        BOT.replace("bots/a", r"\u0000") + "[archive]",
        r"\[0\]: file: expected a path below the game's folder",
    ),
    (
        "[archive]",
        BOT.replace("bots/a", "a" * 999) + "[archive]",
        r"\[0\]: file: expected a path below the game's folder",
    ),
    ("[archive]", BOT + BOT + "[archive]", "house_bots, starters: the name A is there twice"),
    ("[archive]", BOT + STARTER.replace('"S"', '"A"') + "[archive]", "starters: the name A is there twice"),
    ("[archive]", STARTER + "strength = 1\n[archive]", r"starters\[0\]: strength: no such field"),
    (
        "[archive]",
        STARTER.replace("bots/", "../") + "[archive]",
        r"starters\[0\]: file: expected a path below the game's folder",
    ),
    (
        "[archive]",
        BOT.replace("bots/", "../") + "[archive]",
        r"\[0\]: file: expected a path below the game's folder",
    ),
    ("[archive]", BOT.replace("= 1", "= 11") + "[archive]", r"house_bots\[0\]: strength: expected a whole"),
    ("[archive]", BOT + "starter = 1\n[archive]", r"\[0\]: starter: expected true or false, got '1'"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_a_wrong_manifest_is_told_where(written, old, new, words):
    assert old in GOOD
    with pytest.raises(BadManifest, match=words):
        written(GOOD.replace(old, new, 1))
