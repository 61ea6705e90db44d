"""The driver: the only caller of a Game, and the one place where fault policy is applied.

It does no I/O and has no clock. Its callers have bots (the arena) or a record (replay) and loop:

    driver = Driver(info, seats, seed)
    driver.start_faults({2: FaultCause(...)})     # when some bots could not be started
    while driver.pending:
        driver.answer({request.seat: Reply(...) for request in driver.pending})

An ask is sent to all its seats at once, and all its replies are judged together: first each seat's reply,
then policy is applied to all faults of the ask, so that no seat gains from being judged first. A
fault whose policy is to forfeit or disqualify ends the match. A retired seat is never pending again; from
then on the driver makes default moves for it. If all seats of an ask are retired, nothing becomes pending.

A fault is reported from outside (the arena saw a timeout, a crash) as Reply.fault, or by the game as Illegal.
Only the former is input: replay feeds replies and outside faults, and derives illegal moves again. A bot that
crashed but sent a reply is still running (a Python function raised an exception), so it is not retired. A
game that raises any other exception than Illegal, or needs a default that it does not define, is broken: the
exception propagates, and the match has no result.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from games.core.faults import OUTSIDE_KINDS, FaultCause, FaultKind, Policy
from games.core.game import Ask, Illegal, Invocation, Json, Score
from games.core.manifest import Channel, GameInfo, referee
from games.core.match_log import Exchange, MatchLog
from games.core.ranks import ranks
from games.core.reason import Reason
from games.core.reason_texts import named
from games.core.record import RecordedFault, SeatInfo, is_score
from games.core.wording import clip

_ENDING_POLICIES = (Policy.FORFEIT, Policy.DISQUALIFY)
_SURROGATE = re.compile("[\ud800-\udfff]")

__all__ = ["Driver", "RecordedFault", "Reply", "Request"]


class Request(NamedTuple):
    """What one seat is asked. step: the ask's number, from 0. limit_ms: charged milliseconds to answer."""

    seat: int
    step: int
    kind: str
    view: str | Invocation
    limit_ms: int


class Reply(NamedTuple):
    """A seat's answer. raw: see Game.move; None where a fault left no answer.

    fault: why there is no reply to judge; its kind is one of OUTSIDE_KINDS. If there is a raw reply as well,
    the bot still runs and can be asked again. Times in microseconds, None where they were not read.
    host: for a timeout, what the host did meanwhile.
    """

    raw: Json
    fault: FaultCause | None = None
    wall_us: int | None = None
    cpu_us: int | None = None
    wait_us: int | None = None
    host: str = ""


