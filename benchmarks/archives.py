"""Measures how long a site takes to make the archive of a large tournament, and the memory that this takes.

    python -m benchmarks.archives [--packed] [--write] [MATCHES ...]

The matches are rows of a temporary SQLite database. All have the record of one real match, because neither
the size of an archive nor the time to make it depends on what records say. Each number of matches is filled
in by one process and measured by another, so that its peak of memory is its own; the peak is reset before the
download. Without numbers: 1,000, 10,000 and 100,000. With --packed their records are in packs, as they are a
day later.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

from benchmarks.report import Table, machine, save

GAME = "honest_rps"
ENTRANTS = 32
COLUMNS = (
    "matches",
    "archive",
    "made in (of it busy)",
    "memory of the worker",
    "fetched in",
    "memory of the web process",
)


def main(numbers: list[int], kind: str, is_kept: bool) -> None:
    print(machine(), flush=True)
    load = f"load {os.getloadavg()[0]:.1f} before"
    rows = [_measured(number, kind) for number in numbers]
    if is_kept:
        conditions = (
            f"SQLite, {load}, {os.getloadavg()[0]:.1f} after; all downloads but sources; memory in MiB,"
            " before and at most"
        )
        save("archives", "python -m benchmarks.archives", conditions, {"archives": Table(COLUMNS, rows)})


def _measured(number: int, kind: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
        environment |= {"AGON_VAR": folder, "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
        command = [sys.executable, "-m", "benchmarks.archives"]
        subprocess.run([*command, kind, str(number)], env=environment, check=True)
        made = subprocess.run(
            [*command, "--make"], env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
    row: list[str] = json.loads(made.stdout)
    print(*(f"{name}: {text}" for name, text in zip(COLUMNS, row, strict=True)), sep="; ", flush=True)
    return row


def fill(number: int, are_packed: bool) -> None:
    """Fill the database of AGON_VAR."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from agon.site.matches import packing
    from agon.site.matches.models import Match

    call_command("migrate", verbosity=0)
    cup = _make_tournament(max(1, round(number / (ENTRANTS * (ENTRANTS - 1)))))
    if are_packed:
        Match.objects.update(finished_at=timezone.now() - 2 * packing.SETTLED)
        assert packing.pack_settled() > 0.9 * cup.total


def measure() -> None:
    """Make the downloads of what AGON_VAR has, fetch the archive, and print a row of the table."""
    import django

    django.setup()
    from django.test import Client

    from agon.site.archives import storing
    from agon.site.archives.models import Download
    from agon.site.tournaments.models import Tournament

    cup = Tournament.objects.get()
    before = _memory("VmRSS")
    began, busy = time.perf_counter(), time.process_time()
    storing.make(cup)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    made = Download.objects.get(kind="archive")
    row = [f"{cup.total:,}", f"{made.size >> 20} MiB", f"{seconds:.0f} s ({busy:.0f} s)"]
    row.append(f"{before}, {_memory('VmHWM')}")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before = _memory("VmRSS")
    began = time.perf_counter()
    response = Client().get(f"/tournaments/{cup.pk}/archive", headers={"host": "localhost"})
    pieces: Iterable[bytes] = getattr(response, "streaming_content")  # noqa: B009
    assert sum(map(len, pieces)) == made.size
    row += [f"{time.perf_counter() - began:.1f} s", f"{before}, {_memory('VmHWM')}"]
    print(json.dumps(row))


def _make_tournament(rounds: int):  # type: ignore[no-untyped-def]
    """Make a finished round robin of ENTRANTS bots and this number of rounds."""
    import random

    from django.utils import timezone

    from agon.contest import formats
    from agon.site.accounts.models import User
    from agon.site.bots.models import Bot, Submission
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match, Recording, Seat
    from agon.site.tournaments.models import Entrant, Tournament
    from games.core import record as records
    from games.core import timing
    from games.core.driver import Driver, Reply
    from games.core.manifest import load
    from games.core.record import SeatInfo

    user = User.objects.create_user("ada")
    competition = Competition.objects.create(slug="honest-rps", game=GAME, title=GAME)
    bots = Bot.objects.bulk_create(
        Bot(owner=user, competition=competition, name=f"bot {n}", name_key=f"bot {n}")
        for n in range(ENTRANTS)
    )
    submissions = Submission.objects.bulk_create(
        Submission(bot=bot, number=1, digest=f"{n:064x}", filename="bot.py") for n, bot in enumerate(bots)
    )
    scheduled_matches = formats.schedule("round_robin", ENTRANTS, 2, rounds, 1)
    cup = Tournament.objects.create(
        competition=competition,
        name="Cup",
        format="round_robin",
        rounds=rounds,
        seats=2,
        organizer=user,
        state="finished",
        started=timezone.now(),
        finished_at=timezone.now(),
        total=len(scheduled_matches),
        scheduled=len(scheduled_matches),
    )
    Entrant.objects.bulk_create(
        Entrant(tournament=cup, number=n, bot=bot, submission=submission, name=bot.name)
        for n, (bot, submission) in enumerate(zip(bots, submissions, strict=True))
    )
    driver, draw = Driver(load(GAME), 2, 1), random.Random(1)
    while driver.pending:
        driver.answer({request.seat: Reply(draw.choice("RPS"), None, 90) for request in driver.pending})
    log = driver.log([SeatInfo("bot 0", f"{0:064x}"), SeatInfo("bot 1", f"{1:064x}")])
    record = zlib.compress(records.to_json(log.record).encode())
    times = zlib.compress(timing.to_json(log.timing).encode())
    for first in range(0, len(scheduled_matches), 5_000):
        chunk = scheduled_matches[first : first + 5_000]
        matches = Match.objects.bulk_create(
            Match(
                competition=competition,
                tournament=cup,
                kind="tournament",
                queue="bulk",
                state="finished",
                index=scheduled.index,
                round=scheduled.round,
                seed=scheduled.index,
                seconds=0.01,
                finished_at=timezone.now(),
            )
            for scheduled in chunk
        )
        Recording.objects.bulk_create(Recording(match=match, record=record, times=times) for match in matches)
        Seat.objects.bulk_create(
            Seat(
                match=match,
                number=number,
                submission=submissions[entrant],
                name=f"bot {entrant}",
                score=log.scores[number],
                rank=log.ranks[number],
            )
            for match, scheduled in zip(matches, chunk, strict=True)
            for number, entrant in enumerate(scheduled.seats)
        )
    return cup


def _memory(name: str) -> int:
    """A field of /proc/self/status, in MiB."""
    matched = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert matched is not None
    return int(matched[1]) >> 10


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--make"]:
        measure()
    elif words[:1] in (["--fill"], ["--fill-packed"]):
        fill(int(words[1]), words[0] == "--fill-packed")
    else:
        numbers = [int(word) for word in words if word.isdecimal()]
        kind = "--fill-packed" if "--packed" in words else "--fill"
        main(numbers or [1_000, 10_000, 100_000], kind, "--write" in words)
