"""Where a referee meets sandboxed players: one match, from warm boxes to its log.

Theory of operation.

Processes:
- The caller is a worker: one process, bound to one core, with a pool of warm boxes (on the command line, a
  worker process of its own). The referee runs in it, behind `games.core.driver`.
- Each seat gets its own box from the pool, even if the same artifact sits in two seats, and in it a session:
  a fresh identity and a clean work folder that no other seat and no earlier match can reach.
- `stdio`: one process per seat for the whole match. All are started, then each must print READY (where the
  game asks for it) within its time. An ask is written to all its seats before any answer is awaited. A seat
  that the driver retires is killed at once; one that was too late, but stays in play, is suspended until it
  is asked again. At the end inputs are closed and everything is killed.
- `function`: the same; the process is the game's adapter, which calls a Python function
  (agon.contest.adapters). An exception in it is a crash, although the process answers and keeps running.
- A seat may be at home (agon.contest.at_home): its bot runs on its author's machine, and only its lines come
  here. It has no box. It is asked before the boxes are, and awaited after them. Before that, bots in boxes
  that run although they are not asked are suspended, because the wait may be long.
- `program`: nothing runs between moves. For each move a bot is run to its end with the game's arguments and a
  file. How it ended is judged first, then whether the earlier contents of the file are still there, then what
  was appended. The first two are judged here, the appended text by the game.

Pipes:
- The sandbox passes bytes. A bot's answer is decoded as UTF-8, with invalid bytes escaped, and interpreted
  only by the game's own `move`. A line of more bytes than the game's longest answer (`answer_bytes` in its
  manifest) is a flood, whatever is in it; of what a program prints the rest is dropped.

Trust:
- The referee and the sandbox are trusted, bots are not: only their answers, as text, reach the driver.
  That of a bot at home is judged as that of a box is; its times are wall times.

Failure:
- Whatever a bot does is returned by the sandbox as a value and becomes that bot's fault.
- A failure of the platform ends the match without a result and raises PlatformFailure: a SandboxError (a box
  that was lost through no bot's fault, for example), or a referee that raises or takes longer than `match_s`.
  The match is played again, and the failure never counts against a bot.
- Once the match is over its result stands. A box that cannot be cleaned is discarded by the sandbox.
- A bot on trial (`on_trial`: the qualification of a submission) has failed with its first fault, and its
  author should not wait for more timeouts. From then on none of its seats is asked: its processes are killed,
  and the driver gets a crash instead. So the game's own policy decides how the match continues, and the
  record, which holds the reason, can be replayed like any other.
"""

import contextlib
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from agon.contest.archive.writer import RECORD, TIMES
from agon.contest.at_home import AtHome, HomePlayer, await_ready_at_home
from agon.contest.match_clock import MatchClock
from agon.contest.platform_failure import PlatformFailure, named_failures
from agon.contest.readiness import await_ready
from agon.contest.replies import FAILED_TRIAL, program_reply, stdio_reply
from games.core.driver import Driver, Reply, Request
from games.core.faults import FaultKind
from games.core.game import Invocation
from games.core.manifest import Channel, GameInfo
from games.core.match_log import MatchLog
from games.core.record import SeatInfo
from games.core.wording import clip
from sandbox.api import (
    Artifact,
    Failed,
    Limits,
    Line,
    Process,
    SandboxError,
    Session,
)
from sandbox.boxes.channel import exchange
from sandbox.boxes.pool import Pool
from sandbox.boxes.suspend import suspend_unasked
from sandbox.building.function_runner import ENTRY

LONGEST_SCORE = 60  # characters, for which sites have room: Seat.score
# Of a game's output: it becomes a part of an address.
_FILE_NAME = re.compile(r"(?!\.\.?$)[^/\\\x00-\x1f\x7f\ud800-\udfff]{1,100}")


class Player(NamedTuple):
    """A bot for a seat. submission: the digest that names it in the record, "" for the artifact's own."""

    name: str
    artifact: Artifact
    submission: str = ""


@dataclass
class Needed:
    """What a match has taken of its limits, as it was measured from outside of its bots.

    ready_us: by seat, of charged time until READY; absent where a game asks for none. peak_kib: by seat, of
    the largest process of its session; 0 if unknown. besides_s: of the match, without the time of its bots.
    """

    ready_us: dict[int, int]
    peak_kib: dict[int, int]
    besides_s: float = 0.0


class _Seats(NamedTuple):
    """The seats of one match. sessions: by seat. at_home: by seat, the bots that have no session.

    on_trial: the seats of a bot that fails with its first fault. functions: the seats of Python functions.
    seconds: by seat, the time that its bot and its box have taken, without the time of its answers.
    needed: is filled in.
    """

    sessions: Mapping[int, Session]
    at_home: Mapping[int, AtHome]
    on_trial: frozenset[int]
    functions: frozenset[int]
    seconds: list[float]
    needed: Needed