class Driver:
    """One match. Raises ValueError for replies that it did not ask for."""

    def __init__(self, info: GameInfo, seats: int, seed: int) -> None:
        if not info.min_seats <= seats <= info.max_seats:
            raise ValueError(f"{info.slug} has {info.min_seats} to {info.max_seats} seats, not {seats}")
        self.info = info
        self.seats = seats
        self.seed = seed
        self.retired: frozenset[int] = frozenset()
        self.exchanges: list[Exchange] = []
        self.faults: list[RecordedFault] = []
        self.scores: tuple[Fraction, ...] = ()
        self.ranks: tuple[int, ...] = ()
        self.summary: dict[str, Json] = {}
        self.frame_steps: list[int] = []
        self._game = referee(info)(seats, seed)
        self._play = self._game.play()
        self._all_seats = tuple(range(seats))
        self._step = -1
        self._ask: Ask | None = None
        self._asked: Sequence[int] = ()
        self._pending: tuple[Request, ...] = ()
        self._over = False

    def start_faults(self, faults: Mapping[int, FaultCause]) -> None:
        """Report bots that could not be started, by seat. Call at most once, before `pending` is first read.

        The cause's kind is what the arena saw (timeout, crash, ...); the fault's kind is START.
        """
        if self._step >= 0 or self._over or self.faults:
            raise ValueError("start faults are reported once, before the first ask")
        for seat in sorted(faults):
            if seat not in self._all_seats:
                raise ValueError(f"no seat {seat}")
            self.faults.append(RecordedFault(seat, FaultKind.START, 0, _bounded(faults[seat].reason)))
        self._apply_policy({fault.seat: self.info.faults[fault.kind] for fault in self.faults})

    @property
    def pending(self) -> tuple[Request, ...]:
        """The current ask, without retired seats; () when the match is over."""
        if self._step < 0 and not self._over:
            self._advance(None)
        return self._pending

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats of the current ask; () before `pending` was first read. It runs no code of the game."""
        return tuple(request.seat for request in self._pending)

    @property
    def finished(self) -> bool:
        """True when the match is over: scores, ranks and summary are there."""
        return not self.pending

    @property
    def dated_frames(self) -> tuple[list[dict[str, Json]], list[int]]:
        """The frames so far, with the ask that led to each. Safe to read from another thread."""
        steps = self.frame_steps[:]
        return self._game.frames[: len(steps)], steps

    @property
    def frames(self) -> list[dict[str, Json]]:
        """The frames so far."""
        return self._game.frames

    @property
    def files(self) -> dict[str, str]:
        """The game's own output files, in characters that files take: a bot may have sent others."""
        files = self._game.files()
        if not isinstance(files, Mapping) or not all([isinstance(text, str) for text in files.values()]):
            raise TypeError(f"{self.info.slug}: expected files as text, by name, got {clip(repr(files))}")
        return {name: _SURROGATE.sub("\ufffd", text) for name, text in files.items()}

    def answer(self, replies: Mapping[int, Reply]) -> None:
        """Take the replies of exactly the pending seats."""
        pending = self.pending
        if len(replies) != len(pending) or not all([request.seat in replies for request in pending]):
            expected = [request.seat for request in pending]
            raise ValueError(f"expected replies of seats {expected}, got {sorted(replies)}")
        moves: dict[int, Any] = {}
        policies: dict[int, Policy] = {}
        for request in pending:
            reply = replies[request.seat]
            fault = None
            if reply.fault is not None:
                fault = _checked_outside_fault(reply.fault)
            else:
                try:
                    moves[request.seat] = self._game.move(request.seat, reply.raw)
                except Illegal as illegal:
                    fault = FaultCause(FaultKind.ILLEGAL, self._named(illegal.reason))
            self.exchanges.append(_exchange(request, reply, fault))
            if fault is not None:
                self.faults.append(self._recorded_fault(request, fault))
                policies[request.seat] = self._policy(fault.kind, reply.raw is not None)
        if policies:
            self._apply_policy(policies)
        if not self._over:
            self._advance(self._with_default_moves(moves))

    def log(self, seats: Sequence[SeatInfo], started: str = "", seconds: float = 0.0) -> MatchLog:
        """The finished match. started: ISO time; seconds: wall time of the match."""
        if not self.finished:
            raise ValueError("the match is not over")
        return MatchLog(
            game=self.info.slug,
            version=self.info.version,
            seed=self.seed,
            seats=tuple(seats),
            exchanges=tuple(self.exchanges),
            frames=tuple(self.frames),
            faults=tuple(self.faults),
            scores=tuple([str(score) for score in self.scores]),
            ranks=self.ranks,
            summary=self.summary,
            started=started,
            seconds=seconds,
            frame_steps=tuple(self.frame_steps),
        )

    def _recorded_fault(self, request: Request, cause: FaultCause) -> RecordedFault:
        kind, reason = cause
        if position := self._game.position():
            reason = Reason("at", position=self._named(position), reason=reason)
        return RecordedFault(request.seat, kind, request.step, reason)

    def _named(self, reason: Reason) -> Reason:
        return _bounded(named(self._game, reason))

    def _policy(self, kind: FaultKind, answered: bool) -> Policy:
        """What follows from a fault. A bot that crashed but answered still runs: it need not be retired."""
        policy = self.info.faults[kind]
        if policy == Policy.RETIRE and answered:
            return self.info.faults[FaultKind.ILLEGAL]
        return policy

    def _apply_policy(self, policies: Mapping[int, Policy]) -> None:
        """Retire, or end the match, for all faults of one ask together. policies: by seat."""
        self.retired |= {seat for seat, policy in policies.items() if policy == Policy.RETIRE}
        losers = frozenset(seat for seat, policy in policies.items() if policy in _ENDING_POLICIES)
        if losers:
            self._play.close()
            self._finish(self._game.forfeited(losers))

    def _with_default_moves(self, moves: dict[int, Any]) -> dict[int, Any]:
        """The moves of every seat asked, in the ask's order; defaults where there is none."""
        if len(moves) == len(self._asked):
            return moves
        return {seat: moves[seat] if seat in moves else self._default_move(seat) for seat in self._asked}

    def _default_move(self, seat: int) -> Any:
        assert self._ask is not None
        default = self._ask.default
        if default is None:
            raise TypeError(f"{self.info.slug}: the ask {self._ask.kind!r} needs a default, for policy")
        return default(seat) if callable(default) else default

    def _advance(self, moves: dict[int, Any] | None) -> None:
        """Give the game its moves, and continue until a seat is pending or the game is over."""
        while True:
            try:
                ask = self._play.send(moves) if moves is not None else next(self._play)
            except StopIteration as stop:
                self._date_frames()
                self._finish(stop.value)
                return
            self._date_frames()
            self._step += 1
            self._ask = self._checked_ask(ask)
            self._asked = self._all_seats if ask.seats is None else ask.seats
            limit = self.info.limits.turn_ms
            self._pending = tuple(
                [
                    Request(seat, self._step, ask.kind, self._view(seat), limit)
                    for seat in self._asked
                    if seat not in self.retired
                ]
            )
            if self._pending:
                return
            moves = self._with_default_moves({})

    def _checked_ask(self, ask: object) -> Ask:
        if not isinstance(ask, Ask):
            raise TypeError(f"{self.info.slug}: expected `play` to yield an Ask, got {clip(repr(ask))}")
        if ask.seats is not None:
            seats = ask.seats
            if not isinstance(seats, Collection) or len(seats) != len({*seats} & {*self._all_seats}):
                raise TypeError(
                    f"{self.info.slug}: the seats of an Ask are some of 0 to {self.seats - 1}, each once,"
                    f" such as (0,); the ask {clip(repr(ask.kind))} has {clip(repr(seats))}"
                )
        return ask

    def _view(self, seat: int) -> str | Invocation:
        view = self._game.view(seat)
        expected = Invocation if self.info.channel == Channel.PROGRAM else str
        if not isinstance(view, expected):
            words = "an Invocation" if expected is Invocation else "text"
            raise TypeError(f"{self.info.slug}: expected a view that is {words}, got {clip(repr(view))}")
        return view

    def _date_frames(self) -> None:
        """Note for each new frame which ask led to it; -1 for those before the first ask."""
        new = len(self._game.frames) - len(self.frame_steps)
        if new:
            self.frame_steps += [self._step] * new

    def _finish(self, scores: Sequence[Score]) -> None:
        if not isinstance(scores, Sequence):  # the keys of {seat: score} would be taken for scores
            raise TypeError(f"{self.info.slug}: expected a list of scores, by seat, got {clip(repr(scores))}")
        if len(scores) != self.seats:
            raise TypeError(f"{self.info.slug}: expected {self.seats} scores, got {len(scores)}")
        if not all(isinstance(score, int | Fraction) for score in scores):
            raise TypeError(f"{self.info.slug}: scores are int or Fraction, never {scores!r}")
        self.scores = tuple(Fraction(score) for score in scores)
        if too_long := [text for text in map(str, self.scores) if not is_score(text)]:
            raise ValueError(
                f"{self.info.slug}: expected scores of at most 40 digits, and as many below the line,"
                f" got {clip(too_long[0])}"
            )
        self.ranks = ranks(self.scores)
        self.summary = {
            _storable_text(name): _storable(fact, self.info.slug)
            for name, fact in self._game.summary().items()
        }
        self._pending = ()
        self._over = True


