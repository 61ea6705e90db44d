"""The driver: the only caller of a Game, and the one place where fault policy is applied.

It does no I/O and has no clock. Whoever has bots (the arena) or a record (replay) loops

    driver = Driver(info, seats, seed)
    driver.start_faults({2: ("timeout-like words", ...)})     # when some could not be started
    while driver.pending:
        driver.answer({request.seat: Reply(...) for request in driver.pending})

An ask goes out to all its seats at once and comes back whole: every seat's reply is judged, then policy is
applied to all faults of the ask together, so that no seat gains from being looked at first. A seat whose
fault forfeits ends the match; a retired seat gets the ask's default move then and ever after and is never
pending again; an ask that nobody living is left to answer is answered inside, with defaults.

A fault comes from outside (the arena saw a time-out, a crash) as Reply.fault, or from the game as Illegal.
Only the former is input: replay feeds replies and outside faults, and derives illegal moves again.
A game that raises anything but Illegal, or wants a default it does not name, is broken: the exception
passes through, and the match has no result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from games.core.game import Ask, Illegal, Invocation, Json, Score
from games.core.manifest import GameInfo, referee
from games.core.ranks import ranks
from games.core.record import FAULT_KINDS, Fault, Record, SeatInfo, Turn
from games.core.wording import cut

_OUTSIDE_KINDS = frozenset(FAULT_KINDS) - {"start", "illegal"}
_ENDING = ("forfeit", "disqualify")

__all__ = ["Driver", "Fault", "Reply", "Request"]


class Request(NamedTuple):
    """What one seat is asked. turn: the ask's number, from 0. limit_ms: charged milliseconds to answer."""

    seat: int
    turn: int
    kind: str
    view: str | Invocation
    limit_ms: int


class Reply(NamedTuple):
    """What came back. raw: see Game.move; None beside a fault when there was nothing.

    fault: (kind, reason) when the bot failed before a reply could be judged; kind is timeout, crash, flood
    or memory. Times in microseconds.
    """

    raw: Json
    fault: tuple[str, str] | None = None
    wall_us: int = 0
    cpu_us: int = 0
    wait_us: int = 0