@dataclass(frozen=True)
class Played:
    """A finished match. stderr: by seat. files: the game's own output files. seconds: wall time.

    used: the worker's seconds by seat: the wall time, split by what each bot took; () if not measured.
    stderr_at: by seat, how many bytes of its standard error were there before each of its asks.
    needed: None if not measured.
    """

    log: MatchLog
    stderr: tuple[bytes, ...]
    files: Mapping[str, str]
    seconds: float
    used: tuple[float, ...] = ()
    stderr_at: tuple[tuple[int, ...], ...] = ()
    needed: Needed | None = None


def box_limits(info: GameInfo) -> Limits:
    """What the game's manifest lets a bot use: the limits for the pool that its matches are played with."""
    names = ("memory_mib", "processes", "work_mib", "output_bytes", "open_files")
    return Limits(**{name: getattr(info.limits, name) for name in names})


def play(
    info: GameInfo,
    players: Sequence[Player | HomePlayer],
    seed: int,
    pool: Pool,
    on_trial: frozenset[int] = frozenset(),
    began: Callable[[Driver], None] = lambda driver: None,
    longest_s: float = math.inf,
) -> Played:
    """Play one match; players by seat. on_trial: the seats of a bot that fails with its first fault.

    began: called once with the driver, whose lists may be read during the match. longest_s: the most that it
    may take, no matter which part takes the time.

    Raises PlatformFailure; ValueError for a bot at home in a game that runs a program for each move.
    """
    boxed = {seat: player for seat, player in enumerate(players) if isinstance(player, Player)}
    at_home = {seat: player.bot for seat, player in enumerate(players) if isinstance(player, HomePlayer)}
    if at_home and info.channel == Channel.PROGRAM:
        raise ValueError(f"{info.slug} runs a program for each move: no bot of it can be at home")
    with named_failures(info), MatchClock(info.limits.match_s, longest_s).interrupting():
        driver = Driver(info, len(players), seed)
    began(driver)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.monotonic()
    seat_seconds = [0.0] * len(players)
    needed = Needed({}, {})
    try:
        with named_failures(info):
            with _open_sessions(boxed, box_limits(info), pool, seat_seconds, needed) as sessions:
                functions = frozenset(n for n, player in boxed.items() if ENTRY in player.artifact.command)
                seats = _Seats(sessions, at_home, on_trial, functions, seat_seconds, needed)
                match_clock = MatchClock(info.limits.match_s, longest_s)
                with match_clock.interrupting():
                    _CHANNELS[info.channel](driver, seats, match_clock)
                    files = driver.files
                needed.besides_s = match_clock.used()
            seconds = round(time.monotonic() - clock, 6)
            infos = [SeatInfo(player.name, _submission(player)) for player in players]
            log = driver.log(infos, started, seconds)
            _check_storable(log, files)
    except PlatformFailure as failure:
        failure.used = _split_by_seat(time.monotonic() - clock, seat_seconds, driver)
        failure.asked = driver.waiting_for
        raise
    stderr = tuple(sessions[n].stderr if n in sessions else b"" for n in range(len(players)))
    stderr_at = tuple(sessions[n].stderr_at if n in sessions else () for n in range(len(players)))
    used = _split_by_seat(seconds, seat_seconds, driver)
    return Played(log, stderr, files, seconds, used, stderr_at, needed)


def _check_storable(log: MatchLog, files: Mapping[str, str]) -> None:
    """Refuse what no site can store or show. Not part of a replay: older records may have it."""
    for score in log.scores:
        if len(score) > LONGEST_SCORE:
            raise ValueError(f"expected scores of at most {LONGEST_SCORE} characters, got {score}")
    try:
        json.dumps(log.summary)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the summary is not JSON: {error}") from None
    for name in files:
        if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
            raise ValueError(f"expected names of files without slash, got {clip(repr(name))}")
        if name in (RECORD, TIMES):
            raise ValueError(f"{name} is the name of a file that every match has in an archive")


def _submission(player: Player | HomePlayer) -> str:
    """What names the program in the record; "" for a bot at home, which has handed in none."""
    return "" if isinstance(player, HomePlayer) else player.submission or player.artifact.digest


def _split_by_seat(seconds: float, seat_seconds: Sequence[float], driver: Driver) -> tuple[float, ...]:
    """The wall time, split in proportion to what each seat took to start, answer and be cleaned up."""
    weights = [max(part, 1e-6) for part in seat_seconds]
    for answered in driver.exchanges:
        weights[answered.seat] += (answered.charged_us or 0) / 1_000_000
    return tuple([seconds * weight / sum(weights) for weight in weights])


@contextlib.contextmanager
def _open_sessions(
    players: Mapping[int, Player], limits: Limits, pool: Pool, seat_seconds: list[float], needed: Needed
) -> Iterator[dict[int, Session]]:
    """Open a session for each player, by seat, in a box of its own; close it and return the box in any case.

    seat_seconds: the time that each seat's box takes is added to it. needed: gets the memory.
    """
    with contextlib.ExitStack() as stack:
        sessions = {}
        for seat, player in players.items():
            with _timed(seat_seconds, seat):
                box = pool.take(player.artifact, limits)
                stack.callback(pool.give, box)
                session = box.session()
                stack.callback(_close, session, seat_seconds, needed, seat)
                sessions[seat] = session
        yield sessions


