"""Measures how fast `agon verify` verifies an archive, and the size of a match in it.

    python -m benchmarks.verifying

A tournament of Honest Rock-Paper-Scissors is played without boxes: throws are random, and answers take times
like those of functions in a box. Then its archive is verified, by one process and by one per core.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
import zlib
from pathlib import Path
from statistics import median

from agon.contest import formats
from agon.contest.archive.manifest import Header
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import ArchivedMatch, archived_match, fill_folder, prepare_folder
from agon.contest.formats import ScheduledMatch
from games.core.driver import Driver, Reply
from games.core.manifest import load
from games.core.record import SeatInfo

ENTRANTS = 21
RUNS = 5
GAME = "honest_rps"
MICROSECONDS = 4.7, 0.4  # of an answer: mean and standard deviation of the logarithm


def main() -> None:
    info = load(GAME)
    entrants = tuple(SeatInfo(f"bot {number}", f"{number:064x}") for number in range(ENTRANTS))
    header = Header(GAME, "round_robin", 1, 1, info.tournament.points, 2, entrants)
    scheduled_matches = formats.schedule("round_robin", ENTRANTS, 2, 1, header.seed)
    seeds = header.seeds.of_schedule(scheduled_matches)
    matches = [play(header, *match) for match in zip(scheduled_matches, seeds, strict=True)]
    sizes = [len(zlib.compress(match.record)) + len(zlib.compress(match.times)) for match in matches]
    print(f"{len(matches)} matches; record and times, compressed: {median(sizes):.0f} bytes a match")
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "archive")
        prepare_folder(archive)
        fill_folder(archive, header, matches)
        for jobs in (1, len(os.sched_getaffinity(0))):
            rates = [speed(archive, jobs) for _ in range(RUNS)]
            print(f"{jobs} at once: {median(rates):.0f} matches/s ({min(rates):.0f} - {max(rates):.0f})")


def speed(archive: Path, jobs: int) -> float:
    """Matches verified per second."""
    began = time.perf_counter()
    report = verify(archive, jobs=jobs)
    if not report.sound:
        raise RuntimeError(report.differences[0])
    return report.matches / (time.perf_counter() - began)


def play(header: Header, scheduled: ScheduledMatch, seed: int) -> ArchivedMatch:
    seats = [header.entrants[number] for number in scheduled.seats]
    driver, draw = Driver(load(GAME), len(seats), seed), random.Random(seed)
    while driver.pending:
        driver.answer(
            {
                request.seat: Reply(draw.choice("RPS"), None, int(draw.lognormvariate(*MICROSECONDS)))
                for request in driver.pending
            }
        )
    return archived_match(scheduled, driver.log(seats), tuple(b"" for _ in seats), driver.files)


if __name__ == "__main__":
    main()
