"""Where a referee meets sandboxed players: one match, from warm boxes to a finished record.

Theory of operation. The caller is a worker: one process, bound to one core, with a pool of warm boxes (or the
command line's own such process). For each seat a box of its own is taken from the pool, also when the same
artifact sits in two seats, and in it a session is opened: a fresh identity and a clean work folder that no
other seat and no earlier match can reach. The referee runs here, behind `games.core.driver`, in plain Python;
bots are asked what the driver says is pending, and only their answers, as text, go back into it.

- `stdio`: one process a seat for the whole match. All are started, then each must say READY (where the game
  asks for it) within its time. An ask is written to all seats concerned before any answer is awaited. A seat
  that the driver retires is killed at once. At the end inputs are closed and everything is killed.
- `function`: the same; the process is the game's adapter, which calls a Python function (contest.adapters).
- `program`: nothing runs between moves. A bot is run to its end for each move, with the game's arguments and
  a file; what became of the file is judged here in the order of rules/coup.md section 8 (ended badly or late,
  then contents changed or gone, then what was appended), and the game judges the appended text.

A bot on trial (`tried`: the qualification of a submission) has failed with its first fault, and its author
should not wait for the next ones, ten seconds each where a turn takes that long. From then on it is not asked
any more, in any of its seats: its processes are killed, and what the driver hears is that it has crashed. So
the game's own policy says how the match goes on, and the record, which says why, can be played again like
any other.

Who is trusted: the referee and the sandbox. A bot's bytes are decoded as UTF-8 with what is none escaped, cut
to what a record can bear, and never interpreted by anything but the game's own `move`.

What happens on failure. Whatever a bot does comes back from the sandbox as a value and becomes that bot's
fault. What the platform fails to do (SandboxError, which also is a box that was lost by no bot's doing; a
referee that raises; a match beyond its `match_s`) ends the match without a
result: PlatformFailure, to be played again, never counted against a bot. Once the match is over nothing can
take its result away: a box that cannot be cleaned any more is thrown away by the sandbox, and that is all.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from contest.match_clock import MatchClock
from games.core.driver import Driver, Reply, Request
from games.core.game import Invocation, Json
from games.core.manifest import GameInfo
from games.core.record import Record, SeatInfo
from games.core.wording import quoted
from sandbox.api import Artifact, Failed, Limits, Line, Process, ProgramRun, SandboxError, Session, Times
from sandbox.boxes.channel import await_lines, exchange
from sandbox.boxes.pool import Pool

MOST_APPENDED = 4096  # bytes that a program's move can have; shorter ones the game judges
MOST_STDOUT = 4096  # bytes of a program's standard output that are kept, without the white space around it


class PlatformFailure(Exception):
    """The match has no result and nobody is to blame but the platform; str(e) says what failed.

    used: seconds of the worker by seat, as in Played; () where nothing was measured.
    """

    used: tuple[float, ...] = ()


class Player(NamedTuple):
    """Who sits down. submission: the digest that names it in the record, "" for the artifact's own."""

    name: str
    artifact: Artifact
    submission: str = ""


@dataclass(frozen=True)
class Played:
    """A finished match. stderr: by seat. files: the game's own output files. seconds: wall time.

    used: seconds of the worker by seat: the wall time, split as the bots have caused it; () if not measured.
    """

    record: Record
    stderr: tuple[bytes, ...]
    files: Mapping[str, str]
    seconds: float
    used: tuple[float, ...] = ()


def box_limits(info: GameInfo) -> Limits:
    """What the game's manifest lets a bot use: the limits of the pool that its matches are played with."""
    limits = info.limits
    return Limits(
        memory_mib=limits.memory_mib,
        processes=limits.processes,
        work_mib=limits.work_mib,
        output_bytes=limits.output_bytes,
        open_files=limits.open_files,
    )


def play(
    info: GameInfo,
    players: Sequence[Player],
    seed: int,
    pool: Pool,
    tried: frozenset[int] = frozenset(),
) -> Played:
    """Play one match; players by seat. tried: the seats of a bot that may make no fault.

    Raises PlatformFailure; ValueError for a wrong number of players.
    """
    driver = Driver(info, len(players), seed)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.monotonic()
    caused = [0.0] * len(players)
    try:
        with _seated(players, box_limits(info), pool, caused) as sessions:
            _CHANNELS[info.channel](driver, sessions, MatchClock(info.limits.match_s), tried, caused)
    except Exception as error:
        _leave_if_told_to(error)
        failure = _failure(info, error)
        failure.used = _split(time.monotonic() - clock, caused, driver)
        if failure is error:
            raise
        raise failure from error
    seconds = round(time.monotonic() - clock, 6)
    infos = [SeatInfo(player.name, player.submission or player.artifact.digest) for player in players]
    stderr = tuple(session.stderr for session in sessions)
    used = _split(seconds, caused, driver)
    return Played(driver.record(infos, started, seconds), stderr, driver.files, seconds, used)


