"""Runs a command several times beside processes that never rest, such as all tests or those of time.

    python -m benchmarks.beside_load [--busy N] [--runs N] COMMAND...

The busy processes (8) are in the session of the command, so each counts as much as one of its processes where
the kernel shares the processors between sessions first (sched_autogroup_enabled). Ends with one line for each
run: seconds, exit status, load average at its end. The exit status is 1 if any run failed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_HOG = "while kill -0 $PPID 2>/dev/null; do :; done"  # runs until this process ends


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
    """That many processes that never rest, in sessions of their own or in ours."""
    started = [
        subprocess.Popen(["sh", "-c", _HOG], start_new_session=own_sessions, stdin=subprocess.DEVNULL)
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
