"""One side of benchmarks/site_cost.py: a worker that plays for as many seconds as each input line says."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import django


def work() -> None:
    from contest import arena
    from pipeline import tasks
    from pipeline.worker import take_core, worker
    from tournaments import scheduling

    take_core()
    played = {"matches": 0, "wall": 0.0, "used": 0.0}
    play = arena.play

    def timed(*args: Any, **named: Any) -> arena.Played:
        wall, used = time.perf_counter(), time.process_time()
        try:
            return play(*args, **named)
        finally:
            played["matches"] += 1
            played["wall"] += time.perf_counter() - wall
            played["used"] += time.process_time() - used

    arena.play = timed
    for line in sys.stdin:
        scheduling.tick()  # what the sweeper does: queue the next matches
        played.update(matches=0, wall=0.0, used=0.0)
        wall, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < float(line):
            tasks.play("bulk")
        wall, used = time.perf_counter() - wall, time.process_time() - used
        facts = [played["matches"], wall, played["wall"], used, used - played["used"]]
        print(json.dumps(facts), flush=True)
    worker.close()


if __name__ == "__main__":
    django.setup()
    work()
