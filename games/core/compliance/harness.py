"""The matches that the compliance suite is made of, and how a broken promise is said.

What is tried is a Subject: a game, and what its checks.py says of it (games/core/compliance/checks.py tells
what that is). Its scripted bots play from fixed seeds, honestly or with faults and nonsense at given places,
so a failure happens again when the check is run again.
"""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from games.core.compliance.scripted import Place, Player, play, stages
from games.core.driver import Driver, Request
from games.core.game import Game, Json
from games.core.manifest import GameInfo
from games.core.ranks import ranks
from games.core.record import Record, SeatInfo
from games.core.replay import differences
from games.core.wording import LONGEST_REASON

MOST_ASKS = 10_000
# Asks that are visited one by one in long games: the first, the last and some between.
MOST_VISITED = 40
Twins: TypeAlias = tuple[Mapping[str, Any], Player]
_T = TypeVar("_T")


class Noncompliant(Exception):
    """The game breaks a promise; str(e) says which, where and how."""


@dataclass(frozen=True)
class Subject:
    """A game under test, and what its checks.py says; twins is None where it says nothing of them."""

    info: GameInfo
    symmetric: bool
    player: Callable[[random.Random], Player]
    other_world: Callable[[Game, int, random.Random], bool]
    twins: Callable[[int], Twins] | None = None


def subject(info: GameInfo) -> Subject:
    """Load a game's checks.py. Raises Noncompliant when something is missing there."""
    module = importlib.import_module(f"games.{info.slug}.checks")
    for name in ("SYMMETRIC", "player", "other_world"):
        if not hasattr(module, name):
            raise Noncompliant(f"games/{info.slug}/checks.py: {name} is missing")
    twins = getattr(module, "twins", None)
    return Subject(info, module.SYMMETRIC, module.player, module.other_world, twins)


def match(
    game: Subject,
    seed: int,
    *,
    seats: int | None = None,
    order: Sequence[int] | None = None,
    faults: Mapping[Place, tuple[str, str]] | None = None,
    garbage: Mapping[Place, Json] | None = None,
    start: Mapping[int, tuple[str, str]] | None = None,
    watch: Callable[[Driver], None] = lambda driver: None,
) -> Driver:
    """A match of scripted bots. order: the bot in each seat. garbage: sent instead of a legal reply."""
    bots = order or range(seats or game.info.max_seats)
    players = [game.player(random.Random(f"{seed} {bot}")) for bot in bots]
    if garbage:
        players = [_spoilt(player, garbage) for player in players]

    def watched(driver: Driver) -> None:
        require(driver.turns[-1].turn < MOST_ASKS, f"seed {seed}: no end in sight after {MOST_ASKS} asks")
        watch(driver)

    return play(game.info, players, seed, faults, start, watched)


def _spoilt(player: Player, garbage: Mapping[Place, Json]) -> Player:
    def answer(request: Request) -> Json:
        place = (request.turn, request.seat)
        return garbage[place] if place in garbage else player(request)

    return answer


def recorded(driver: Driver) -> Record:
    """The record of a match that is over."""
    return driver.record([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])


def replies_of(record: Record) -> dict[int, dict[int, Json]]:
    """{ask: {seat: raw reply}}"""
    replies: dict[int, dict[int, Json]] = {}
    for turn in record.turns:
        replies.setdefault(turn.turn, {})[turn.seat] = turn.reply
    return replies


def game_at(game: Subject, seed: int, replies: Mapping[int, Mapping[int, Json]], ask: int) -> Game:
    """The game when it waits for the answers to `ask`, nobody having been shown its view."""
    for stage in stages(game.info, game.info.max_seats, seed, replies):
        if stage.ask == ask:
            return stage.game
        for seat in stage.seats:
            stage.game.view(seat)
    raise Noncompliant(f"seed {seed}: the match ends before ask {ask} when it is played again")


def some(items: Sequence[_T]) -> Sequence[_T]:
    """All of a few, or MOST_VISITED spread from the first to the last."""
    if len(items) <= MOST_VISITED:
        return items
    return [items[i * (len(items) - 1) // (MOST_VISITED - 1)] for i in range(MOST_VISITED)]


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Noncompliant(otherwise)


def require_equal(one: Record, two: Record, where: str) -> None:
    found = differences(one, two)
    require(not found, f"{where}: {'; '.join(found[:3])}")


def require_result(driver: Driver, where: str) -> None:
    """A finished match with a result that agrees with its faults."""
    require(driver.finished and len(driver.scores) == driver.seats, f"{where}: there is no result")
    require(driver.ranks == ranks(driver.scores), f"{where}: ranks and scores disagree")
    policy = driver.info.faults
    for fault in driver.faults:
        readable = 0 < len(fault.reason) <= LONGEST_REASON and fault.reason.isprintable()
        require(readable, f"{where}: not a readable reason: {fault.reason!r}")
        if policy[fault.kind] == "retire":
            later = [turn for turn in driver.turns if turn.seat == fault.seat and turn.turn > fault.turn]
            require(not later, f"{where}: seat {fault.seat} is asked after it retired")
    losers = {fault.seat for fault in driver.faults if policy[fault.kind] in ("forfeit", "disqualify")}
    for loser, other in itertools.product(losers, set(range(driver.seats)) - losers):
        require(
            driver.ranks[loser] > driver.ranks[other],
            f"{where}: seat {loser} forfeited and is not behind seat {other}",
        )
