"""One side of benchmarks/site_cost.py: a worker that plays for the number of seconds in each input line."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import django


def work() -> None:
    from agon.contest import arena
    from agon.site.tournaments import scheduling
    from agon.site.workers import playing
    from agon.site.workers.worker import take_core, worker

    take_core()
    spent = {"matches": 0, "wall": 0.0, "used": 0.0}
    play = arena.play

    def timed(*args: Any, **named: Any) -> arena.Played:
        wall, used = time.perf_counter(), time.process_time()
        try:
            return play(*args, **named)
        finally:
            spent["matches"] += 1
            spent["wall"] += time.perf_counter() - wall
            spent["used"] += time.process_time() - used

    arena.play = timed
    for line in sys.stdin:
        scheduling.tick()  # what the sweeper does: queue the next matches
        spent.update(matches=0, wall=0.0, used=0.0)
        wall, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < float(line):
            playing.play_waiting("bulk")
        wall, used = time.perf_counter() - wall, time.process_time() - used
        figures = [spent["matches"], wall, spent["wall"], used, used - spent["used"]]
        print(json.dumps(figures), flush=True)
    worker.close()


if __name__ == "__main__":
    django.setup()
    work()
