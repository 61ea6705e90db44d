"""docs/guides/write-a-game.md keeps its word: its code, as it stands there, is a game that can be joined."""

import re
from pathlib import Path

import pytest
from django.test import Client

import games
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.use_cases import house_bots
from agon.site.workers import building, playing, tasks
from agon.site.workers.worker import worker
from tests.agon.conftest import own_files
from tests.support.games import forget_games

pytestmark = pytest.mark.slow

__all__ = ["own_files"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guides" / "write-a-game.md").read_text(encoding="utf-8")
# A heading that names a file, and the first code block below it.
FILES = dict(
    re.findall(r"^#+ [^\n]*`goofspiel/(\S+)`\n.*?^```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
)
PAGE, OF_A_LIBRARY = PAGE.split("\n## A game of a library\n")
# What would take minutes.
SHORTER = {"--mutants": ["--seconds", "10"], "--report": ["--matches", "20"]}
MOVE = FILES["referee.py"].partition("raw: Json) -> int:\n        ")[2]


def write(folder):
    for name, text in FILES.items():
        path = folder / "goofspiel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "goofspiel"


@pytest.fixture
def goofspiel(environment, monkeypatch, tmp_path):
    """The page's game in a folder of the author's own."""
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "games"))
    return write(tmp_path / "games")


def test_it_is_a_whole_game_in_under_140_lines():
    assert set(FILES) == {
        "game.toml",
        "referee.py",
        "checks.py",
        "bots/starter.py",
        "bots/over.py",
        "fates.toml",
        "rules.en.md",
        "viewer.js",
    }
    assert sum(bool(line.strip()) for text in FILES.values() for line in text.splitlines()) < 140


@pytest.mark.exhaustive
def test_the_commands_of_the_page_work(goofspiel, agon, tmp_path):
    commands = re.findall(r"^agon (.*)$", PAGE, re.MULTILINE)
    assert [command.split()[0] for command in commands] == [
        "check-game",
        "play",
        "tournament",
        "check-game",
        "check-game",
    ]
    check, play, tournament, mutants, report = (
        agon(*command.split(), "--json", *SHORTER.get("".join(command.split()[2:3]), []), cwd=tmp_path)
        for command in commands
    )
    assert (mutants.code, mutants.json["mutants"]["judged"] > 0) == (0, True)
    assert (report.code, (tmp_path / "goofspiel.html").is_file()) == (0, True)
    assert (check.code, {listed_check["state"] for listed_check in check.json["checks"]}) == (0, {"ok"})
    [match] = play.json["matches"]
    # Over takes every prize but the 13, whatever their order.
    assert (match["scores"], match["faults"]) == (["13", "78"], [])
    assert [(row["bot"], row["points"], row["played"]) for row in tournament.json["standings"]] == [
        ("Over", "20", 20),
        ("Starter", "0", 20),
    ]


@pytest.mark.exhaustive
def test_the_commands_for_a_game_of_a_library_work(environment, agon, monkeypatch, tmp_path):
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "games"))
    new, check, play = re.findall(r"^agon (.*)$", OF_A_LIBRARY, re.MULTILINE)
    assert new.startswith("new-game rows --from ")
    assert agon(*new.split()).code == 0
    checked, played = (agon(*command.split(), "--json") for command in (check, play))
    assert (checked.code, {listed_check["state"] for listed_check in checked.json["checks"]}) == (0, {"ok"})
    assert played.json["matches"][0]["faults"] == []
    for number, source in enumerate(re.findall(r"`((?:open_spiel|pettingzoo):[^`]+)`", OF_A_LIBRARY)):
        assert agon("new-game", f"other_{number}", "--from", source).code == 0


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("old", "new", "check", "words"),
    [
        ("{self.prizes[-1]} {", "{self.prizes} {", "hidden_facts_do_not_change_views", "must not know"),
        (MOVE, "return int(raw)\n", "judging_a_move_changes_nothing", "instead of Illegal"),
        (
            ", default=lambda seat: self.hands[seat][0]",
            "",
            "faults_at_any_ask_end_with_a_result",
            "needs a default",
        ),
    ],
)
def test_the_mistakes_that_the_page_proposes_are_found(goofspiel, agon, old, new, check, words):
    path = goofspiel / "referee.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    ran = agon("check-game", "goofspiel", "--json")
    assert ran.code == 1
    [verdict] = [listed_check for listed_check in ran.json["checks"] if listed_check["check"] == check]
    assert words in verdict["words"][0]


@pytest.fixture
def on_the_site(monkeypatch, tmp_path):
    """A site whose only game is the page's."""
    write(tmp_path / "games")
    monkeypatch.setattr(games, "__path__", [str(tmp_path / "games")])
    forget_games("goofspiel")
    yield
    forget_games("goofspiel")


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_the_site_opens_a_competition_in_which_its_bots_play(on_the_site):
    sandbox = worker.sandbox()
    try:
        notes = [(entered.game, entered.bot, entered.note) for entered in house_bots.install(sandbox)]
        assert notes == [("goofspiel", "Starter", "uploaded"), ("goofspiel", "Over", "uploaded")]
        while building.build_next(sandbox):
            pass
        rated = Match.objects.filter(state=State.FINISHED, kind=Match.Kind.LADDER)
        while not rated.exists():
            tasks.sweep()
            assert playing.play(leases.claim("test"))
        tasks.rate(rated[0].competition_id)  # waits until a fit may follow the last one
    finally:
        worker.close()
    browser = Client()
    assert "Goofspiel" in browser.get("/").content.decode()
    leaderboard = browser.get("/c/goofspiel/").content.decode()
    assert leaderboard.index(">Over<") < leaderboard.index(">Starter<")
    rules = browser.get("/c/goofspiel/rules/").content.decode()
    assert "prints <code>READY</code> within 5 s" in rules
    assert "{{" not in rules
    page = browser.get(rated[0].get_absolute_url()).content.decode()
    assert "/games/goofspiel/viewer.js" in page
    viewer = b"".join(browser.get("/games/goofspiel/viewer.js"))
    assert viewer.decode() == FILES["viewer.js"]


@pytest.mark.exhaustive
@pytest.mark.browser
def test_the_replay_shows_prizes_bids_and_points(goofspiel, agon, tmp_path):
    from tests.support.drawing import drawn

    agon("play", "goofspiel", "Starter", "Over", "--seed", 1, "--save", tmp_path / "archive")
    [path] = (tmp_path / "archive").glob("matches/*/record.json")
    head, *rounds, points = drawn(goofspiel / "viewer.js", path)
    assert head == ["Prize", "Starter", "Over"]
    assert sorted(int(prize) for prize, _, _ in rounds) == list(range(1, 14))
    assert all((starter, int(over)) == (prize, int(prize) % 13 + 1) for prize, starter, over in rounds)
    assert points == ["Points", "13", "78"]
