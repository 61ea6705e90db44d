"""`agon new-game --from` writes a game of a library, which works at once, or says why there is none."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from tests.support.library_games import KINDS, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_bubblewrap")]

SOME_MORE = {
    "hidden_moves": "open_spiel:phantom_ttt",
    "three_seats": "open_spiel:kuhn_poker(players=3)",
    "rounds": "open_spiel:repeated_game(stage_game=matrix_pd(),num_repetitions=10)",
    "sized": "open_spiel:breakthrough(rows=6,columns=6)",
    "zoo_at_once": "pettingzoo:rps",
    "zoo_sized": "pettingzoo:go(board_size=5)",
}
EVERY = [*KINDS, *(pytest.param(slug, marks=pytest.mark.exhaustive) for slug in SOME_MORE)]


@pytest.fixture(scope="module")
def author(environment, tmp_path_factory):
    """A folder of an author's own, with these games as they were written."""
    folder = write(tmp_path_factory.mktemp("author") / "games", KINDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(environment, "AGON_GAMES", str(folder))
        yield folder


@pytest.mark.first(1)
@pytest.mark.parametrize("slug", EVERY)
def test_it_complies_and_its_matches_are_verified(author, agon, tmp_path, slug):
    if slug in SOME_MORE:
        write(author, {slug: SOME_MORE[slug]})
    checked = agon("check-game", slug, "--json")
    wrong = [check for check in checked.json["checks"] if check["state"] != "ok"]
    assert (checked.code, wrong) == (0, [])
    third = ["Random 2"] if slug == "three_seats" else []
    played = agon("play", slug, "First", "Random", *third, "--seed", 1, "--json", "--save", tmp_path / "a")
    [match] = played.json["matches"]
    assert (played.code, match["faults"]) == (0, [])
    verified = agon("verify", tmp_path / "a")
    assert (verified.code, "sound; 1 match replayed" in verified.out) == (0, True), verified.out


def test_what_it_writes_is_small_and_names_the_version_of_the_library(author):
    lines = (author / "cards" / "referee.py").read_text().splitlines()
    assert len(lines) < 20
    assert (
        f'version = "1, open_spiel {version("open_spiel")}"' in (author / "cards" / "game.toml").read_text()
    )
    assert f'version = "1, pettingzoo {version("pettingzoo")}"' in (author / "zoo" / "game.toml").read_text()
    rules = (author / "cards" / "rules.en.md").read_text()
    assert "Kuhn Poker, as OpenSpiel plays it." in rules
    assert "\n> 0 1 2\n> " in rules  # a real question: seat 0, a line that it sees, two moves
    assert "\n> Pass\n> Bet\n< " in rules


@pytest.fixture
def of_another_version(author):
    """The cards, as if they had been written with another version of the library."""
    files = [author / "cards" / name for name in ("game.toml", "referee.py")]
    before = {path: path.read_text() for path in files}
    for path, text in before.items():
        path.write_text(text.replace(f"open_spiel {version('open_spiel')}", "open_spiel 1.0"))
    yield
    for path, text in before.items():
        path.write_text(text)


@pytest.mark.exhaustive
def test_another_version_of_the_library_is_named_and_plays_nothing(author, agon, tmp_path, request):
    agon("play", "cards", "First", "Random", "--seed", 1, "--save", tmp_path / "a")
    request.getfixturevalue("of_another_version")
    there = version("open_spiel")
    words = f"made with open_spiel 1.0, and installed is {there}: pip install open_spiel==1.0"
    for command in (("play", "cards", "First", "Random"), ("check-game", "cards")):
        ran = agon(*command)
        assert ran.code
        assert words in ran.out + ran.err
    verified = agon("verify", tmp_path / "a")
    assert verified.code == 1
    assert f"version '1, open_spiel {there}' of cards, here is version '1, open_spiel 1.0'" in verified.out


def without(module, environment, *arguments):
    """Run `agon` where the module is not installed."""
    script = f"import sys; sys.modules[{module!r}] = None; from agon.__main__ import main; main()"
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_without_the_library_one_sentence_says_what_to_install(author, environment):
    words = "OpenSpiel is needed: pip install 'agon[open_spiel]'"
    for command in (
        ("new-game", "more", "--from", "open_spiel:hex"),
        ("play", "cards", "First", "Random"),
    ):
        ran = without("pyspiel", environment, *command)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert words in ran.stderr
        assert ran.stderr.count("\n") == 1
    ran = without("pettingzoo", environment, "new-game", "more", "--from", "pettingzoo:rps")
    assert "PettingZoo is needed: pip install --upgrade 'pettingzoo>=1.27'" in ran.stderr
    ran = without("pygame", environment, "new-game", "more", "--from", "pettingzoo:rps")
    assert (
        "rps of PettingZoo needs pygame, which is not installed: pip install 'pettingzoo[classic]'"
        in ran.stderr
    )
    assert not (author / "more").exists()
    assert without("pyspiel", environment, "games").returncode == 0


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("connect_four", "--from: expected open_spiel:GAME or pettingzoo:GAME, got 'connect_four'"),
        ("chess:go", "expected open_spiel:GAME or pettingzoo:GAME, got 'chess:go'"),
        ("open_spiel:", "expected open_spiel:GAME"),
        ("open_spiel:a\u202eb", r"got 'open_spiel:a\u202eb'"),
        ("open_spiel:" + "x" * 9000, "x'... (9011 characters)"),
        ("open_spiel:conect_four", "OpenSpiel has no game 'conect_four'; near it are connect_four"),
        ("open_spiel:connect_four(foo=1)", "Unknown parameter 'foo'. Available parameters are: columns"),
        ("open_spiel:connect_four(rows=a)", "Wrong type for parameter rows. Expected type: kInt"),
        ("open_spiel:connect_four(", "Missing closing bracket"),
        ("open_spiel:breakthrough(rows=-1)", "a match of random moves failed: SpielError"),
        ("open_spiel:kuhn_poker(players=11)", "cannot load 'kuhn_poker(players=11)'"),
        ("open_spiel:nfg_game", "OpenSpiel cannot load 'nfg_game': "),
        ("open_spiel:efg_game(filename=FILE)", "it reads a file, which other machines do not have"),
        ("open_spiel:2048", "2048 of OpenSpiel cannot be played here: it is for one player"),
        ("open_spiel:mfg_garnet", "it is a mean-field game, without single players"),
        ("open_spiel:tiny_hanabi", "all its players get the same, so none can win"),
        ("open_spiel:tarok", "it draws by itself and cannot say what may be drawn"),
        ("open_spiel:goofspiel(num_cards=100000)", "a match may take 100000 moves, and 20000 are the most"),
        ("pettingzoo:tictacto", "no classic environment 'tictacto'; near it are tictactoe"),
        ("pettingzoo:pistonball", "no classic environment 'pistonball'; there are chess, connect_four"),
        ("pettingzoo:go(9)", "PettingZoo cannot make 'go(9)': expected arguments as in go(board_size=9)"),
        ("pettingzoo:go(board_size=__import__('os'))", "PettingZoo cannot make "),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_sentence(author, agon_here, game, words):
    before = sorted(path.name for path in author.iterdir())
    file = author.parent / "game.efg"
    file.write_text('EFG 2 R "A game" { "A" "B" }\nt "" 1 "" { 1 2 }\n')
    ran = agon_here("new-game", "more", "--from", game.replace("FILE", str(file)))
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert len(ran.err) < 700
    assert sorted(path.name for path in author.iterdir()) == before


def test_a_slug_that_is_taken_is_refused_before_anything_is_tried(author, agon_here):
    ran = agon_here("new-game", "cards", "--from", "open_spiel:no_such_game")
    assert ran.code == 2
    assert "'cards' is taken: " in ran.err


@pytest.mark.exhaustive
@pytest.mark.browser
def test_the_replay_shows_the_librarys_own_board(author, agon, tmp_path):
    from tests.support.chromium import chromium
    from tests.support.drawing import open_viewer, replayed

    agon("play", "rows", "First", "Random", "--seed", 1, "--save", tmp_path / "a")
    [path] = (tmp_path / "a").glob("matches/*/record.json")
    text = replayed(path, author)
    log = json.loads(text)
    with chromium() as browser:
        page = browser.new_page()
        wrong = open_viewer(page, author / "rows" / "viewer.js", text)
        assert page.locator("pre").inner_text() == ".......\n" * 5 + "......."
        page.get_by_label("Last", exact=True).click()
        rows = [row.locator("th, td").all_inner_texts() for row in page.locator("table tr").all()]
        board, made = page.locator("pre").inner_text(), page.locator(".made li").inner_text()
    assert wrong == []
    assert rows == [["First", log["scores"][0]], ["Random", log["scores"][1]]]
    assert board == log["frames"][-1]["text"]
    [[seat, move]] = log["frames"][-1]["moves"]
    assert made == f"{['First', 'Random'][seat]} {move}"
