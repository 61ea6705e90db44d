"""Games of libraries: what they are asked, told and paid is what the library itself says."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pyspiel
import pytest
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv, EnvSpec, aec_registry, make

from games.core.compliance import checks, scripted
from games.core.compliance.harness import game_at, game_under_test, match, match_log_of, replies_of
from games.core.game import Illegal
from games.core.library.chance import draw
from games.core.library.checks import player
from games.core.library.open_spiel import OpenSpielGame
from games.core.library.pettingzoo import PettingZooGame
from games.core.library.referee import LibraryGame, exact
from games.core.manifest import load
from games.core.reason import sentence
from games.core.reason_texts import named, template_of
from games.core.seeds import LARGE, generator
from tests.support.library_games import library_games

__all__ = ["library_games"]
pytestmark = pytest.mark.usefixtures("library_games")

MATCHES = 1500
# The greatest chi-squared that one in a million draws exceeds, by degrees of freedom (R: qchisq).
ONE_IN_A_MILLION = {3: 30.66, 5: 35.89}


class Counted(random.Random):
    """Draws the number that it was made with."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def randrange(self, most):
        self.most = most
        return self.number


def test_chance_is_drawn_in_exact_proportion_to_the_probabilities():
    outcomes = [(7, 0.5), (8, 0.25), (9, 0.0), (5, 0.25)]
    assert [draw(outcomes, Counted(number)) for number in range(4)] == [7, 7, 8, 5]


@pytest.mark.parametrize("parts", [3, 6, 7, 49, 52])
def test_outcomes_of_equal_probabilities_are_equally_likely_where_floats_add_up_to_no_whole(parts):
    outcomes = [(outcome, 1 / parts) for outcome in range(parts)]
    share = Fraction(1 / parts).numerator
    for outcome in range(parts):
        assert {
            draw(outcomes, Counted(outcome * share)),
            draw(outcomes, Counted((outcome + 1) * share - 1)),
        } == {outcome}
    counted = Counted(0)
    draw(outcomes, counted)
    assert counted.most == parts * share


@pytest.mark.parametrize("outcomes", [[], [(0, 0.0)], [(0, 1.5), (1, -0.5)]])
def test_no_chance_is_drawn_where_there_is_none(outcomes):
    with pytest.raises(ValueError, match="no probabilities"):
        draw(outcomes, random.Random(1))


def test_scores_are_exact():
    assert [exact(number) for number in (2.0, -1.0, 0.5, 0.1)] == [2, -1, Fraction(1, 2), Fraction(1, 10)]
    for none in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="points"):
            exact(none)


def chi_squared(counts, expected):
    """counts: of draws by outcome; expected: probabilities."""
    assert counts.keys() <= expected.keys()
    total = sum(counts.values())
    return sum(
        (counts[outcome] - total * float(share)) ** 2 / (total * float(share))
        for outcome, share in expected.items()
    )


