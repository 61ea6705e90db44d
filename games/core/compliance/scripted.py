"""Matches without processes: scripted players for tests, benchmarks and the compliance suite."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from games.core.driver import Driver, Reply, Request
from games.core.faults import FaultCause
from games.core.game import Game, Json
from games.core.manifest import GameInfo, referee

Player: TypeAlias = Callable[[Request], Json]
SeatStep: TypeAlias = tuple[int, int]  # step, seat
Replies: TypeAlias = Mapping[int, Mapping[int, Json]]


class Stage(NamedTuple):
    """A game that waits for the answers to ask number `step`; no seat has been shown a view yet."""

    step: int
    seats: Sequence[int]
    game: Game


def play(
    info: GameInfo,
    players: Sequence[Player],
    seed: int,
    faults: Mapping[SeatStep, FaultCause] | None = None,
    start: Mapping[int, FaultCause] | None = None,
    watch: Callable[[Driver], None] = lambda driver: None,
) -> Driver:
    """Play a match to its end. players: by seat.

    faults: by step and seat, reported instead of the player's reply. start: see Driver.start_faults.
    watch is called after every answer. An exception of the game gets a note that says when it was raised.
    """
    injected = faults or {}
    steps = 0
    try:
        driver = Driver(info, len(players), seed)
        if start:
            driver.start_faults(start)
        while driver.pending:
            replies = {}
            for request in driver.pending:
                fault = injected.get((request.step, request.seat))
                replies[request.seat] = Reply(None, fault) if fault else Reply(players[request.seat](request))
            driver.answer(replies)
            steps += 1
            watch(driver)
    except Exception as error:
        error.add_note(
            f"seed {seed}, after {steps} steps" if steps else f"seed {seed}, before the first answer"
        )
        raise
    return driver


def stages(info: GameInfo, seats: int, seed: int, replies: Replies) -> Iterator[Stage]:
    """Drive the game itself through recorded legal replies, {step: {seat: raw}}, pausing before each answer.

    The caller calls `view` of every seat asked, once, as a driver would.
    """
    game = referee(info)(seats, seed)
    running = game.play()
    moves = None
    for step in itertools.count():
        try:
            ask = next(running) if moves is None else running.send(moves)
        except StopIteration:
            return
        asked = range(seats) if ask.seats is None else ask.seats
        yield Stage(step, asked, game)
        moves = {seat: game.move(seat, replies[step][seat]) for seat in asked}
