"""A build inside a throw-away box: commands run one after another, then the files go out.

The result leaves as a bundle through a pipe whose writing end came with the request; the host reads
and checks it. By then no process of the build is left, so nothing changes under the packing.
"""

from __future__ import annotations

import os
import time

from . import bots, bundle, room, wire
from .kept import Kept, complains
from .setup import WORK

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from typing import Any

    from .keeper import Keeper

_LOG = 32 << 10  # bytes kept of the beginning, and of the end


def run(keeper: Keeper, fields: dict[str, Any], fds: list[int]) -> None:
    """Serve a `build` request: steps, limit_us, cap_us, most_files, most_bytes; answers ok, reason, log."""
    (result,) = fds
    log = Kept(_LOG)
    reason = _steps(keeper, fields, log)
    if not reason:
        reason = _pack(keeper, fields, result)
    os.close(result)
    wire.send(keeper.sock, {"ok": not reason, "reason": reason}, log.text())


def _steps(keeper: Keeper, fields: dict[str, Any], log: Kept) -> str:
    """Run the steps until one fails; why it did."""
    deadline = time.monotonic() + fields["limit_us"] / 1e6
    for step in fields["steps"]:
        words = " ".join(step)
        log.add(f"$ {words}\n".encode())
        left_us = int((deadline - time.monotonic()) * 1e6)
        reason = _step(keeper, step, max(left_us, 1), fields["cap_us"], log)
        if reason:
            return f"{words[:200]}: {reason}"
    return ""


def _step(keeper: Keeper, step: list[str], limit_us: int, cap_us: int, log: Kept) -> str:
    output = keeper.output_out
    try:
        with room.acting(keeper.uid):
            os.chdir(WORK)
        started = time.monotonic_ns()
        pid = bots.spawn(step, keeper.setup.environment, (keeper.null, output, output), keeper.uid)
    except OSError as error:
        return f"could not be started: {error.strerror}"
    said = Kept(_LOG)
    end = keeper.attend(pid, started, limit_us, cap_us, said, keeper.setup.output)
    log.add(said.text())
    if end["failed"] is None:
        return ""
    kind = "memory" if complains(said) else end["failed"][0]
    if kind == "timeout":
        return "took too long and was stopped"
    if kind == "flood":
        return f"printed more than {keeper.setup.output >> 20} MiB and was stopped"
    if kind == "memory":
        return "ran out of memory"
    return f"exited with status {end['exit']}" if end["exit"] >= 0 else f"killed by signal {-end['exit']}"


def _pack(keeper: Keeper, fields: dict[str, Any], result: int) -> str:
    try:
        with room.acting(keeper.uid), open(result, "wb", closefd=False) as out:
            bundle.pack(WORK, out, fields["most_files"], fields["most_bytes"])
    except bundle.BadBundle as error:
        return f"the result is not acceptable: {error}"
    except (OSError, RecursionError, UnicodeError) as error:
        return f"the result could not be read: {error}"
    return ""
