"""The interface of the sandbox: what callers pass in, what they get back, what every backend offers.

A Sandbox opens a Box (one artifact, warm, reused). A Box opens one Session at a time (one seat of one match:
nothing of an earlier session is left). A Session starts one Process for the whole match (`stdio`) or runs the
program again for each move (`program`).

Whatever a bot does is returned as a value (`Failed`). Only failures of the platform are raised, as
SandboxError: a match that meets one is played again and never counted against a bot.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from sandbox.reason import NO_REASON, Reason

CORE = "core"  # the family of languages that every sandbox offers


class SandboxError(Exception):
    """The platform failed, not a bot: there is no sandbox, or a box was lost through no fault of the bot."""


class LanguageMissing(SandboxError):
    """What runs bots of a language is not here: its image is not built, or its program is not installed.

    language: the slug, "" if it is not known. The message says what is missing.
    """

    def __init__(self, why: str, language: str = "") -> None:
        super().__init__(why)
        self.language = language


class MachineTooBusy(SandboxError):
    """The sandbox works, but this machine is too overloaded for what runs in it."""


@dataclass(frozen=True)
class Limits:
    """What one session (and all its processes together) may use."""

    memory_mib: int = 256
    processes: int = 64  # processes and threads
    work_mib: int = 64  # all writable folders together
    output_bytes: int = 1 << 20  # standard output of a whole match
    open_files: int = 256  # of one process; the runtime of R alone needs 167
    cpu_s: int | None = None  # CPU time of one process; None: only the time limits apply


@dataclass(frozen=True)
class Artifact:
    """A built submission: the folder `path` holds `files/` and `artifact.json`.

    `command` is run in the work folder, which holds the bot's files; "./x" is one of them.
    `python` names the entry file when the bot may be forked from the box's warm interpreter.
    `family` is the family of languages whose image its boxes are made from.
    """

    path: Path
    digest: str
    language: str
    command: tuple[str, ...]
    python: str | None = None
    family: str = CORE

    @property
    def files(self) -> Path:
        return self.path / "files"

    def save(self) -> None:
        """Write `artifact.json` beside `files/`."""
        facts = {name: value for name, value in asdict(self).items() if name != "path"}
        (self.path / "artifact.json").write_text(json.dumps(facts, sort_keys=True, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Artifact":
        """Read an artifact folder; SandboxError if it is not one."""
        try:
            facts = json.loads((path / "artifact.json").read_text())
            return cls(
                path=path,
                digest=str(facts["digest"]),
                language=str(facts["language"]),
                command=tuple(str(word) for word in facts["command"]),
                python=None if facts["python"] is None else str(facts["python"]),
                family=str(facts.get("family", CORE)),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SandboxError(f"{path} is not a built submission: {error}") from error


class Times(NamedTuple):
    """The times of one answer, in microseconds. A time limit is compared with `charged_us`.

    `wait_us`: the time in which the bot was ready to run but no processor was free. A bot that keeps several
    threads or children busy is charged all the CPU time that they used. `measured`: False for an answer that
    arrived before any counters were read; `cpu_us` and `wait_us` are then unknown, and 0.
    """

    wall_us: int = 0
    cpu_us: int = 0
    wait_us: int = 0
    measured: bool = True

    @property
    def charged_us(self) -> int:
        """The time that counts against the bot's limit, in microseconds."""
        return min(self.wall_us, max(self.wall_us - self.wait_us, self.cpu_us))


NO_TIMES = Times()


class Line(NamedTuple):
    """An answer: one line without its newline, truncated to 64 KiB."""

    text: bytes
    times: Times = NO_TIMES


@dataclass(frozen=True)
class Failed:
    """What a bot did wrong instead of answering. kind: timeout, crash, flood or memory."""

    kind: str
    reason: Reason  # for the bot's author
    times: Times = NO_TIMES
    rest: bytes = b""  # for a timeout: the beginning of an unfinished line
    # For the operator: what the host did meanwhile. Only for a timeout, or a sandbox that did not answer.
    host: str = ""


@dataclass(frozen=True)
class ProgramRun:
    """One run of a program. `failed` is set for timeout, crash (a nonzero exit), flood and memory."""

    failed: Failed | None
    exit: int  # exit status; minus the signal that killed it
    stdout: bytes
    file: bytes | None  # its content afterwards; None: gone, or no longer a regular file
    times: Times


@dataclass(frozen=True)
class Usage:
    """What a session used: CPU time, peak memory (0 if unknown)."""

    cpu_us: int
    peak_kib: int


@dataclass(frozen=True)
class BuildRun:
    """A build in a box of its own. `log`: both outputs of all steps, truncated in the middle."""

    ok: bool
    log: str
    seconds: float
    reason: Reason = NO_REASON  # for the author, if not ok


class Process(Protocol):
    """A bot that plays a whole match over its standard input and output. See sandbox.boxes.channel."""

    def close_input(self) -> None: ...

    def suspend(self) -> None:
        """Stop the bot until it is asked again. If it turns out to have run meanwhile, it has failed."""
        ...

    def kill(self) -> None: ...


class Session(Protocol):
    """One seat of one match, in a box that shows nothing of earlier sessions."""

    @property
    def stderr(self) -> bytes:
        """The first and the last 32 KiB of the bot's standard error. Complete after close()."""
        ...

    @property
    def stderr_at(self) -> tuple[int, ...]:
        """How many bytes of `stderr` the bot had written before each ask or run. Complete after close()."""
        ...

    def start(self) -> Process:
        """Start the bot for a whole match. Once per session, and not together with run()."""
        ...

    def run(self, args: Sequence[str], file: bytes | None, seconds: float) -> ProgramRun:
        """Run the bot once, to its end, for one move.

        `file` is written first, and its path, the same for the whole session, is the first argument; None:
        there is no such argument. Processes that the run leaves behind are killed before this returns.
        """
        ...

    def close(self) -> Usage:
        """Kill everything of this session and wipe it.

        If that does not succeed at once, or the box is lost, the box is closed, and what the session has used
        is unknown (zeros). Closing a second time does nothing.
        """
        ...


class Box(Protocol):
    """One artifact, warm, reused; one session at a time. A box that has failed is never alive again."""

    @property
    def alive(self) -> bool: ...

    @property
    def kib(self) -> int:
        """The memory of the box while no session is open, as measured when it was opened."""
        ...

    @property
    def missing(self) -> str:
        """The program that the bot's command names, if there is none of that name here; else ""."""
        ...

    def session(self) -> Session: ...

    def close(self) -> None: ...


class Sandbox(Protocol):
    name: str  # "docker" or "bubblewrap"

    def image(self, family: str) -> str:
        """Identifies what the boxes of a family of languages are made from. It changes when that does.

        Raises LanguageMissing, and SandboxError.
        """
        ...

    def lacks(self, program: str) -> bool:
        """Whether boxes that are open, too, have no program of this name any more. False of a path."""
        ...

    def open(self, artifact: Artifact, limits: Limits) -> Box: ...

    def build(
        self,
        source: Path,
        steps: Sequence[Sequence[str]],
        limits: Limits,
        seconds: float,
        result: Path,
        family: str = CORE,
    ) -> BuildRun:
        """Run `steps` on a copy of the folder `source` in a box of its own, one after another.

        All steps together get `seconds`. If all end with status 0, the files that are then in the folder are
        written into `result`, an empty or missing folder: regular files and folders only.
        """
        ...

    def remove_leftovers(self) -> None:
        """Remove what dead workers left on this machine, and what could not be removed before.

        Raises SandboxError if the sandbox does not work at the moment.
        """
        ...

    def close(self) -> None: ...
