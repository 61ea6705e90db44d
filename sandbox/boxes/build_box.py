"""A build: one session of a box that is opened for it and closed after it."""

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from sandbox.api import BuildRun, Limits, SandboxError
from sandbox.boxes.agent_link import SessionLost
from sandbox.boxes.box import Box, BoxSession
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.runs import NotStarted, RunResult, Runs
from sandbox.hints import describe_memory, with_hint
from sandbox.inside import bundle, wire
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory
from sandbox.reason import NO_REASON, Reason

MOST_FILES = 4096
_LOG = 32 << 10  # bytes kept of the beginning, and of the end, of its output


def build(box: Box, steps: Sequence[Sequence[str]], limits: Limits, seconds: float, result: Path) -> BuildRun:
    """Run `steps` in a box that was opened on the source, write the files into `result`, close the box."""
    started = time.monotonic()
    log = HeadTail(_LOG)
    # The spawner writes into this file through its descriptor, within the limit on file sizes.
    with tempfile.TemporaryFile() as packed:
        try:
            session = box.session()
            try:
                runs = session.runs(packed.fileno())
                reason = _run_steps(runs, steps, limits, seconds, log)
                if not reason:
                    reason = _pack(runs, packed, limits.work_mib << 20)
            except SessionLost as lost:
                reason = lost.failed.reason
            except wire.Closed:
                reason = _spawner_ended(session)
            session.close()
        finally:
            box.close()
        if not reason:
            packed.seek(0)
            reason = _unpack(packed, result, limits)
    text = log.text().decode("utf-8", "replace")
    return BuildRun(not reason, text, time.monotonic() - started, reason)


def _pack(runs: Runs, packed: BinaryIO, most: int) -> Reason:
    """Have what the build left written into `packed`; why that failed, or NO_REASON.

    Raises SandboxError if the disk of this host has no room for `most` bytes: that may be why, and no build
    brings it about.
    """
    reason = runs.pack(MOST_FILES, most)
    if reason:
        disk = os.fstatvfs(packed.fileno())
        if disk.f_bavail * disk.f_frsize < most:
            raise SandboxError("the result of a build could not be written: No space left on device")
    return reason


def _spawner_ended(session: BoxSession) -> Reason:
    """The build has ended the process that runs its steps. Raises SandboxError if that came from outside."""
    session.link.check_box()
    return Reason("spawner_ended")


def _run_steps(
    runs: Runs, steps: Sequence[Sequence[str]], limits: Limits, seconds: float, log: HeadTail
) -> Reason:
    """Run the steps until one fails, within `seconds` of charged time in all; why it failed, or NO_REASON."""
    left_us = int(seconds * 1e6)
    for step in steps:
        words = " ".join(step)
        log.add(f"$ {words}\n".encode())
        reason, charged_us = _run_step(runs, step, max(1, left_us), limits, log)
        if reason:
            return Reason("step_failed", command=words[:200], why=reason)
        left_us -= charged_us
    return NO_REASON


def _run_step(
    runs: Runs, step: Sequence[str], left_us: int, limits: Limits, log: HeadTail
) -> tuple[Reason, int]:
    """Why the step failed (NO_REASON if it did not), and the microseconds that it is charged."""
    output = HeadTail(_LOG)
    try:
        result = runs.run_to_end(step, None, left_us, output, limits.output_bytes)
    except NotStarted as error:
        return with_hint(Reason("step_not_started", why=str(error)), f"{step[0]}: {error}", limits), 0
    log.add(output.text())
    return _failure(result, output, limits), result.times.charged_us


def _failure(result: RunResult, output: HeadTail, limits: Limits) -> Reason:
    if not result.failed:
        return NO_REASON
    if result.failed == "memory" or reports_out_of_memory(output):
        return describe_memory(limits.memory_mib)
    if result.failed == "timeout":
        return Reason("step_too_slow")
    if result.failed == "flood":
        return Reason("step_printed_too_much", most=limits.output_bytes >> 20)
    return with_hint(describe_exit(result.exit), output.text().decode("utf-8", "replace"), limits)


def _unpack(packed: BinaryIO, result: Path, limits: Limits) -> Reason:
    """Unpack the files, which are untrusted, into `result`; why that failed, or NO_REASON."""
    try:
        result.mkdir(parents=True, exist_ok=True)
        bundle.unpack(packed, str(result), MOST_FILES, limits.work_mib << 20)
    except bundle.BadBundle as error:
        return Reason("result_bad", why=str(error))
    except (FileExistsError, NotADirectoryError) as error:
        return Reason("result_bad", why=error.strerror or "")
    except OSError as error:
        raise SandboxError(f"the result of a build could not be written: {error}") from error
    return NO_REASON
