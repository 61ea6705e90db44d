"""A match log: everything that happened in a match, step by step, for pages, viewers and checks.

The driver makes it while a match is played, and again whenever its record is replayed. So normally it is not
stored: the record and the times of the first run (timing.py) are enough to derive it.
"""

import dataclasses
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.record import BadRecord, Record, RecordedFault, SeatInfo
from games.core.timing import SeatTiming, Timing

FORMAT = 2  # of its JSON, see match_log_json.py


class Exchange(NamedTuple):
    """One seat's question and answer. step: the number of the ask, from 0.

    sent: the text sent (stdio, function) or {"args": [...]} (program; the file is all appended texts,
    joined). reply: the raw reply, None when there was none. fault: what was wrong with it, if anything.
    wall_us, cpu_us, wait_us: microseconds, None where they were not read; what is charged is wall less wait.
    host: for a timeout, what the host did meanwhile.
    """

    step: int
    kind: str
    seat: int
    sent: Json
    reply: Json
    fault: FaultCause | None
    wall_us: int | None = None
    cpu_us: int | None = None
    wait_us: int | None = None
    host: str = ""

    @property
    def charged_us(self) -> int | None:
        """The time that counted against the bot's limit, in microseconds."""
        return None if self.wall_us is None else max(0, self.wall_us - (self.wait_us or 0))


@dataclass(frozen=True)
class MatchLog:
    """One match. scores: exact numbers as text ("12", "7/2"). started: ISO time or "". seconds: wall time.

    faults: with the position in the game. summary: the game's account of the end.
    frame_steps: for each frame the ask that led to it, -1 before the first; () in a log that was read from
    JSON, which does not hold it.
    """

    game: str
    version: str
    seed: int
    seats: tuple[SeatInfo, ...]
    exchanges: tuple[Exchange, ...]
    frames: tuple[dict[str, Json], ...]
    faults: tuple[RecordedFault, ...]
    scores: tuple[str, ...]
    ranks: tuple[int, ...]
    summary: dict[str, Json]
    started: str = ""
    seconds: float = 0.0
    frame_steps: tuple[int, ...] = dataclasses.field(default=(), compare=False)

    @property
    def is_over(self) -> bool:
        """False for the log of a match that is still being played, as spectators see it: see public.py."""
        return bool(self.scores)

    @property
    def record(self) -> Record:
        """The record from which all of this follows, except the times."""
        answers: list[list[Json]] = [[] for _ in self.seats]
        faults = [fault for fault in self.faults if fault.kind == FaultKind.START]
        for exchange in self.exchanges:
            answers[exchange.seat].append(exchange.reply)
            fault = exchange.fault
            if fault is not None and fault.kind != FaultKind.ILLEGAL:  # replays find illegal moves again
                faults.append(RecordedFault(exchange.seat, fault.kind, exchange.step, fault.reason))
        return Record(
            game=self.game,
            version=self.version,
            seed=self.seed,
            seats=self.seats,
            answers=tuple(map(tuple, answers)),
            faults=tuple(faults),
            scores=self.scores,
        )

    @property
    def timing(self) -> Timing:
        """The times of all answers and of the match."""
        seats = []
        for number in range(len(self.seats)):
            own = [exchange for exchange in self.exchanges if exchange.seat == number]
            wall = tuple([exchange.wall_us or 0 for exchange in own])
            cpu, wait = (
                column if any(value is not None for value in column) else ()
                for column in (
                    tuple([exchange.cpu_us for exchange in own]),
                    tuple([exchange.wait_us for exchange in own]),
                )
            )
            host = tuple([exchange.host for exchange in own])
            seats.append(SeatTiming(wall, cpu, wait, host if any(host) else ()))
        return Timing(tuple(seats), self.started, self.seconds)


def check_fits(timing: Timing, record: Record) -> None:
    """Raises BadRecord unless there is exactly one time for each answer."""
    expected, got = (
        [len(answers) for answers in record.answers],
        [len(seat.wall_us) for seat in timing.seats],
    )
    if expected != got:
        raise BadRecord(f"seats: expected times of {expected} answers by seat, got {got}")


def timed(log: MatchLog, timing: Timing) -> MatchLog:
    """Return `log` with the times of the recorded run. Raises BadRecord if they are of another match."""
    check_fits(timing, log.record)
    columns = [zip_longest(seat.wall_us, seat.cpu_us, seat.wait_us, seat.host) for seat in timing.seats]
    exchanges = []
    for exchange in log.exchanges:
        wall, cpu, wait, host = next(columns[exchange.seat])
        exchanges.append(exchange._replace(wall_us=wall, cpu_us=cpu, wait_us=wait, host=host or ""))
    return dataclasses.replace(
        log, exchanges=tuple(exchanges), started=timing.started, seconds=timing.seconds
    )