def _failure(info: GameInfo, error: Exception) -> PlatformFailure:
    if isinstance(error, PlatformFailure):
        return error
    known = isinstance(error, SandboxError)
    return PlatformFailure(str(error) if known else f"playing {info.slug} failed: {error!r}")


def _split(seconds: float, caused: Sequence[float], driver: Driver) -> tuple[float, ...]:
    """The wall time by seat: in proportion to what its bot took to start, to answer and to be cleaned up."""
    weights = [max(part, 1e-6) for part in caused]
    for turn in driver.turns:
        weights[turn.seat] += max(0, turn.wall_us - turn.wait_us) / 1_000_000
    return tuple([seconds * weight / sum(weights) for weight in weights])


def _leave_if_told_to(error: BaseException | None) -> None:
    """Raise the SystemExit or KeyboardInterrupt on whose way out this error came up, if there is one.

    Either can come in the middle of anything, so that what was half done cannot be undone. That is no match
    to be played again.
    """
    while error is not None:
        if not isinstance(error, Exception):
            raise error
        error = error.__context__


@contextlib.contextmanager
def _seated(
    players: Sequence[Player], limits: Limits, pool: Pool, caused: list[float]
) -> Iterator[list[Session]]:
    """A box and an open session for each player; closed and given back whatever happens.

    caused: what each seat's own box takes is added to it, in seconds.
    """
    with contextlib.ExitStack() as stack:
        sessions = []
        for seat, player in enumerate(players):
            with _timed(caused, seat):
                box = pool.take(player.artifact, limits)
                stack.callback(pool.give, box)
                session = box.session()
                stack.callback(_close, session, caused, seat)
                sessions.append(session)
        yield sessions


def _close(session: Session, caused: list[float], seat: int) -> None:
    # A box that is lost now is lost after the game: the sandbox throws it away, the result stands.
    with _timed(caused, seat), contextlib.suppress(SandboxError):
        session.close()


@contextlib.contextmanager
def _timed(caused: list[float], seat: int) -> Iterator[None]:
    clock = time.monotonic()
    try:
        yield
    finally:
        caused[seat] += time.monotonic() - clock


def _play_stdio(
    driver: Driver,
    sessions: Sequence[Session],
    clock: MatchClock,
    tried: frozenset[int],
    caused: list[float],
) -> None:
    processes = {number: session.start() for number, session in enumerate(sessions)}
    ready_ms = driver.info.limits.ready_ms
    if ready_ms is not None:
        driver.start_faults(_await_ready(processes, ready_ms, clock, caused))
    stopped = _stop(processes, _given_up(driver, tried))
    while driver.pending:
        _check_time(clock)
        answers = exchange(
            {
                request.seat: (processes[request.seat], _lines(request), request.limit_ms / 1000)
                for request in driver.pending
            }
        )
        clock.credit(answer.times for answer in answers.values())
        driver.answer(
            {
                number: _FAILED_TRIAL if number in stopped else _spoken(answer)
                for number, answer in answers.items()
            }
        )
        stopped |= _stop(processes, _given_up(driver, tried) - stopped)
    for process in processes.values():
        process.close_input()


def _await_ready(
    processes: Mapping[int, Process], ready_ms: int, clock: MatchClock, caused: list[float]
) -> dict[int, tuple[str, str]]:
    """Wait until every process has said READY: any case, trimmed, other lines before it skipped.

    Returns {seat: (kind, reason)} of those that did not within `ready_ms` of charged time.
    """
    left = dict.fromkeys(processes, ready_ms / 1000)
    said = dict.fromkeys(processes, b"")
    faults: dict[int, tuple[str, str]] = {}
    while left:
        _check_time(clock)
        answers = await_lines({number: (processes[number], seconds) for number, seconds in left.items()})
        clock.credit(answer.times for answer in answers.values())
        for number, answer in answers.items():
            took = answer.times.charged_us / 1_000_000
            left[number] -= took
            caused[number] += took
            if isinstance(answer, Failed):
                faults[number] = (answer.kind, _not_ready(answer, ready_ms, said[number]))
                del left[number]
            elif answer.text.strip().upper() == b"READY":
                del left[number]
            elif left[number] <= 0:
                late = Failed("timeout", "", answer.times)
                faults[number] = (late.kind, _not_ready(late, ready_ms, said[number]))
                del left[number]
            else:
                said[number] = answer.text
    return faults


