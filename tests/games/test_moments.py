"""Key moments and standings of each game, from matches whose course the rules decide."""

import importlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import all_games, load
from games.core.moments import lead_changes
from games.core.record import SeatInfo
from tests.support.reasons import said


def played(slug, bots, seed=1, faults=None):
    driver = play(load(slug), bots, seed, faults)
    return driver.log([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])


def moments(log):
    """(frame, seat, text) of each."""
    key_moments = importlib.import_module(f"games.{log.game}.moments").moments(log)
    return [(moment.frame, moment.seat, moment.text % moment.values) for moment in key_moments]


def standings(log):
    return importlib.import_module(f"games.{log.game}.moments").standings(log)


def test_honest_rps_first_lies_and_changes_of_the_lead():
    """Seat 0 is honest and plays rock. Seat 1 keeps its word and loses twice, then lies and wins."""

    def second(request):
        turn, throwing = divmod(request.step, 2)
        return "S" if turn < 2 else "P" if throwing else "R"

    log = played("honest_rps", [lambda request: "R", second])
    # Win 2, loss 0, and 1 for each that kept its word: 3 to 1, twice; then 1 to 2, so that round 6 is a tie.
    assert standings(log)[:3] == [[3, 1], [6, 2], [7, 4]]
    assert moments(log) == [
        (2, 1, "breaks its word for the first time"),
        (6, 1, "takes the lead"),
    ]
    assert standings(log)[5:7] == [[10, 10], [11, 12]]


def coup(calls, seed=38):
    """Seat 0 is dealt ~!, seat 1 $$; each call is appended to the history."""
    said = iter(calls)

    def writer(request):
        return {"appended": next(said, request.view.args[3]), "stdout": ""}

    return played("coup", [writer] * 2, seed)


def test_coup_a_bluff_that_is_called_costs_a_card():
    log = coup(["T", "q", "_\n"])
    assert moments(log)[:2] == [
        (1, 0, "bluffs: claims the Duke without holding it"),
        (3, 0, "is caught bluffing and loses the Ambassador"),
    ]
    assert standings(log)[0] == [1 + 14, 1 + 14]  # a coin and two cards each; a card counts 7
    assert standings(log)[3] == [1 + 7, 1 + 14]


def test_coup_a_claim_that_is_true_costs_the_challenger_a_card():
    log = coup(["I\n", "T", "q", "$", "_", "\n"])
    assert moments(log)[:2] == [
        (4, 1, "was challenged and shows the Duke"),
        (5, 0, "gives up the Ambassador"),
    ]


def test_camel_up_ends_of_rounds_traps_and_bets_on_the_game():
    first = ["[1, 1, 3]", "[2, 4]", "[1, -1, 9]", "[4, 2]", "[3, 0]"]
    log = played("camel_up", [lambda r: first[r.step] if r.step < len(first) else "[0]"] * 4, seed=4)
    told = moments(log)
    assert (4, 3, "bets on camel 2 to come last") in told
    assert (5, 0, "bets on camel 0 to win the game") in told
    assert not [moment for moment in told if moment[0] == 2]  # a bet on the round is none
    ends = [frame for frame, seat, text in told if text.startswith("the round ends")]
    assert ends == [number for number, frame in enumerate(log.frames) if "round" in frame]
    owners = [seat for _, seat, text in told if text == "earns a coin from the trap"]
    assert owners == [
        frame["rolled"][2] for frame in log.frames if frame.get("rolled", [0, 0, None])[2] is not None
    ]
    assert standings(log)[0] == [2, 2, 2, 2]
    assert [str(coins) for coins in standings(log)[-1]] == list(log.scores)


DAY = ["0 0 0 0 0", "1 1 1 1 1", "2 2 2 2 2", "3 3 3 3 3"]


def test_samurai_battles_after_turns_5_and_9():
    log = played("samurai", [lambda request, own=own: own for own in DAY], seed=7)
    texts = {frame: text for frame, seat, text in moments(log) if seat is None}
    assert texts == {5: "a battle, and the nights are revealed", 9: "the last battle"}
    assert [str(score) for score in standings(log)[9]] == list(log.scores)


def test_samurai_a_player_stands_at_what_a_battle_now_would_give():
    """After turn 1 each is alone ahead with its own lord, and the other three are last with it."""
    log = played("samurai", [lambda request, own=own: own for own in DAY], seed=7)
    strengths = log.frames[0]["strengths"]
    shares = [Fraction(strengths[lord]) for lord in range(4)]
    expected = [
        shares[seat] - sum(shares[opponent] / 3 for opponent in range(4) if opponent != seat)
        for seat in range(4)
    ]
    assert standings(log)[1] == expected


def test_language_survival_the_reckoning_is_the_last_frame():
    log = played("language_survival", [lambda request, own=own: own for own in DAY], seed=7)
    told = [(frame, text) for frame, seat, text in moments(log) if seat is None]
    assert told == [(5, "the holidays are revealed"), (10, "the reckoning")]
    assert standings(log)[9] == standings(log)[10]
    assert [str(score) for score in standings(log)[10]] == list(log.scores)


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_a_match_that_a_fault_ends_at_once_has_standings_for_its_frames(slug):
    """A crash at the first ask: a forfeit in some games, default moves in others."""
    bots = [lambda request: {"appended": "", "stdout": ""} if slug == "coup" else "?"] * load(slug).max_seats
    log = played(slug, bots, faults={(0, 0): FaultCause(FaultKind.CRASH, said("it ended"))})
    if log.frames:
        assert len(standings(log)) == len(log.frames)
        assert all(0 <= frame < len(log.frames) for frame, _, _ in moments(log))


scores = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1)


@given(scores)
def test_a_lead_changes_only_to_a_seat_that_is_alone_ahead_and_was_not_the_leader_before(standings):
    leader = None
    changes = dict(lead_changes(standings))
    for frame, standing in enumerate(standings):
        if frame in changes:
            seat = changes[frame]
            assert seat != leader
            assert sorted(standing)[-2] < standing[seat] == max(standing)
            assert leader is not None
        if standing.count(max(standing)) == 1:
            leader = standing.index(max(standing))
