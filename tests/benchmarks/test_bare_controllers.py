"""The bare controllers of the benchmark have rules of their own; they must be the rules of the same games."""

import random
from collections.abc import Iterator

import pytest

from benchmarks import bare_coup, bare_rps, bare_samurai
from games.core.compliance import scripted
from games.core.driver import Driver, Reply
from games.core.manifest import load

SEEDS = range(40)


def random_coup(seed: int) -> Iterator[tuple[int, list[str], list[int], str]]:
    """A match of random legal moves: whose call, legal moves, coins before by seat, what was appended."""
    dice = random.Random(seed)
    driver = Driver(load("coup"), 2, seed)
    while driver.pending:
        (request,) = driver.pending
        theirs, mine, cards, *legal = request.view.args
        coins = [int(mine), int(theirs)] if request.seat == 0 else [int(theirs), int(mine)]
        move = dice.choice(legal)
        yield request.seat, cards, legal, coins, move
        driver.answer({request.seat: Reply({"appended": move, "stdout": cards[2:]})})


@pytest.mark.parametrize("seed", SEEDS)
def test_coup_has_the_same_legal_moves_and_coins(seed):
    players = [bare_coup.Player([], list(bare_coup.SHOWN) * 3) for _ in range(2)]
    history = ""
    for seat, cards, legal, coins, move in random_coup(seed):
        line = history[history.rfind("\n") + 1 :]
        me, opponent = players[seat], players[1 - seat]
        exchanging = bare_coup.exchanges(line)
        me.cards = [bare_coup.LOST[card] for card in (cards[2:] if exchanging else cards)]
        assert [player.coins for player in players] == coins
        assert bare_coup.legal_moves(history, me, opponent) == legal
        assert exchanging == (len(cards) > 2)
        bare_coup.apply(move, line, me, opponent, list(bare_coup.SHOWN), random.Random(seed))
        history += move


@pytest.mark.parametrize("seed", SEEDS)
def test_samurai_sends_the_same_blocks_and_counts_the_same_points(seed):
    dice = random.Random(seed)
    driver = Driver(load("samurai"), 4, seed)
    real, shown = ([[0] * bare_samurai.LORDS for _ in range(4)] for _ in range(2))
    points, night = [0] * 4, [0] * bare_samurai.LORDS
    strengths = []
    for turn in range(1, bare_samurai.TURNS + 1):
        day = turn % 2 == 1
        blocks = [bare_samurai.block(turn, day, seat, shown, real, night) for seat in range(4)]
        views = [request.view for request in driver.pending]
        if turn == 1:
            settings = views[0].splitlines(keepends=True)[:2]
            strengths = [int(word) for word in settings[1].split()]
            blocks = ["".join(settings) + block for block in blocks]
        assert blocks == views
        answers = [" ".join(str(dice.randrange(7)) for _ in range(dice.randrange(7))) for _ in range(4)]
        night = bare_samurai.negotiate(answers, day, real, shown, night)
        if turn == 5:
            shown = [list(row) for row in real]
        if turn in (5, bare_samurai.TURNS):
            bare_samurai.battle(points, strengths, real)
        driver.answer({seat: Reply(answer) for seat, answer in enumerate(answers)})
    assert tuple(points) == driver.scores


def test_rock_paper_scissors_counts_the_same_points():
    def mirror(their_past, my_past, their_claim, my_claim):
        return their_past[-1][1] if their_past else "R"

    def wheel(their_past, my_past, their_claim, my_claim):
        return "RPS"[(len(my_past) + (their_claim == "P")) % 3]

    calls = [adapted(mirror), adapted(wheel)]
    assert bare_rps.play(mirror, wheel) == scripted.play(load("honest_rps"), calls, seed=1).scores


def adapted(function):
    """The function as a player of the referee's lines, by the game's own adapter."""
    from games.honest_rps.adapter import find

    module = type(random)("bot")
    module.bot = function
    answer = find(module, "bot")
    return lambda request: answer(request.view.rstrip("\n"))
