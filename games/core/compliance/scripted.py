"""Matches without processes: scripted players for tests, benchmarks and the compliance suite."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from games.core.driver import Driver, Reply, Request
from games.core.game import Game, Json
from games.core.manifest import GameInfo, referee

Player: TypeAlias = Callable[[Request], Json]
Place: TypeAlias = tuple[int, int]
Replies: TypeAlias = Mapping[int, Mapping[int, Json]]


class Stage(NamedTuple):
    """A game that waits for the answers to its ask number `ask`; nobody has been shown a view yet."""

    ask: int
    seats: Sequence[int]
    game: Game


def play(
    info: GameInfo,
    players: Sequence[Player],
    seed: int,
    faults: Mapping[Place, tuple[str, str]] | None = None,
    start: Mapping[int, tuple[str, str]] | None = None,
    watch: Callable[[Driver], None] = lambda driver: None,
) -> Driver:
    """Play a match to its end. players: by seat.

    faults: {(ask, seat): (kind, reason)} strike instead of the player's reply. start: as start_faults.
    watch is called after every answer. An exception of the game gets a note that says where it was.
    """
    struck = faults or {}
    asks = 0
    try:
        driver = Driver(info, len(players), seed)
        if start:
            driver.start_faults(start)
        while driver.pending:
            replies = {}
            for request in driver.pending:
                fault = struck.get((request.turn, request.seat))
                replies[request.seat] = Reply(None, fault) if fault else Reply(players[request.seat](request))
            driver.answer(replies)
            asks += 1
            watch(driver)
    except Exception as error:
        error.add_note(f"seed {seed}, after {asks} asks" if asks else f"seed {seed}, before the first answer")
        raise
    return driver


def stages(info: GameInfo, seats: int, seed: int, replies: Replies) -> Iterator[Stage]:
    """Drive the game itself through recorded legal replies, {ask: {seat: raw}}, pausing before each answer.

    Whoever iterates calls `view` of every seat asked, once, as a driver would.
    """
    game = referee(info)(seats, seed)
    running = game.play()
    moves = None
    for number in itertools.count():
        try:
            ask = next(running) if moves is None else running.send(moves)
        except StopIteration:
            return
        asked = range(seats) if ask.seats is None else ask.seats
        yield Stage(number, asked, game)
        moves = {seat: game.move(seat, replies[number][seat]) for seat in asked}
