"""Measures how the time of a match is divided among sandbox and bots, the referee, and the record.

Each match is played. Then its replies are fed to the referee again, without bots (through the driver, as in
the arena), and its record is written again. The rest of its time is that of sandbox and bots.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from benchmarks import coup, samurai
from benchmarks.house import House, files, house
from benchmarks.measure import Line, at_most, one_core
from games.core.driver import Driver, Reply
from games.core.match_log import MatchLog

MATCHES = 30


def lines(sandbox: str) -> Iterator[Line]:
    pairs = [coup.scheduled(match, len(coup.PYTHON_BOTS)) for match in range(MATCHES)]
    fours = [samurai.seats(match, len(samurai.PYTHON_BOTS)) for match in range(MATCHES)]
    with one_core(), house("coup", files("coup", *coup.PYTHON_BOTS), sandbox) as agon:
        yield measure_parts("Coup, Python bots: a match", agon, pairs)
    with one_core(), house("samurai", files("samurai", *samurai.PYTHON_BOTS), sandbox) as agon:
        yield measure_parts("Samurai, Python bots: a match", agon, fours)
    with one_core(), house("honest_rps", files("honest_rps", "stone.py"), sandbox) as agon:
        yield measure_parts("HRPS, trivial functions: a match", agon, [(0, 0)] * MATCHES)


def measure_parts(what: str, agon: House, matches: Sequence[Sequence[int]]) -> Line:
    match_ms, refereeing, writing = [], 0.0, 0.0
    for seed, seats in enumerate(matches):
        began = time.perf_counter()
        log = agon.play(seats, seed)
        played = time.perf_counter()
        replay_referee(agon, log)
        judged = time.perf_counter()
        agon.write(log)
        writing += time.perf_counter() - judged
        refereeing += judged - played
        match_ms.append(1000 * (played - began))
    total = sum(match_ms) / 1000
    rest = total - refereeing - writing
    shares = (
        f"sandbox and bots {rest / total:.0%}, referee {refereeing / total:.0%}, record {writing / total:.0%}"
    )
    return at_most(what, None, match_ms, "ms", shares)


def replay_referee(agon: House, log: MatchLog) -> None:
    replies = {(exchange.step, exchange.seat): Reply(exchange.reply) for exchange in log.exchanges}
    driver = Driver(agon.info, len(log.seats), log.seed)
    while driver.pending:
        driver.answer({request.seat: replies[request.step, request.seat] for request in driver.pending})
