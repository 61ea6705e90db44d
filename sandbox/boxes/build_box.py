"""A build: one session of a box that is opened for it and closed after it."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from sandbox.api import BuildRun, Limits, SandboxError
from sandbox.boxes.box import Box, Session, SessionLost
from sandbox.boxes.runs import NotStarted, Runs
from sandbox.inside import bundle, wire
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory

MOST_FILES = 4096
_LOG = 32 << 10  # bytes kept of the beginning, and of the end, of what it prints


def build(box: Box, steps: Sequence[Sequence[str]], limits: Limits, seconds: float, result: Path) -> BuildRun:
    """Run `steps` in the box (opened on the source), write the files into `result`; closes the box."""
    started = time.monotonic()
    log = HeadTail(_LOG)
    # The spawner writes into this file through its descriptor, within the limit on the size of files.
    with tempfile.TemporaryFile() as packed:
        try:
            session = box.session()
            try:
                runs = session.runs(packed.fileno())
                reason = _steps(runs, steps, limits, started + seconds, log)
                if not reason:
                    reason = runs.pack(MOST_FILES, limits.work_mib << 20)
            except SessionLost as lost:
                reason = lost.failed.reason
            except wire.Closed:
                reason = _lost(session)
            session.close()
        finally:
            box.close()
        if not reason:
            packed.seek(0)
            reason = _unpack(packed, result, limits)
    text = log.text().decode("utf-8", "replace")
    return BuildRun(not reason, text, time.monotonic() - started, reason)


def _lost(session: Session) -> str:
    """What a build did to the process that runs its steps. Raises SandboxError if all of it was ended."""
    session.check_box_alive()
    return "ended the process that runs its steps"


def _steps(runs: Runs, steps: Sequence[Sequence[str]], limits: Limits, deadline: float, log: HeadTail) -> str:
    """Run the steps until one fails; why it did, "" if none has."""
    for step in steps:
        words = " ".join(step)
        log.add(f"$ {words}\n".encode())
        left_us = max(1, int((deadline - time.monotonic()) * 1e6))
        reason = _step(runs, step, left_us, limits.output_bytes, log)
        if reason:
            return f"{words[:200]}: {reason}"
    return ""


def _step(runs: Runs, step: Sequence[str], left_us: int, most: int, log: HeadTail) -> str:
    said = HeadTail(_LOG)
    try:
        ended = runs.run_to_end(step, None, left_us, said, most)
    except NotStarted as error:
        return f"could not be started: {error}"
    log.add(said.text())
    if not ended.failed:
        return ""
    if ended.failed == "memory" or reports_out_of_memory(said):
        return "ran out of memory"
    if ended.failed == "timeout":
        return "took too long and was stopped"
    if ended.failed == "flood":
        return f"printed more than {most >> 20} MiB and was stopped"
    return f"exited with status {ended.exit}" if ended.exit >= 0 else f"killed by signal {-ended.exit}"


def _unpack(packed: BinaryIO, result: Path, limits: Limits) -> str:
    """Take the files out, checking them as what they are: untrusted. Why not, in words."""
    try:
        result.mkdir(parents=True, exist_ok=True)
        bundle.unpack(packed, str(result), MOST_FILES, limits.work_mib << 20)
    except bundle.BadBundle as error:
        return f"the result is not acceptable: {error}"
    except (FileExistsError, NotADirectoryError) as error:
        return f"the result is not acceptable: {error.strerror}"
    except OSError as error:
        raise SandboxError(f"the result of a build could not be written: {error}") from error
    return ""


def size(folder: Path) -> int:
    """Bytes that the files of a folder take in memory, generously."""
    return sum(8192 + path.lstat().st_size for path in folder.rglob("*"))