class Driver:
    """One match. Raises ValueError when it is fed what it did not ask for."""

    def __init__(self, info: GameInfo, seats: int, seed: int) -> None:
        if not info.min_seats <= seats <= info.max_seats:
            raise ValueError(f"{info.slug} has {info.min_seats} to {info.max_seats} seats, not {seats}")
        self.info = info
        self.seats = seats
        self.seed = seed
        self.retired: frozenset[int] = frozenset()
        self.turns: list[Turn] = []
        self.faults: list[Fault] = []
        self.scores: tuple[Fraction, ...] = ()
        self.ranks: tuple[int, ...] = ()
        self.facts: dict[str, Json] = {}
        self._game = referee(info)(seats, seed)
        self._play = self._game.play()
        self._everyone = tuple(range(seats))
        self._turn = -1
        self._ask: Ask | None = None
        self._asked: Sequence[int] = ()
        self._pending: tuple[Request, ...] = ()
        self._over = False

    def start_faults(self, faults: Mapping[int, tuple[str, str]]) -> None:
        """Bots that never came up: {seat: (kind, reason)}. Once, before the first look at `pending`.

        kind is what the arena saw (timeout, crash, ...) and only words; the fault's kind is `start`.
        """
        if self._turn >= 0 or self._over or self.faults:
            raise ValueError("start faults come once, before the first ask")
        for seat in sorted(faults):
            if seat not in self._everyone:
                raise ValueError(f"no seat {seat}")
            self.faults.append(Fault(seat, "start", 0, cut(faults[seat][1])))
        self._apply_policy(self.faults)

    @property
    def pending(self) -> tuple[Request, ...]:
        """The current ask, without retired seats; () when the match is over."""
        if self._turn < 0 and not self._over:
            self._advance(None)
        return self._pending

    @property
    def finished(self) -> bool:
        """True when the match is over: scores, ranks and facts are there."""
        return not self.pending

    @property
    def frames(self) -> list[dict[str, Json]]:
        return self._game.frames

    @property
    def files(self) -> dict[str, str]:
        """The game's own output files."""
        return self._game.files()

    def answer(self, replies: Mapping[int, Reply]) -> None:
        """The replies of exactly the pending seats."""
        pending = self.pending
        if len(replies) != len(pending) or any(request.seat not in replies for request in pending):
            expected = [request.seat for request in pending]
            raise ValueError(f"expected replies of seats {expected}, came {sorted(replies)}")
        moves: dict[int, Any] = {}
        faults: list[Fault] = []
        for request in pending:
            reply = replies[request.seat]
            fault = None
            if reply.fault is not None:
                fault = _outside(reply.fault)
            else:
                try:
                    moves[request.seat] = self._game.move(request.seat, reply.raw)
                except Illegal as illegal:
                    fault = ("illegal", cut(str(illegal)))
            self.turns.append(_turn(request, reply, fault))
            if fault is not None:
                faults.append(self._fault(request, fault))
        if faults:
            self.faults += faults
            self._apply_policy(faults)
        if not self._over:
            self._advance(self._complete(moves))

    def record(self, seats: Sequence[SeatInfo], started: str = "", seconds: float = 0.0) -> Record:
        """The finished match's record. started: ISO time; seconds: wall time of the match."""
        if not self.finished:
            raise ValueError("the match is not over")
        return Record(
            game=self.info.slug,
            version=self.info.version,
            seed=self.seed,
            seats=tuple(seats),
            turns=tuple(self.turns),
            frames=tuple(self.frames),
            faults=tuple(self.faults),
            scores=tuple(str(score) for score in self.scores),
            ranks=self.ranks,
            facts=self.facts,
            started=started,
            seconds=seconds,
        )

    def _fault(self, request: Request, fault: tuple[str, str]) -> Fault:
        kind, reason = fault
        moment = self._game.moment()
        return Fault(request.seat, kind, request.turn, cut(f"{moment}: {reason}" if moment else reason))

    def _apply_policy(self, faults: Sequence[Fault]) -> None:
        """Retire, or end the match, for all faults of one ask together."""
        policy = self.info.faults
        self.retired |= {fault.seat for fault in faults if policy[fault.kind] == "retire"}
        losers = frozenset(fault.seat for fault in faults if policy[fault.kind] in _ENDING)
        if losers:
            self._play.close()
            self._finish(self._game.forfeited(losers))

    def _complete(self, moves: dict[int, Any]) -> dict[int, Any]:
        """The moves of every seat asked, in the ask's order: defaults for whoever gave none."""
        if len(moves) == len(self._asked):
            return moves
        return {seat: moves[seat] if seat in moves else self._default(seat) for seat in self._asked}

    def _default(self, seat: int) -> Any:
        assert self._ask is not None
        default = self._ask.default
        if default is None:
            raise TypeError(f"{self.info.slug}: the ask {self._ask.kind!r} needs a default, for policy")
        return default(seat) if callable(default) else default

    def _advance(self, moves: dict[int, Any] | None) -> None:
        """Give the game its moves, and go on until somebody is asked or the game is over."""
        while True:
            try:
                ask = self._play.send(moves) if moves is not None else next(self._play)
            except StopIteration as stop:
                self._finish(stop.value)
                return
            self._turn += 1
            self._ask = ask
            self._asked = self._everyone if ask.seats is None else ask.seats
            limit = self.info.limits.turn_ms
            self._pending = tuple(
                [
                    Request(seat, self._turn, ask.kind, self._game.view(seat), limit)
                    for seat in self._asked
                    if seat not in self.retired
                ]
            )
            if self._pending:
                return
            moves = self._complete({})

    def _finish(self, scores: Sequence[Score]) -> None:
        if len(scores) != self.seats:
            raise TypeError(f"{self.info.slug}: expected {self.seats} scores, came {len(scores)}")
        if not all(isinstance(score, int | Fraction) for score in scores):
            raise TypeError(f"{self.info.slug}: scores are int or Fraction, never {scores!r}")
        self.scores = tuple(Fraction(score) for score in scores)
        self.ranks = ranks(self.scores)
        self.facts = self._game.facts()
        self._pending = ()
        self._over = True


def _outside(fault: tuple[str, str]) -> tuple[str, str]:
    kind, reason = fault
    if kind not in _OUTSIDE_KINDS:
        raise ValueError(f"a reply's fault is one of {sorted(_OUTSIDE_KINDS)}, not {kind!r}")
    return kind, cut(reason)


def _turn(request: Request, reply: Reply, fault: tuple[str, str] | None) -> Turn:
    seat, turn, kind, view, _ = request
    sent: Json = view if isinstance(view, str) else {"args": list(view.args)}
    return Turn(turn, kind, seat, sent, reply.raw, fault, reply.wall_us, reply.cpu_us, reply.wait_us)
