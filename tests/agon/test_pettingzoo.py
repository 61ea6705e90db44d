"""Every game is an environment of PettingZoo: its own tests pass, and scores are those of the referee."""

import random
import re
from fractions import Fraction

import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from agon.pettingzoo import OBSERVATION_BYTES, SeatByTurn, SeatsAtOnce
from games.core.manifest import UnknownGame, all_games, load
from games.core.replay import replay

SLUGS = [info.slug for info in all_games()]
AT_ONCE = ["honest_rps", "language_survival", "samurai"]
# Its tests advise numeric actions; ours are what a bot writes.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
EPISODES = 20


@pytest.mark.parametrize("slug", SLUGS)
def test_pettingzoos_own_tests_pass(slug):
    api_test(SeatByTurn(slug), num_cycles=50)
    seed_test(lambda: SeatByTurn(slug), num_cycles=20)
    if slug in AT_ONCE:
        parallel_api_test(SeatsAtOnce(slug), num_cycles=50)


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in AT_ONCE])
def test_a_game_whose_seats_move_in_turn_is_not_played_at_once(slug):
    with pytest.raises(ValueError, match="not all seats at once: use SeatByTurn"):
        SeatsAtOnce(slug)


def legal(slug, text, draw):
    """A move that is legal more often than not, and now and then none."""
    if draw.random() < 0.002:
        return "no move"
    if slug == "coup":
        first = text.partition("\n")[0].split()
        return draw.choice(first[3:])
    if slug == "honest_rps":
        return draw.choice("RPS")
    if slug == "camel_up":
        return "[0]"
    return " ".join(str(draw.randrange(4)) for _ in range(2))


def play(slug, seed):
    """The totals of the rewards by seat, what was said at the end, and the log of a match."""
    env, draw = SeatByTurn(slug), random.Random(seed)
    env.reset(seed=seed)
    totals, ends = dict.fromkeys(env.possible_agents, 0.0), {}
    for agent in env.agent_iter():
        _observation, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        if terminated or truncated:
            ends[agent] = info
            env.step(None)
        else:
            env.step(legal(slug, info["text"], draw))
    return totals, ends, env.log()


@pytest.mark.parametrize("episodes", [EPISODES, pytest.param(200, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("slug", SLUGS)
def test_rewards_are_the_scores_that_a_replay_of_the_record_gives(slug, episodes):
    for seed in range(episodes):
        totals, ends, log = play(slug, seed)
        again = replay(log.record)
        scores = [Fraction(score) for score in again.scores]
        assert [*totals.values()] == [float(score) for score in scores]
        assert [Fraction(info["score"]) for info in ends.values()] == scores
        assert [info["rank"] for info in ends.values()] == list(again.ranks)


def test_what_a_bot_reads_is_the_text_and_its_bytes():
    env = SeatByTurn("samurai")
    env.reset(seed=1)
    observation, *_, info = env.last()
    assert bytes(observation).rstrip(b"\0").decode() == info["text"]
    assert re.match(r"\d+ 4 \d+\n", info["text"])
    assert observation.shape == (OBSERVATION_BYTES,)


def test_none_sees_what_others_answered_to_the_same_ask():
    """Matches that differ in the first seat's answer are the same to the second until it has answered."""
    seen = []
    for move in "RP":
        env = SeatByTurn("honest_rps")
        env.reset(seed=3)
        env.step(move)
        assert env.agent_selection == "seat_1"
        seen.append((env.last()[4]["text"], bytes(env.observe("seat_0")), bytes(env.observe("seat_1"))))
    assert seen[0] == seen[1]


def test_a_move_that_is_not_legal_is_a_fault_with_its_reason():
    env = SeatByTurn("honest_rps")
    env.reset(seed=3)
    env.step("R")
    env.step("lizard")
    assert "lizard" in env.infos["seat_1"]["fault"]
    assert "fault" not in env.infos["seat_0"]


@pytest.mark.parametrize("action", [0, None, b"R", ["R"]])
def test_an_action_of_the_wrong_type_is_refused_and_changes_nothing(action):
    env = SeatByTurn("honest_rps")
    env.reset(seed=3)
    with pytest.raises(TypeError, match=r"the action of seat_0: expected text, as a bot writes it, got "):
        env.step(action)
    assert env.agent_selection == "seat_0"
    at_once = SeatsAtOnce("honest_rps")
    at_once.reset(seed=3)
    with pytest.raises(TypeError):
        at_once.step({"seat_0": "R", "seat_1": action})
    assert at_once.step({"seat_0": "R", "seat_1": "R"})[1] == {"seat_0": 0.0, "seat_1": 0.0}


def end(env):
    """Play a match to its end."""
    env.reset(seed=3)
    while not any(env.terminations.values()):
        env.step("R")
    return env


def test_without_a_match_or_after_its_end_an_action_is_refused():
    env = SeatByTurn("honest_rps")
    for act in (lambda: env.step("R"), env.last):
        with pytest.raises(RuntimeError, match=r"no match is being played: reset\(\) begins one"):
            act()
    rewards = end(env).rewards
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step("R")
    assert env.rewards == rewards
    for _ in env.possible_agents:
        env.step(None)
    for action in (None, "R"):
        with pytest.raises(RuntimeError, match="no match is being played"):
            env.step(action)
    env.reset(seed=3)
    env.step("R")


def test_at_once_actions_are_those_of_the_seats_and_of_a_match_that_is_played():
    env = SeatsAtOnce("honest_rps")
    actions = {"seat_0": "R", "seat_1": "R"}
    with pytest.raises(RuntimeError, match="no match is being played"):
        env.step(actions)
    env.reset(seed=3)
    for wrong in ("R", None, ["R", "R"]):
        with pytest.raises(TypeError, match="expected a dict of texts by agent, got "):
            env.step(wrong)
    with pytest.raises(TypeError, match="the action of seat_1: expected text, as a bot writes it, got None"):
        env.step({"seat_0": "R"})
    with pytest.raises(ValueError, match="expected actions of seat_0, seat_1, got one of 'seat_2'"):
        env.step(actions | {"seat_2": "R"})
    while env.agents:
        env.step(actions)
    with pytest.raises(RuntimeError, match="no match is being played"):
        env.step({})
    assert len(env.log().exchanges) == len(replay(env.log().record).exchanges)


@pytest.mark.parametrize("action", ["", "R\nP", "\0", "\u202e", "\ud800", "x" * 100_000])
def test_any_text_is_an_action_and_a_fault_names_it_in_one_line(action):
    env = SeatByTurn("honest_rps")
    env.reset(seed=3)
    env.step(action)
    env.step("R")
    fault = env.infos["seat_0"]["fault"]
    assert "expected R, P or S" in fault
    assert fault.isprintable()
    assert len(fault) < 200


def test_the_same_seed_is_the_same_match_and_without_one_each_is_another():
    env = SeatByTurn("camel_up")
    texts = []
    for seed in (5, 5, None, None):
        env.reset(seed=seed)
        texts.append(env.last()[4]["text"])
    assert texts[0] == texts[1]
    assert len({*texts}) == 3


def test_unknown_games_and_numbers_of_seats_are_refused():
    with pytest.raises(UnknownGame, match="there is no game 'go'"):
        SeatByTurn("go")
    most = load("samurai").max_seats
    with pytest.raises(ValueError, match=f"seats, not {most + 1}"):
        SeatByTurn("samurai", most + 1)
