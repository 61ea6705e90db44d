"""A build: one session of a box that is opened for it and closed after it."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from sandbox.api import BuildRun, Limits, SandboxError
from sandbox.box import Box, Lost
from sandbox.inside import bundle

MOST_FILES = 4096


def build(box: Box, steps: Sequence[Sequence[str]], limits: Limits, seconds: float, result: Path) -> BuildRun:
    """Run `steps` in the box (opened on the source), write the files into `result`; closes the box."""
    started = time.monotonic()
    # The keeper writes into this file through its descriptor, within the limit on the size of files.
    with tempfile.TemporaryFile() as packed:
        try:
            session = box.session()
            try:
                answer, log = session.build(
                    steps, seconds, MOST_FILES, limits.work_mib << 20, packed.fileno()
                )
            except Lost as lost:
                answer, log = {"ok": False, "reason": lost.failed.reason}, b""
            session.close()
        finally:
            box.close()
        reason = answer["reason"]
        if answer["ok"]:
            packed.seek(0)
            reason = _unpack(packed, result, limits)
    text = log.decode("utf-8", "replace")
    return BuildRun(not reason, text, time.monotonic() - started, reason)


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
