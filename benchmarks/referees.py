"""Measures how fast the referees are: matches of scripted seats, without processes, on one core.

First, matches of the scripted bots in each game's checks.py are recorded, so that choosing moves is not
measured. Then their replies are played back for SECONDS, in two ways:

    rules     the game alone: play, view and move (games.core.compliance.scripted.stages)
    match     through the driver, as in the arena: requests, fault policy, the steps of the record
              (games.core.compliance.scripted.play)

Seconds are processor time. The fastest of RUNS runs counts, because it was disturbed least.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from games.core.compliance.checks import GameUnderTest, game_under_test
from games.core.compliance.scripted import play, stages
from games.core.driver import Request
from games.core.game import Json
from games.core.manifest import all_games

MATCHES = 20
SECONDS = 1.0
RUNS = 3
# The units of games that are not measured in matches, and how many of them a match has.
UNITS = {"honest_rps": ("rounds", 250)}


class Recorded(NamedTuple):
    seed: int
    replies: dict[int, dict[int, Json]]
    steps: int


COLUMNS = ("game", "unit", "rules per second", "whole matches per second", "steps per match")


def main() -> None:
    for row in (COLUMNS, *rows()):
        print(f"{row[0]:<20}{row[1]:<9}{row[2]:>18}{row[3]:>26}{row[4]:>17}", flush=True)


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Measure each game on one core: a row of COLUMNS."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for info in all_games():
        game = game_under_test(info)
        recorded = [record(game, seed) for seed in range(MATCHES)]
        unit, times = UNITS.get(info.slug, ("matches", 1))
        rules, match = (times * speed(way, game, recorded) for way in (by_rules, by_driver))
        steps = sum(log.steps for log in recorded) / MATCHES
        yield info.slug, unit, f"{rules:,.0f}", f"{match:,.0f}", f"{steps:.1f}"


def record(game: GameUnderTest, seed: int) -> Recorded:
    """Play a match of the game's scripted bots; returns their replies."""
    seats = game.info.max_seats
    players = [game.player(random.Random(f"{seed} {seat}")) for seat in range(seats)]
    replies: dict[int, dict[int, Json]] = {}
    for exchange in play(game.info, players, seed).exchanges:
        replies.setdefault(exchange.step, {})[exchange.seat] = exchange.reply
    return Recorded(seed, replies, len(replies))


def speed(
    way: Callable[[GameUnderTest, Recorded], None], game: GameUnderTest, recorded: Sequence[Recorded]
) -> float:
    """Matches per second."""
    return max(run(way, game, recorded) for _ in range(RUNS))


def run(
    way: Callable[[GameUnderTest, Recorded], None], game: GameUnderTest, recorded: Sequence[Recorded]
) -> float:
    began = time.process_time()
    matches = 0
    while time.process_time() - began < SECONDS:
        for match in recorded:
            way(game, match)
        matches += len(recorded)
    return matches / (time.process_time() - began)


def by_rules(game: GameUnderTest, match: Recorded) -> None:
    for stage in stages(game.info, game.info.max_seats, match.seed, match.replies):
        for seat in stage.seats:
            stage.game.view(seat)


def by_driver(game: GameUnderTest, match: Recorded) -> None:
    def player(request: Request) -> Json:
        return match.replies[request.step][request.seat]

    play(game.info, [player] * game.info.max_seats, match.seed)


if __name__ == "__main__":
    main()
