"""`make bench`: measures Agon against bare controllers, and the cost of a match, a box and a worker.

    python -m benchmarks [--write] [NAME...]

Here and in the other files, `python` is `.venv/bin/python`. Measures the figures with these names, by default
all, on every sandbox that works on this machine. --write keeps the figures of a full run in
benchmarks/results, from which `make docs` makes tables; use it on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Callable, Iterator

from agon.cli.output import CommandError
from benchmarks import coup, honest_rps, memory, overhead, parts, referees, samurai, workers
from benchmarks.measure import Line
from benchmarks.report import Table, machine, save, shown, summary, table
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox

FIGURES: dict[str, Callable[[str], Iterator[Line]]] = {
    "coup": coup.lines,
    "samurai": samurai.lines,
    "honest_rps": honest_rps.lines,
    "parts": parts.lines,
    "overhead": overhead.lines,
    "workers": workers.lines,
    "memory": memory.lines,
}
REFEREES = "referees"  # needs no sandbox, and has a table of its own


def main() -> None:
    options = arguments()
    names = options.names or [*FIGURES, REFEREES]
    print(machine(), flush=True)
    load = f"load {os.getloadavg()[0]:.1f} before the run"
    tables = {
        sandbox: list(measure(sandbox, [name for name in names if name != REFEREES]))
        for sandbox in (backends() if names != [REFEREES] else ())
    }
    alone: list[tuple[str, ...]] = []
    if REFEREES in names:
        print("\nreferees alone", flush=True)
        for row in referees.rows():
            print("  ".join(row), flush=True)
            alone.append(row)
    lines = [line for of_table in tables.values() for line in of_table]
    print(f"\n{summary(lines)} Load when done: {os.getloadavg()[0]:.1f}.")
    if options.write:
        save("bench", "make bench", load, {name: table(of_table) for name, of_table in tables.items()})
        conditions = "scripted moves, one core, without bots and sandboxes"
        save("referees", "make bench ONLY=referees", conditions, {REFEREES: Table(referees.COLUMNS, alone)})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*FIGURES, REFEREES]))
    parser.add_argument("--write", action="store_true", help="keep the figures in benchmarks/results")
    options = parser.parse_args()
    unknown = set(options.names) - {*FIGURES, REFEREES}
    if unknown:
        parser.error(f"expected of {', '.join([*FIGURES, REFEREES])}; got {', '.join(sorted(unknown))}")
    if options.write and options.names:
        parser.error("--write is for a run of all figures: name none")
    return options


def backends() -> list[str]:
    """The sandboxes that work here; prints why the others do not."""
    names = []
    for name in ("bubblewrap", "docker"):
        try:
            open_sandbox(name).close()
            names.append(name)
        except SandboxError as error:
            print(f"without {name}: {error}", flush=True)
    return names


def measure(sandbox: str, names: list[str]) -> Iterator[Line]:
    """Measure the figures, and print and yield the line of each. If one fails, its line says so."""
    for name in names:
        print(f"\n{name}, {sandbox}", flush=True)
        try:
            for line in FIGURES[name](sandbox):
                print(shown(line), flush=True)
                yield line
        except (SandboxError, CommandError, RuntimeError, subprocess.CalledProcessError) as error:
            line = Line(f"{name} could not be measured: {error}", "", "", "", False, "", "")
            print(shown(line), flush=True)
            yield line


if __name__ == "__main__":
    main()