def _close(session: Session, seat_seconds: list[float], needed: Needed, seat: int) -> None:
    # A box lost now is lost after the game: the sandbox discards it, and the result stands.
    with _timed(seat_seconds, seat), contextlib.suppress(SandboxError):
        needed.peak_kib[seat] = session.close().peak_kib


@contextlib.contextmanager
def _timed(seat_seconds: list[float], seat: int) -> Iterator[None]:
    clock = time.monotonic()
    try:
        yield
    finally:
        seat_seconds[seat] += time.monotonic() - clock


def _play_stdio(driver: Driver, seats: _Seats, clock: MatchClock) -> None:
    processes = {number: session.start() for number, session in seats.sessions.items()}
    ready_ms, limits = driver.info.limits.ready_ms, box_limits(driver.info)
    if ready_ms is not None:
        before = list(seats.seconds)
        late = await_ready(processes, ready_ms, clock, seats.seconds, seats.functions, limits)
        for seat in processes.keys() - late.keys():
            seats.needed.ready_us[seat] = round((seats.seconds[seat] - before[seat]) * 1e6)
        driver.start_faults(late | await_ready_at_home(seats.at_home, ready_ms, clock))
    stopped = _kill(processes, _seats_not_asked(driver, seats.on_trial))
    while pending := driver.pending:
        clock.check()
        with clock.stopped():
            answers = _ask(pending, processes, seats.at_home)
        driver.answer(
            {
                number: FAILED_TRIAL
                if number in stopped
                else stdio_reply(
                    answer, driver.info.limits.answer_bytes, limits if number in seats.functions else None
                )
                for number, answer in answers.items()
            }
        )
        if driver.faults:
            with clock.stopped():
                stopped |= _kill(processes, _seats_not_asked(driver, seats.on_trial) - stopped)
                _suspend_late(processes, answers, stopped)
    for process in processes.values():
        process.close_input()


def _ask(
    pending: Sequence[Request], processes: Mapping[int, Process], at_home: Mapping[int, AtHome]
) -> dict[int, Line | Failed]:
    """The answers by seat. All are asked before any is awaited."""
    away = [request for request in pending if request.seat in at_home] if at_home else []
    for away_request in away:
        at_home[away_request.seat].ask(
            away_request.step, _encoded_view(away_request), away_request.limit_ms / 1000
        )
    boxed = {
        request.seat: (processes[request.seat], _encoded_view(request), request.limit_ms / 1000)
        for request in pending
        if request.seat in processes
    }
    answers = exchange(boxed) if boxed else {}
    if away:
        suspend_unasked(())
    return answers | {request.seat: at_home[request.seat].answer() for request in away} if away else answers


def _seats_not_asked(driver: Driver, on_trial: frozenset[int]) -> frozenset[int]:
    """The seats that are no longer asked: those retired, and those of a bot that has failed its trial."""
    trial_failed = on_trial and any(fault.seat in on_trial for fault in driver.faults)
    return driver.retired | on_trial if trial_failed else driver.retired


def _kill(processes: Mapping[int, Process], seats: frozenset[int]) -> frozenset[int]:
    for seat in seats & processes.keys():
        processes[seat].kill()
    return seats


def _suspend_late(
    processes: Mapping[int, Process], answers: Mapping[int, Line | Failed], stopped: frozenset[int]
) -> None:
    """Suspend each bot that was too late but stays in play: it must not compute while others are asked."""
    for seat, answer in answers.items():
        if (
            isinstance(answer, Failed)
            and answer.kind == FaultKind.TIMEOUT
            and seat in processes.keys() - stopped
        ):
            processes[seat].suspend()


def _encoded_view(request: Request) -> bytes:
    assert isinstance(request.view, str)
    return _encoded(request.view)


def _encoded(text: str) -> bytes:
    """Surrogates, which a bot may have sent to a game that parses JSON, are escaped."""
    return text.encode("utf-8", "backslashreplace")


def _play_program(driver: Driver, seats: _Seats, clock: MatchClock) -> None:
    while driver.pending:
        clock.check()
        not_asked = _seats_not_asked(driver, seats.on_trial)
        driver.answer(
            {
                request.seat: FAILED_TRIAL
                if request.seat in not_asked
                else _run_program(
                    request, seats.sessions[request.seat], clock, driver.info.limits.answer_bytes
                )
                for request in driver.pending
            }
        )


def _run_program(request: Request, session: Session, clock: MatchClock, most: int) -> Reply:
    """One move. How the program ended is judged first; what it wrote, only if it ended well.

    most: the longest move, in bytes.
    """
    assert isinstance(request.view, Invocation)
    before = _encoded(request.view.file)
    with clock.stopped():
        ran = session.run(request.view.args, before, request.limit_ms / 1000)
    return program_reply(before, ran, most)


_CHANNELS: Mapping[Channel, Callable[[Driver, _Seats, MatchClock], None]] = {
    Channel.STDIO: _play_stdio,
    Channel.FUNCTION: _play_stdio,
    Channel.PROGRAM: _play_program,
}