def _storable(fact: Json, game: str) -> Json:
    """A fact of a summary, whose texts, which a bot may have sent, have only characters that databases take.

    Raises TypeError for a number that JSON does not have: no site could store the result.
    """
    if isinstance(fact, str):
        return _storable_text(fact)
    if isinstance(fact, dict):
        return {_storable_text(name): _storable(inner, game) for name, inner in fact.items()}
    if isinstance(fact, list | tuple):
        return [_storable(inner, game) for inner in fact]
    if isinstance(fact, float) and not math.isfinite(fact):
        raise TypeError(f"{game}: a number in a summary is finite, never {fact}")
    return fact


def _storable_text(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text.replace("\0", "\ufffd"))


def _checked_outside_fault(cause: FaultCause) -> FaultCause:
    if cause.kind not in OUTSIDE_KINDS:
        raise ValueError(f"a reply's fault is one of {', '.join(OUTSIDE_KINDS)}, not {cause.kind}")
    return cause._replace(reason=_bounded(cause.reason))


def _bounded(reason: Reason) -> Reason:
    """The reason with every text in it on one line of readable length."""
    return reason.map(text=clip)


def _exchange(request: Request, reply: Reply, fault: FaultCause | None) -> Exchange:
    seat, step, kind, view, _ = request
    sent: Json = view if isinstance(view, str) else {"args": list(view.args)}
    times = reply.wall_us, reply.cpu_us, reply.wait_us
    return Exchange(step, kind, seat, sent, reply.raw, fault, *times, reply.host)
