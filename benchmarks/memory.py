"""Measures the memory of a warm Python box, and how many boxes fit into 4 GiB, by opening BOXES of them.

Two sums over all processes of a box (the agent, and its parent: bwrap, or the shim of a container):

    PSS   private pages, and a proportional part of shared pages: the cost of one more box, by which 4 GiB are
          divided
    RSS   all pages, so that a shared page counts in full for every box

Both are read from /proc/<pid>/smaps_rollup, which requires root. Neither includes the kernel's own memory for
a box (page tables, namespaces, files in memory). The decrease of MemAvailable does, but it also includes
whatever else happened on the machine.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import docker  # type: ignore[import-untyped]

from agon.supervisor.children import descendants
from benchmarks.house import House, house
from benchmarks.measure import Line, at_most, number, one_core
from sandbox.leftovers import this_process

BOXES = 50
WORKER_MIB = 4096


def lines(sandbox: str) -> Iterator[Line]:
    with one_core(), tempfile.TemporaryDirectory() as folder:
        bot = Path(folder, "bot.py")
        bot.write_text("import sys\nsys.stdin.read()\n")
        with house("samurai", [bot], sandbox) as agon:
            agon.pool.close()
            yield from measure_boxes(agon)


def measure_boxes(agon: House) -> Iterator[Line]:
    available = mib_available()
    boxes = []
    try:
        for _ in range(BOXES):
            boxes.append(agon.pool.sandbox.open(agon.players[0].artifact, agon.pool.limits))
        pss, rss = (mib(kind, box_pids(agon.pool.sandbox.name)) / BOXES for kind in ("Pss", "Rss"))
        taken = (available - mib_available()) / BOXES
    finally:
        for box in boxes:
            box.close()
    yield at_most(f"A warm Python box, PSS ({BOXES} open)", 40, [pss], "MiB", f"{number(rss)} MiB RSS")
    yield at_most("... by the fall of MemAvailable", None, [taken], "MiB")
    # Not positive if other processes have freed memory.
    by_available = f"{WORKER_MIB / taken:.0f} by MemAvailable" if taken > 0 else ""
    yield Line(
        "Warm Python boxes in 4 GiB, by PSS", f"{WORKER_MIB / pss:.0f}", "", "", None, "", by_available
    )


def box_pids(sandbox: str) -> list[int]:
    """Every process of every box that this process has open."""
    if sandbox == "bubblewrap":
        return descendants(os.getpid())
    pids = []
    with closing(docker.from_env()) as client:
        for container in client.containers.list():
            if any(this_process() in value for value in container.labels.values()):
                shim = parent(container.attrs["State"]["Pid"])
                pids += [shim, *descendants(shim)]
    return pids


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def mib(kind: str, pids: list[int]) -> float:
    """The total memory of these processes, in MiB. kind: "Pss" or "Rss"."""
    return sum(kib(Path(f"/proc/{pid}/smaps_rollup"), kind) for pid in pids) / 1024


def mib_available() -> float:
    return kib(Path("/proc/meminfo"), "MemAvailable") / 1024


def kib(file: Path, name: str) -> int:
    matched = re.search(rf"^{name}:\s+(\d+) kB$", file.read_text(), re.MULTILINE)
    assert matched, f"{file} says nothing of {name}"
    return int(matched[1])