def outcomes_of(state, share=Fraction(1)):
    """The library's own word on random play: the probability of each result, over its whole tree."""
    if state.is_terminal():
        return Counter({tuple(state.returns()): share})
    actions = (
        [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
    )
    chances = Counter()
    for action in actions:
        chances.update(outcomes_of(state.child(action), share / len(actions)))
    return chances


def test_random_bots_get_what_the_library_says_that_they_get():
    info = load("cards")
    expected = outcomes_of(pyspiel.load_game("kuhn_poker").new_initial_state())
    assert sum(expected.values()) == 1
    results, deals = Counter(), Counter()
    for seed in range(MATCHES):
        driver = scripted.play(info, [player(random.Random(f"{seed} {seat}")) for seat in range(2)], seed)
        results[tuple(float(score) for score in driver.scores)] += 1
        deals[tuple(text for seat, text in driver.frames[0]["moves"] if seat < 0)] += 1
    assert chi_squared(results, expected) < ONE_IN_A_MILLION[len(expected) - 1]
    assert chi_squared(deals, dict.fromkeys(deals, Fraction(1, 6))) < ONE_IN_A_MILLION[5]
    assert len(deals) == 6


@pytest.mark.parametrize("seed", [1, 2, LARGE + 5])
def test_the_first_card_is_the_first_number_of_the_seeds_generator(seed):
    info = load("cards")
    driver = scripted.play(info, [lambda request: "Pass"] * 2, seed)
    share = Fraction(1 / 3).numerator
    first = generator(seed, "cards", info.version).randrange(3 * share) // share
    assert driver.frames[0]["moves"][0] == [-1, f"Deal:{first}"]


def test_a_seat_is_sent_its_own_card_whatever_the_other_holds():
    views = {}
    for seed in range(60):
        sent = []
        driver = scripted.play(
            load("cards"), [lambda request, sent=sent: sent.append(request.view) or "Bet"] * 2, seed
        )
        mine, theirs = driver.frames[0]["text"].split()
        views.setdefault(("first", mine), {}).setdefault(theirs, set()).add(sent[0])
        views.setdefault(("second", theirs), {}).setdefault(mine, set()).add(sent[1])
    assert len(views) == 6
    for by_other in views.values():
        assert len(by_other) == 2  # both of the cards that the other may hold
        assert len(set.union(*by_other.values())) == 1  # and one view


def test_the_two_worlds_of_the_suite_differ_in_what_is_hidden():
    game = game_under_test(load("cards"))
    changed = 0
    for seed in range(8):
        replies = replies_of(match_log_of(match(game, seed)))
        ours, theirs = (game_at(game, seed, replies, 0) for _ in range(2))
        assert game.other_world(theirs, 0, random.Random(seed))
        assert str(ours.state)[0] == str(theirs.state)[0]
        changed += str(ours.state) != str(theirs.state)
    assert changed > 0


def test_the_suite_finds_a_referee_that_shows_the_others_card(monkeypatch):
    game = game_under_test(load("cards"))
    checks.run(checks.hidden_facts_do_not_change_views, game)
    monkeypatch.setattr(OpenSpielGame, "sees", lambda self, seat: str(self.state))
    with pytest.raises(checks.Noncompliant, match="shows what it must not know"):
        checks.run(checks.hidden_facts_do_not_change_views, game)


def test_seats_that_move_at_once_do_not_see_each_others_moves():
    first = []
    for bid in ("[P0]Bid: 1", "[P0]Bid: 5"):
        asked = {}

        def answer(request, asked=asked, bid=bid):
            asked.setdefault((request.step, request.seat), request.view)
            legal = request.view.splitlines()
            return bid if request.step == 0 and request.seat == 0 else legal[-1]

        scripted.play(load("bids"), [answer, answer], 3)
        assert {(0, 0), (0, 1), (1, 0), (1, 1)} <= asked.keys()
        first.append((asked[0, 0], asked[0, 1]))
    assert first[0] == first[1]


@pytest.mark.first(5)
@pytest.mark.parametrize("seed", range(20))
def test_open_spiel_itself_gives_these_scores_for_these_moves(seed):
    driver = match(game_under_test(load("rows")), seed)
    state = pyspiel.load_game("connect_four").new_initial_state()
    for seat, text in itertools.chain.from_iterable(frame["moves"] for frame in driver.frames):
        assert state.current_player() == seat
        state.apply_action(state.string_to_action(text))
    assert state.is_terminal()
    assert [float(score) for score in driver.scores] == state.returns()
    assert driver.frames[-1]["text"] == str(state).rstrip("\n")


@pytest.mark.first(5)
@pytest.mark.parametrize("seed", range(20))
def test_pettingzoo_itself_gives_these_scores_for_these_moves(seed):
    driver = match(game_under_test(load("zoo")), seed)
    moves = [int(text) for frame in driver.frames for _, text in frame["moves"]]
    env = make("aec", "classic/tictactoe-v3")
    env.reset()
    totals = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        env.step(None if terminated or truncated else moves.pop(0))
    assert not moves
    assert [*totals.values()] == list(driver.scores)


class HighCard(AECEnv):
    """Each of two agents holds a card and sees it; each nods once, and the higher card wins."""

    metadata = {"name": "high_card"}

    def __init__(self, cards):
        self.cards = cards
        self.possible_agents = ["a", "b"]
        self.action_spaces = dict.fromkeys(self.possible_agents, Discrete(1))

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.held = dict(zip(self.agents, random.Random(seed).sample(range(self.cards), 2), strict=True))
        self.rewards = dict.fromkeys(self.agents, 0)
        self.terminations = self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def observe(self, agent):
        return np.array([self.held[agent] / 2])

    def step(self, action):
        if action is None:
            self.agents.remove(self.agent_selection)
        elif self.agent_selection == "b":
            winner = max(self.held, key=self.held.get)
            self.rewards = {agent: 1 if agent == winner else -1 for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "b" if self.agents == ["b"] or self.agent_selection == "a" else "a"


@pytest.mark.parametrize(("cards", "others"), [(4, True), (10**9, False)])
def test_another_deal_of_pettingzoo_leaves_a_seat_its_card_or_else_changes_nothing(
    cards, others, monkeypatch
):
    monkeypatch.setitem(aec_registry, "classic/high_card-v0", EnvSpec("classic/high_card-v0", HighCard))
    own = {"slug": "high", "version": "1", "source": f"classic/high_card-v0(cards={cards})"}
    referee = type("Referee", (PettingZooGame,), own)
    seen_of_b = set()
    for seed in range(12):
        game, again = referee(2, 5), referee(2, 5)
        for instance in (game, again):
            running = instance.play()
            running.send(None)
            running.send({0: 0})
        assert game.redeal(1, random.Random(seed)) == others
        assert (game.view(1), game.asked()) == (again.view(1), (1,))
        seen_of_b.add(game.sees(0))
    assert (len(seen_of_b) > 1) == others


def test_pettingzoo_is_given_its_chance_by_the_matchs_seed(monkeypatch):
    monkeypatch.setitem(aec_registry, "classic/high_card-v0", EnvSpec("classic/high_card-v0", HighCard))
    own = {"slug": "high", "version": "1", "source": "classic/high_card-v0(cards=1000)"}
    dealt = []
    for seed in (1, 1, 2, LARGE + 1, LARGE + 1):
        game = type("Referee", (PettingZooGame,), own)(2, seed)
        next(game.play())
        dealt.append((game.sees(0), game.sees(1)))
    assert dealt[0] == dealt[1]
    assert dealt[3] == dealt[4]
    assert len(set(dealt)) == 3


def test_a_move_that_is_not_legal_is_refused_with_those_that_are():
    game = game_at(game_under_test(load("rows")), 0, {}, 0)
    for raw in ("x7", "X3", "3", "", "x3 x4", "x" * 5000, "\x00"):
        with pytest.raises(Illegal) as refused:
            game.move(0, raw)
        words = sentence(named(game, refused.value.reason), template_of)
        assert words.startswith("expected one of the moves sent, such as x0, x1, x2, x3, x4, x5, x6; got ")
    assert game.move(0, " x3\r") == 3


class Odd(LibraryGame):
    """A library that calls moves alike, or hides lines in them."""

    slug, version, source = "odd", "1", "odd"

    def begin(self):
        return []

    def asked(self):
        return (0,)

    def sees(self, seat):
        return "one\r\x0b\u2028 two\n\nthree\n"

    def legal(self, seat):
        return [("same", 1), ("sa\nme", 2), ("same ", 3), ("", 4)]

    carry_out = drawn = totals = redeal = None


def test_whatever_a_library_writes_a_question_has_as_many_lines_as_it_says():
    assert Odd(2, 1).view(0) == "0 3 4\none    two\n\nthree\nsame (1)\nsa me\nsame (3)\n(4)\n"
    assert Odd(2, 1).move(0, "same (3)") == 3
