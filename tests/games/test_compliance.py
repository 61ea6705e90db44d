"""The compliance suite: every game passes every check, and a broken promise is caught by its check.

More broken promises are planted in a new game by tests/agon/cli/test_zoo.py.
"""

import random

import pytest

from games.core.compliance import checks
from games.core.compliance.checks import CHECKS, Noncompliant, failures, game_under_test, run
from games.core.game import Invocation
from games.core.manifest import all_games, load
from games.core.story import Scene, StoryLine
from games.coup.referee import Coup
from games.honest_rps.referee import HonestRPS
from games.samurai.referee import Samurai


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("info", all_games(), ids=lambda info: info.slug)
def test_every_game_complies(info, check):
    run(check, game_under_test(info))


def caught_by(check, slug):
    with pytest.raises(Noncompliant) as error:
        run(check, game_under_test(load(slug)))
    return str(error.value)


def altered(monkeypatch, game, name, change):
    """Replace a method by change(the method)."""
    monkeypatch.setattr(game, name, change(getattr(game, name)))


def test_a_view_that_shows_a_secret_night_is_caught(monkeypatch):
    altered(
        monkeypatch,
        Samurai,
        "view",
        lambda view: lambda self, seat: f"{self.intimacy.real}\n" + view(self, seat),
    )
    assert "must not know" in caught_by(checks.hidden_facts_do_not_change_views, "samurai")


def shows(secret):
    """Change a view of lines so that it also shows what this function finds in the game."""
    return lambda view: lambda self, seat: f"{secret(self)} {view(self, seat)}"


def copy_of(rng):
    copy = random.Random()
    copy.setstate(rng.getstate())
    return copy


def test_a_view_that_looks_into_the_frames_is_caught(monkeypatch):
    altered(monkeypatch, Samurai, "view", shows(lambda game: game.frames[-1].get("real")))
    assert "what is in frames" in caught_by(checks.hidden_facts_do_not_change_views, "samurai")


def test_a_view_that_shows_the_next_draw_is_caught_and_one_that_draws_is_not(monkeypatch):
    altered(monkeypatch, Samurai, "view", shows(lambda game: game.rng.random()))
    run(checks.hidden_facts_do_not_change_views, game_under_test(load("samurai")))
    monkeypatch.undo()
    altered(monkeypatch, Samurai, "view", shows(lambda game: copy_of(game.rng).random()))
    assert "draws to come" in caught_by(checks.hidden_facts_do_not_change_views, "samurai")


def test_a_reveal_by_reference_is_caught(monkeypatch):
    def battle(original):
        def play(self):
            running = original(self)
            moves = None
            while True:
                try:
                    ask = running.send(moves)
                except StopIteration as stop:
                    return stop.value
                if self.turn == 6:
                    self.intimacy.shown = self.intimacy.real
                moves = yield ask

        return play

    altered(monkeypatch, Samurai, "play", battle)
    assert "must not know" in caught_by(checks.hidden_facts_do_not_change_views, "samurai")


def test_legal_moves_that_tell_the_opponents_hand_are_caught(monkeypatch):
    def telling(view):
        def shown(self, seat):
            honest = view(self, seat)
            return Invocation((*honest.args, "".join(self.hands[1 - seat])), honest.file)

        return shown

    altered(monkeypatch, Coup, "view", telling)
    assert "must not know" in caught_by(checks.hidden_facts_do_not_change_views, "coup")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({1, 2}, "is not JSON"),
        (float("nan"), "is not JSON"),
        ((1, 2), "reads back as something else"),
        ({1: 2}, "reads back as something else"),
        ("x" * 5000, "has 50"),
    ],
)
def test_frames_that_are_not_small_json_are_caught(monkeypatch, value, words):
    altered(monkeypatch, Samurai, "_add_frame", lambda picture: lambda self, chosen: self.frame(value=value))
    assert words in caught_by(checks.frames_are_small_and_final, "samurai")


def test_too_many_frames_for_a_replay_are_caught(monkeypatch):
    add = lambda picture: lambda self, chosen: self.frames.extend([{}] * 10_000)  # noqa: E731
    altered(monkeypatch, Samurai, "_add_frame", add)
    assert "frames; a replay has at most 20000" in caught_by(checks.frames_are_small_and_final, "samurai")


def test_lines_where_a_program_wants_arguments_are_caught(monkeypatch):
    altered(
        monkeypatch,
        checks,
        "match",
        lambda match: lambda game, seed: match(game_under_test(load("samurai")), seed),
    )
    assert "expected an Invocation" in caught_by(checks.views_fit_the_channel, "coup")


def test_two_lines_an_ask_are_caught_where_an_adapter_reads_them(monkeypatch):
    altered(monkeypatch, HonestRPS, "view", lambda view: lambda self, seat: view(self, seat) + "and\n")
    assert "asked by one line, got 2" in caught_by(checks.views_fit_the_channel, "honest_rps")


def test_an_adapter_that_forgets_is_caught(monkeypatch):
    monkeypatch.setattr("games.honest_rps.adapter.Past.add", lambda self, claimed, thrown: None)
    caught = caught_by(checks.functions_and_lines_play_alike, "honest_rps")
    assert caught.startswith("seed 0, by lines and by functions: exchanges[")


def test_an_adapter_that_says_something_else_is_caught(monkeypatch):
    monkeypatch.setattr("games.camel_up.adapter._reply_line", lambda returned: "[0]")
    caught = caught_by(checks.functions_and_lines_play_alike, "camel_up")
    assert caught.startswith("seed 0, by lines and by functions: exchanges: ")


def test_a_game_of_functions_without_twins_is_told_so(monkeypatch):
    monkeypatch.delattr("games.camel_up.checks.twins")
    caught = caught_by(checks.functions_and_lines_play_alike, "camel_up")
    assert caught == "checks.py: twins is missing, which games of channel function need"


def test_a_story_that_breaks_down_is_caught_with_its_line(monkeypatch):
    monkeypatch.setattr("games.coup.story.NAMES", {})
    caught = caught_by(checks.every_match_can_be_told, "coup")
    assert caught.startswith("the game raises an exception: story.py, line ")


@pytest.mark.parametrize("text", ["has %(cards)s", "has %(coins)d", "has 50% of %(coins)s"])
def test_a_story_whose_words_and_values_do_not_fit_is_caught(monkeypatch, text):
    lines = [StoryLine(0, None, text, {"coins": "1/2"})]
    monkeypatch.setattr("games.samurai.story.tell", lambda record: [Scene("The end", {}, lines)])
    caught = caught_by(checks.every_match_can_be_told, "samurai")
    assert caught == f"seed 0: story.py: {text!r} has other placeholders than {{'coins': '1/2'}}"


def test_a_story_of_somebody_who_did_not_play_is_caught(monkeypatch):
    monkeypatch.setattr("games.samurai.story.tell", lambda record: [Scene("The end", {}, [], seat=4)])
    assert "names a seat 4" in caught_by(checks.every_match_can_be_told, "samurai")


def test_failures_are_listed_in_words(monkeypatch):
    monkeypatch.setattr(Coup, "forfeited", lambda self, seats: [1, 1])
    failed = failures(load("coup"))
    assert {line.split(":")[0] for line in failed} >= {"faults_at_any_ask_end_with_a_result"}
    assert "honest_matches_end_without_faults" not in " ".join(failed)
