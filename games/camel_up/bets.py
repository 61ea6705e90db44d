"""What bets earn when a round, or the game, ends (rules.en.md, "Round bets" and "Game bets")."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ROUND, WINNER, LOSER = 2, 3, 4  # kinds: the camel wins the round, wins the game, comes last


class Bet(NamedTuple):
    kind: int
    camel: int
    seat: int


class Payout(NamedTuple):
    """coins: what the bet earned; negative for a wrong one."""

    bet: Bet
    coins: int


def round_payouts(bets: Iterable[Bet], ranking: Sequence[int]) -> Iterator[Payout]:
    """What the round bets earn, in the order made. ranking: the camels, best first."""
    first, second, *_ = ranking
    ladders = {first: _ladder(5, 3, 2, 1, then=0), second: _ladder(1, 1, 1, then=0)}
    for bet in bets:
        if bet.kind == ROUND:
            yield Payout(bet, next(ladders[bet.camel]) if bet.camel in ladders else -1)


def game_payouts(bets: Sequence[Bet], ranking: Sequence[int]) -> Iterator[Payout]:
    """What the game bets earn: those on the winner, then those on the loser, each in the order made."""
    for kind, right in ((WINNER, ranking[0]), (LOSER, ranking[-1])):
        ladder = _ladder(8, 5, 3, 1, then=1)
        for bet in bets:
            if bet.kind == kind:
                yield Payout(bet, next(ladder) if bet.camel == right else -1)


def _ladder(*steps: int, then: int) -> Iterator[int]:
    """What the first, the second, ... correct bet earns."""
    return itertools.chain(steps, itertools.repeat(then))
