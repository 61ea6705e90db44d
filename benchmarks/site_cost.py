"""Compares two checkouts by the cost of a match to the site apart from playing it, in turn on one processor.

    python benchmarks/site_cost.py OLD NEW                with SQLite
    DATABASE_URL=postgres://... python benchmarks/site_cost.py OLD NEW
                                                          with PostgreSQL: makes two databases on that server,
                                                          and removes them again

Each checkout has a site of its own (benchmarks.site) with a tournament of Samurai, and a worker that plays it
in bubblewrap with `workers.playing.play_waiting`: claims, results and what follows from them, but no broker.
All time outside `agon.contest.arena.play` counts as the site's own cost. The sides play slices of SECONDS in
turn (A B B A ...), pinned to the same core. The output has for each slice

- own: the worker's processor time outside `arena.play`, in ms per match;
- not playing: the share of the wall time outside `arena.play`, and the share of the processor time of worker
  and boxes. On a busy machine, rely on the latter, which does not include waiting for the disk.

The work of a PostgreSQL server is not included: it may run elsewhere.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg2  # type: ignore[import-untyped]

from benchmarks.compare import Player, descendants_cpu_seconds, in_turn

SECONDS = 8.0
PAIRS = 3


class Slice(NamedTuple):
    """What a slice took, in seconds.

    wall, playing: wall time, in all and in `arena.play`. used, own: processor time, that of worker and boxes
    in all, and that of the worker outside `arena.play`.
    """

    matches: int
    wall: float
    playing: float
    used: float
    own: float

    def __str__(self) -> str:
        own, play = (1000 * seconds / self.matches for seconds in (self.own, self.playing))
        shares = f"{self.not_playing:.1%} of wall time, {self.own / self.used:.1%} of processor time"
        return f"own {own:.2f} ms, not playing {shares} (a match: {play:.1f} ms)"

    @property
    def not_playing(self) -> float:
        return 1 - self.playing / self.wall


class Side(Player):
    def seconds(self, seconds: float) -> Slice:
        boxes_before = descendants_cpu_seconds(self.pid)
        matches, wall, playing, worker, own = map(float, self.ask(seconds).split())
        boxes = descendants_cpu_seconds(self.pid) - boxes_before
        return Slice(int(matches), wall, playing, worker + boxes, own)


def main(old: str, new: str) -> None:
    with ExitStack() as stack:
        sides = [stack.enter_context(_open_side(checkout)) for checkout in (old, new)]
        for side in sides:
            side.seconds(1.0)
        pairs = [
            in_turn(sides, number, lambda side, _number: side.seconds(SECONDS)) for number in range(PAIRS)
        ]
    for number, (before, after) in enumerate(pairs, 1):
        print(f"{number}. old: {before}\n   new: {after}")
    for name, chosen in zip(("old", "new"), zip(*pairs, strict=True), strict=True):
        own = statistics.median(1000 * slice_.own / slice_.matches for slice_ in chosen)
        share = statistics.median(slice_.not_playing for slice_ in chosen)
        used = statistics.median(slice_.own / slice_.used for slice_ in chosen)
        print(f"{name}: own {own:.2f} ms, not playing {share:.1%} of wall time, {used:.1%} of processor time")


@contextmanager
def _open_side(checkout: str) -> Iterator[Side]:
    root = Path(checkout).resolve()
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, new_database(Path(folder).name) as url:
        os.chmod(folder, 0o755)  # so that boxes, which do not run as root, can read what is below
        site = os.environ | {
            "PYTHONPATH": f"{root}:{root / 'platform'}",
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "AGON_VAR": folder,
            "AGON_SANDBOX": "bubblewrap",
            "AGON_CORE": str(max(os.sched_getaffinity(0))),
            "DATABASE_URL": url,
            "SECRET_KEY": "a benchmark's",
        }
        subprocess.run([sys.executable, "-m", "benchmarks.site", "prepare"], cwd=root, env=site, check=True)
        worker = [sys.executable, "-P", str(Path(__file__).with_name("site.py").resolve()), "work"]
        with subprocess.Popen(
            worker, cwd=root, env=site, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            yield Side(process)


@contextmanager
def new_database(name: str) -> Iterator[str]:
    """Yields the URL of a new database on the server of DATABASE_URL; "", for SQLite, if that is not set."""
    server = os.environ.get("DATABASE_URL", "")
    if not server:
        yield ""
        return
    with closing(psycopg2.connect(server)) as connection, closing(connection.cursor()) as cursor:
        connection.autocommit = True
        cursor.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


if __name__ == "__main__":
    main(*sys.argv[1:])
