"""What spectators see of a running match: nothing that a bot of it does not know, and everything else.

`agon check-game` changes what is hidden in the middle of matches (games/core/compliance/running_checks.py).
Here it is said for each game what may be seen, without asking the code that hides it.
"""

import importlib
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.checks import run
from games.core.compliance.harness import Noncompliant, game_under_test
from games.core.compliance.running_checks import running_matches_show_what_every_seat_knows
from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.manifest import all_games, load
from games.core.public import public_frames, running_log
from tests.support.examples import at_most

seeds = st.integers(0, 1 << 32)
few = at_most(15)


def match(slug, seed, bots=0):
    """A match of legal random bots: the deal is of `seed`, what they do of `bots`."""
    info = load(slug)
    player = game_under_test(info).player
    return play(info, [player(random.Random(f"{bots} {seat}")) for seat in range(info.max_seats)], seed)


def shown(driver):
    return public_frames(driver.info.slug, driver.frames)


@few
@given(seeds, seeds)
def test_coup_shows_how_many_cards_are_held_and_no_card(seed, bots):
    driver = match("coup", seed, bots)
    for frame, public in zip(driver.frames, shown(driver), strict=True):
        assert [len(hand) for hand in public["hands"]] == [len(hand) for hand in frame["hands"]]
        assert set("".join(public["hands"])) <= {"?"}
        assert set(public.get("drawn", "") + public.get("kept", "")) <= {"?"}
        assert public["lost"] == frame["lost"]
        assert (public["coins"], public.get("move")) == (frame["coins"], frame.get("move"))


@few
@given(seeds, seeds)
def test_coup_looks_the_same_whatever_was_dealt_as_long_as_the_same_is_done(first, second):
    """Both pass every claim of a tax, until seven coins make them stage a coup."""

    def running(seed):
        driver = Driver(load("coup"), 2, seed)
        for text in ["T", "p", "\n"] * 4:
            [request] = driver.pending
            driver.answer({request.seat: Reply({"appended": text, "stdout": ""})})
        return driver

    assert shown(running(first)) == shown(running(second))


@few
@given(seeds, seeds)
def test_camel_up_shows_bets_on_the_game_without_their_camel_and_not_what_they_paid(seed, bots):
    driver = match("camel_up", seed, bots)
    public = shown(driver)
    assert len(public) == len(driver.frames) - 1  # the last one has the coins that the bets earned
    for frame, seen in zip(driver.frames, public, strict=False):
        is_bet = frame.get("action", [0])[0] in (3, 4)
        assert seen == (frame | {"action": [frame["action"][0], None]} if is_bet else frame)


@few
@given(seeds, seeds)
@pytest.mark.parametrize(("slug", "day"), [("samurai", "phase"), ("language_survival", "day")])
def test_secret_turns_are_seen_when_turn_5_reveals_them_and_their_picks_never(slug, day, seed, bots):
    driver = match(slug, seed, bots)
    public = shown(driver)
    assert len(public) == (9 if slug == "samurai" else 10)  # all but the frame that settles the end
    for frame, seen in zip(driver.frames[1:], public[1:], strict=False):
        is_secret = frame["turn"] % 2 == 0
        assert seen["picks"] == ([[], [], [], []] if is_secret else frame["picks"])
        assert seen["real"] == seen["shown"] == frame["shown"]
        if frame["turn"] == 5:
            assert seen["real"] == frame["real"]


@few
@given(seeds)
def test_honest_rps_shows_every_round_that_is_over(seed):
    driver = match("honest_rps", 1, seed)
    assert shown(driver) == driver.frames


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_no_frame_holds_the_seed_or_the_state_of_the_random_numbers(slug):
    driver = match(slug, 987_654_321_987_654_321)
    text = json.dumps(shown(driver))
    assert "987654321987654321" not in text
    assert not {"seed", "rng", "deck"} & {key for frame in shown(driver) for key in frame}


@pytest.mark.parametrize("slug", [info.slug for info in all_games() if info.slug != "honest_rps"])
def test_a_game_that_hides_nothing_of_what_is_hidden_does_not_comply(slug, monkeypatch):
    """Honest Rock-Paper-Scissors has nothing to hide."""
    module = importlib.import_module(f"games.{slug}.public")
    monkeypatch.setattr(module, "public", dict)
    with pytest.raises(Noncompliant, match=r"public\.py shows what seat \d must not know"):
        run(running_matches_show_what_every_seat_knows, game_under_test(load(slug)))


def told(slug, driver, count):
    frames = shown(driver)[:count]
    log = running_log(slug, "1", [f"bot{n}" for n in range(driver.seats)], frames, driver.frame_steps[:count])
    return [
        (line.seat, line.text % line.values)
        for scene in importlib.import_module(f"games.{slug}.story").tell(log)
        for line in scene.lines
    ]


def test_the_story_of_a_running_match_says_that_something_is_hidden():
    assert (None, "what is done by night is hidden until the end") in told("samurai", match("samurai", 1), 3)
    holiday = (None, "what is done on a holiday is hidden until the end")
    assert holiday in told("language_survival", match("language_survival", 1), 3)
    answers = ["[3, 2]", "[4, 1]"]
    players = [lambda request: answers[request.step] if request.step < 2 else "[0]"] * 4
    assert told("camel_up", play(load("camel_up"), players, 1), 3)[1:] == [
        (0, "bets on the winner of the game; the camel is hidden"),
        (1, "bets on the last camel of the game; the camel is hidden"),
    ]


def test_claims_in_a_running_match_of_coup_are_not_called_bluffs():
    driver = Driver(load("coup"), 2, 38)  # seat 0 is dealt ~!, seat 1 $$
    driver.answer({0: Reply({"appended": "T", "stdout": ""})})
    log = running_log("coup", "1", ["a", "b"], shown(driver), driver.frame_steps)
    assert importlib.import_module("games.coup.moments").moments(log) == []
    assert told("coup", driver, 2) == [(0, "claims the Duke, to tax: 3 coins")]