def _not_ready(failed: Failed, ready_ms: int, said: bytes) -> str:
    """said: the last line that came, in words of the bot's own why it will not be ready."""
    expected = f"expected a line READY within {ready_ms} ms of the start"
    if failed.rest.strip().upper() == b"READY":
        return f"{expected}; READY came without a newline at its end, so it is not a line yet"
    if failed.kind == "timeout":
        rest = _text(failed.rest)
        return (
            f"{expected}; {quoted(rest)} came, without a newline" if rest else f"{expected}; it did not come"
        )
    words = f" after {quoted(_text(said), 120)}" if said else ""
    return f"{expected}; {failed.reason}{words}"


def _given_up(driver: Driver, tried: frozenset[int]) -> frozenset[int]:
    """The seats whose bots are asked no more: those retired, and those of a bot that has failed its trial."""
    failed = tried and any(fault.seat in tried for fault in driver.faults)
    return driver.retired | tried if failed else driver.retired


def _stop(processes: Mapping[int, Process], retired: frozenset[int]) -> frozenset[int]:
    for number in retired:
        processes[number].kill()
    return retired


def _spoken(answer: Line | Failed) -> Reply:
    if isinstance(answer, Failed):
        begun = f"; {quoted(_text(answer.rest))} came, without a newline" if answer.rest else ""
        return _reply(None, answer.times, (answer.kind, answer.reason + begun))
    return _reply(_text(answer.text), answer.times)


def _lines(request: Request) -> bytes:
    assert isinstance(request.view, str)
    return request.view.encode()


def _play_program(
    driver: Driver,
    sessions: Sequence[Session],
    clock: MatchClock,
    tried: frozenset[int],
    caused: list[float],
) -> None:
    while driver.pending:
        _check_time(clock)
        given_up = _given_up(driver, tried)
        driver.answer(
            {
                request.seat: _FAILED_TRIAL
                if request.seat in given_up
                else _run(request, sessions[request.seat], clock)
                for request in driver.pending
            }
        )


def _run(request: Request, session: Session, clock: MatchClock) -> Reply:
    """One move. How the program ended is judged first, what it wrote only if it ended well."""
    assert isinstance(request.view, Invocation)
    before = request.view.file.encode()
    ran = session.run(request.view.args, before, request.limit_ms / 1000)
    clock.credit([ran.times])
    if ran.failed is not None:
        return _reply(None, ran.times, (ran.failed.kind, ran.failed.reason))
    return _reply(_written(before, ran), ran.times)


def _written(before: bytes, ran: ProgramRun) -> Json:
    """What became of the file, for the game to judge."""
    if ran.file is None:
        return {"changed": "it is gone, no longer a regular file, or far too large"}
    if not ran.file.startswith(before):
        return {"changed": f"what it held ({len(before)} bytes) is no longer there"}
    appended = ran.file[len(before) :]
    if len(appended) > MOST_APPENDED:
        start = quoted(_text(appended[:40]))
        begun = f"{len(appended)} bytes were appended, which begin {start}"
        return {"changed": f"{begun}; no move is longer than {MOST_APPENDED}"}
    return {"appended": _text(appended), "stdout": _text(ran.stdout.strip()[:MOST_STDOUT])}


def _check_time(clock: MatchClock) -> None:
    if clock.over:
        raise PlatformFailure("the match took longer than its match_s: the machine is too busy")


def _reply(raw: Json, times: Times, fault: tuple[str, str] | None = None) -> Reply:
    return Reply(raw, fault, times.wall_us, times.cpu_us, times.wait_us)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


_FAILED_TRIAL = Reply(None, ("crash", "it was stopped: it is on trial and had made a fault"))
_CHANNELS: Mapping[
    str, Callable[[Driver, Sequence[Session], MatchClock, frozenset[int], list[float]], None]
] = {
    "stdio": _play_stdio,
    "function": _play_stdio,
    "program": _play_program,
}
