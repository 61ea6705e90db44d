"""Runs a command, such as all tests, several times beside busy-looping processes.

    python -m benchmarks.beside_load [--busy N] [--runs N] COMMAND...

There are N (8) busy processes, in the same session as the command: where the kernel shares the processors
between sessions first (sched_autogroup_enabled), each then gets as much as a process of the command. Finally
prints one line per run: seconds, exit status, load average at the end. The exit status is 1 if a run failed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_BUSY_LOOP = "while kill -0 $PPID 2>/dev/null; do :; done"  # runs until this process ends


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside_load")
    parser.add_argument("--busy", type=int, default=8)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("expected a command to run, got none")
    lines, failed = [], False
    with spinning(options.busy, own_sessions=False):
        for number in range(1, options.runs + 1):
            began = time.monotonic()
            status = subprocess.run(options.command, check=False).returncode
            took, load = time.monotonic() - began, os.getloadavg()[0]
            lines.append(f"run {number}: {took:.0f} s, exit status {status}, load {load:.0f}")
            failed = failed or status != 0
    print("\n".join(lines))
    return int(failed)


@contextmanager
def spinning(processes: int, *, own_sessions: bool) -> Iterator[None]:
    """Within the block, run this number of busy-looping processes, in sessions of their own or in ours."""
    started = [
        subprocess.Popen(["sh", "-c", _BUSY_LOOP], start_new_session=own_sessions, stdin=subprocess.DEVNULL)
        for _ in range(processes)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
