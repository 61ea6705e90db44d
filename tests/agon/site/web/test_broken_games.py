"""A game that cannot be loaded: its competition is suspended with the reason, and all others go on."""

import logging
import shutil

import pytest
from django.core.cache import cache
from django.urls import reverse

import games
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.matches import leases, records
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from agon.site.workers import building, tasks
from agon.supervisor import prepare
from games.core import describing, manifest
from games.core.broken import why_broken, working_games
from tests.support.factories import activate, submit
from tests.support.games import forget_games

from .conftest import browser_of, play

pytestmark = pytest.mark.django_db
PAGES = (
    "/c/broken/",
    "/c/broken/matches/",
    "/c/broken/tournaments/",
    "/c/broken/head-to-head/",
    "/c/broken/rules/",
    "/c/broken/submit/",
)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A copy of Samurai, under another name, which can be broken and repaired."""
    place = tmp_path / "games" / "fragile"
    shutil.copytree(manifest.load("samurai").folder, place, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("game.toml", "referee.py"):
        text = (place / name).read_text().replace('slug = "samurai"', 'slug = "fragile"')
        (place / name).write_text(text)
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(place.parent)])
    forget_games("fragile")
    yield place
    forget_games("fragile")


@pytest.fixture
def competition(db, folder) -> Competition:
    return Competition.objects.create(slug="broken", game="fragile", title="Fragile")


def no_folder(folder):
    shutil.rmtree(folder)
    return "there is no game &#x27;fragile&#x27;"


def no_manifest(folder):
    (folder / "game.toml").write_text("title = \n")
    return "fragile/game.toml: Invalid value (at line 1, column 9)"


def no_referee(folder):
    path = folder / "referee.py"
    path.write_text("import random\ndef play(:\n" + path.read_text())
    return "referee.py, line 2: SyntaxError: invalid syntax"


@pytest.fixture(params=[no_folder, no_manifest, no_referee], ids=lambda broken: broken.__name__)
def why(request, folder, four):
    """Four bots have played when the game breaks; the words that pages show, as HTML."""
    play(four)
    words = request.param(folder)
    forget_games("fragile")
    return words


@pytest.mark.first(1)
def test_its_pages_say_why_and_none_fails(why, four, user, organizer):
    match = Match.objects.get()
    of_rows = [match.get_absolute_url(), four[0].get_absolute_url(), four[0].bot.get_absolute_url()]
    for reader in (browser_of(user), browser_of(organizer)):
        for page in (*PAGES, *of_rows):
            shown = reader.get(page)
            assert shown.status_code in (200, 503), page
            assert page in of_rows or why in shown.content.decode()
    assert why in browser_of(user).get("/c/broken/challenge/").content.decode()
    board = browser_of(user).get("/c/broken/").content.decode()
    assert "suspended" in board
    assert "Rita" in board


def test_a_competition_whose_game_is_gone_is_not_cloned_and_its_organizer_sees_why(
    folder, competition, organizer
):
    no_folder(folder)
    forget_games("fragile")
    answer = browser_of(organizer).post(f"/c/{competition.slug}/settings/clone/", follow=True)
    assert answer.status_code == 200
    assert "There is no game “fragile” here." in answer.content.decode()


@pytest.mark.first(1)
def test_the_home_page_and_other_competitions_do_not_change(why, user, coup):
    activate(user, coup, ["Ann", "Ben"])
    browser = browser_of(user)
    assert "suspended" in browser.get("/").content.decode()
    for page in ("/c/coup/", "/c/coup/rules/", "/c/coup/submit/"):
        shown = browser.get(page)
        assert shown.status_code == 200
        assert "suspended" not in shown.content.decode()


def test_a_folder_that_goes_while_the_site_runs_suspends_its_competition_until_it_is_back(
    folder, four, user, coup, client
):
    """Nothing is forgotten in between: what was loaded before stays loaded."""
    activate(user, coup, ["Ann", "Ben"])
    Bot.objects.update(house=True)  # so a newcomer is offered either game to begin with
    match = play(four)
    assert four[0].bot.competition.is_open
    Match.objects.filter(pk=play(four).pk).update(state=Match.State.QUEUED)
    hidden = folder.rename(folder.parent.parent / "hidden")
    cache.clear()
    assert client.get("/").content.decode().count("suspended") == 1
    assert client.get(match.get_absolute_url()).status_code == 200
    for page in (*PAGES, "/c/broken/editor/"):
        shown = client.get(page)
        why = "bot Starter" if shown.status_code == 503 else "the folder of the game fragile is gone"
        assert why in shown.content.decode(), page
    assert leases.claim("w") is None
    hidden.rename(folder)
    cache.clear()
    assert "suspended" not in client.get("/").content.decode()
    assert leases.claim("w") is not None


def test_a_starter_that_is_gone_does_not_concern_the_home_page(folder, four, client):
    Bot.objects.update(house=True)
    assert four[0].bot.competition.is_open
    (folder / "bots" / "starter.py").unlink()
    cache.clear()
    assert client.get("/").status_code == 200
    assert client.get("/c/broken/editor/").status_code == 503


def test_what_waits_goes_on_once_the_game_is_repaired(folder, four, user, caplog):
    competition = four[0].bot.competition
    received, built = (
        submit(user, competition, state=State.RECEIVED),
        submit(user, competition, state=State.BUILT),
    )
    play(four)
    waiting = Match.objects.filter(state=Match.State.QUEUED).count()
    text = (folder / "referee.py").read_text()
    no_referee(folder)
    forget_games("fragile")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            tasks.sweep()
            assert leases.claim("w") is None
            assert building.claim() is None
    assert caplog.records == []
    assert Match.objects.filter(state=Match.State.QUEUED).count() == waiting
    assert set(
        Submission.objects.filter(pk__in=[received.pk, built.pk]).values_list("attempt", flat=True)
    ) == {0}

    (folder / "referee.py").write_text(text)
    forget_games("fragile")
    assert building.claim() == received
    qualification.start_due()
    built.refresh_from_db()
    assert built.state in (State.QUALIFYING, State.BUILT)


def test_a_referee_that_exits_when_it_is_imported_ends_no_process_of_the_site(folder):
    fails_in(folder, "referee.py", "import sys; sys.exit(0)")
    assert why_broken("fragile").endswith("in <module>: SystemExit: 0")
    assert "fragile" not in [info.slug for info in working_games()]


def fails_in(folder, name, text):
    """Add this to a file of the game."""
    path = folder / name
    path.write_text(f"{path.read_text()}\n{text}")
    forget_games("fragile")


@pytest.mark.parametrize(
    "text",
    [
        "def tell(log):\n    raise KeyError('x')",
        "def tell(log):\n    yield Scene('Start', {}, [])\n    raise KeyError('x')",
        "def tell(log):\n    return [Scene('Start', {}, [StoryLine(0, 0, '%(lord)s of 100%', {})])]",
        "def tell(log):\n    raise SystemExit",
        "class Panic(BaseException):\n    pass\n\n\ndef tell(log):\n    raise Panic",
        "def tell(log):\n    while True:\n        pass",
        "import nothing_like_this",
        "def tell(:",
    ],
)
@pytest.mark.first(3)
def test_a_match_is_shown_without_a_story_that_fails(text, folder, four, client, caplog, monkeypatch):
    monkeypatch.setattr(describing, "LONGEST", 0.5)
    match = play(four)
    page = match.get_absolute_url()
    fails_in(folder, "story.py", text)
    shown = client.get(page).content.decode()
    assert "so here are the raw messages" in shown
    assert "Readable transcript" not in shown
    assert "so here are" not in client.get(f"{page}?raw=1").content.decode()
    replay = client.get(f"{page}log.json").json()
    assert len(replay["frames"]) == len(replay["told"]) > 1
    assert replay["curve"]
    assert "fragile cannot describe a match: " in caplog.text


def test_a_replay_whose_referee_never_ends_is_interrupted(folder, four, client, monkeypatch):
    """The game was changed, and kept its version: the match has a page without replay, within seconds."""
    monkeypatch.setattr(records, "LONGEST_REPLAY", 0.5)
    match = play(four)
    endless = "def play(self):\n    while True:\n        pass\n    yield\nSamurai.play = play"
    fails_in(folder, "referee.py", endless)
    page = match.get_absolute_url()
    assert "cannot be replayed" in client.get(page).content.decode()
    assert client.get(f"{page}log.json").status_code == 404
    assert client.get(f"{page}picture.png").status_code == 200


@pytest.mark.parametrize(
    "text",
    [
        "def standings(log):\n    raise KeyError('x')",
        "def standings(log):\n    return [[float('inf')] * len(log.seats) for _ in log.frames]",
        "def standings(log):\n    return [None for _ in log.frames]",
        "def moments(log):\n    return [Moment('first', 'a lead', {})]",
        "def moments(:",
    ],
)
@pytest.mark.first(2)
def test_a_replay_is_shown_without_moments_that_fail(text, folder, four, client):
    match = play(four, {(0, 1): ("timeout", "too late")})
    page = match.get_absolute_url()
    fails_in(folder, "moments.py", text)
    replay = client.get(f"{page}log.json").json()
    assert [1, "fault", 1] in [mark[:3] for mark in replay["marks"]]
    assert replay["told"][1]["lines"]
    assert replay["curve"] == [] or "standings" not in text
    assert client.get(f"{page}picture.png").status_code == 200


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("odd=float('nan')", "frame 1, 'odd' is not JSON: Out of range float values"),
        ("odd={1, 2}", "frame 1, 'odd' is not JSON: Object of type set"),
        ("odd={'a': 1, 2: 3}", "frame 1, 'odd' is not JSON: '<' not supported"),
    ],
)
def test_frames_that_are_not_json_have_null_there(fields, words, folder, four, client, caplog):
    match = play(four)
    frame = f"def frame(self, **fields):\n    if self.frames: fields.update({fields})\n"
    fails_in(folder, "referee.py", f"{frame}    self.frames.append(fields)\n\n\nSamurai.frame = frame")
    assert client.get(match.get_absolute_url()).status_code == 200
    replay = client.get(f"{match.get_absolute_url()}log.json")
    assert replay.status_code == 200
    assert "NaN" not in replay.content.decode()
    assert ["odd" in frame for frame in replay.json()["frames"][:2]] == [False, True]
    assert "fragile cannot describe a match in full: " + words in caplog.text


def test_the_kind_of_an_ask_may_have_any_character(folder, four, client):
    match = play(four)
    path = folder / "referee.py"
    path.write_text(path.read_text().replace('Ask("negotiate"', 'Ask("n\\ud800"'))
    forget_games("fragile")
    page = client.get(f"{match.get_absolute_url()}?raw=1")
    assert page.status_code == 200
    assert "n\\ud800" in page.content.decode()
    assert client.get(f"/api/v1/matches/{match.pk}/log").status_code == 200


def test_a_match_of_too_many_frames_has_no_replay(folder, four, client, caplog):
    """A page would fetch them in very many parts, each of which plays the match again."""
    match = play(four)
    frames = "def frame(self, **fields):\n    self.frames += [fields] * 20_000\n\n\nSamurai.frame = frame"
    fails_in(folder, "referee.py", frames)
    assert client.get(match.get_absolute_url()).status_code == 200
    assert client.get(f"{match.get_absolute_url()}log.json").status_code == 404
    assert "fragile: a match has " in caplog.text


def test_a_story_is_cut_where_it_would_hold_up_the_browser(folder, four, client):
    match = play(four)
    long = "[StoryLine(None, 0, '%(text)s', {'text': 'x' * 5000})] * 5000"
    fails_in(folder, "story.py", f"def tell(log):\n    return [Scene('Start', {{}}, {long})]")
    page = client.get(match.get_absolute_url()).content
    assert "…" in page.decode()
    assert len(page) < 3 << 20
    replay = client.get(f"{match.get_absolute_url()}log.json")
    assert sum(len(told["lines"]) for told in replay.json()["told"]) > 100
    assert len(replay.content) < 3 << 20


@pytest.mark.parametrize("text", ["'a \\ud800'", "'%(text)s', {'text': type('T', (str,), {})('\\ud800')}"])
def test_a_story_may_have_any_character(text, folder, four, client):
    match = play(four)
    values = "" if "text" in text else ", {}"
    fails_in(
        folder,
        "story.py",
        f"def tell(log):\n    return [Scene('Start', {{}}, [StoryLine(0, 0, {text}{values})])]",
    )
    page = client.get(match.get_absolute_url())
    assert (page.status_code, "\\ud800" in page.content.decode()) == (200, True)


def test_a_version_is_shown_without_doubts_that_fail(folder, competition, user):
    submission = submit(user, competition)
    rivals = activate(user, competition, ["Rita", "Sue", "Tom"])
    play([submission, *rivals], kind=Match.Kind.QUALIFICATION, qualifies=submission)
    fails_in(folder, "story.py", "def doubts(log, seat):\n    raise KeyError('x')")
    assert browser_of(user).get(submission.get_absolute_url()).status_code == 200


def test_a_site_says_so_at_its_start_and_starts(folder, competition):
    no_manifest(folder)
    forget_games("fragile")
    assert prepare.broken_games() == {
        "fragile": "fragile/game.toml: Invalid value (at line 1, column 9)",
    }


def test_the_administration_shows_it(why, organizer):
    page = browser_of(organizer).get(reverse("admin:competitions_competition_changelist"))
    assert why in page.content.decode()
