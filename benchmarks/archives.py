"""Measures how long a site takes to make the archive of a large tournament, and the memory that this takes.

    python -m benchmarks.archives [--packed] [MATCHES ...]

The matches are rows of a temporary SQLite database. All have the record of one real match, because neither
the size of an archive nor the time to make it depends on what records say. Each number of matches is measured
in a process of its own, so that its peak of memory is its own, too; the peak is reset before the download.
Without numbers: 1,000, 10,000 and 100,000. With --packed their records are in packs, as they are a day later.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

GAME = "honest_rps"
ENTRANTS = 32


def main(numbers: list[int], kind: str) -> None:
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
            environment |= {"AGON_VAR": folder, "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
            command = [sys.executable, "-m", "benchmarks.archives", kind, str(number)]
            subprocess.run(command, env=environment, check=True)


def measure(number: int, are_packed: bool) -> None:
    """Fill the database of AGON_VAR, make the downloads, fetch the archive, and print times and memory."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from agon.site.archives import storing
    from agon.site.archives.models import Download
    from agon.site.matches import packing
    from agon.site.matches.models import Match

    call_command("migrate", verbosity=0)
    cup = _make_tournament(max(1, round(number / (ENTRANTS * (ENTRANTS - 1)))))
    if are_packed:
        Match.objects.update(finished_at=timezone.now() - 2 * packing.SETTLED)
        assert packing.pack_settled() > 0.9 * cup.total
    before = _memory("VmRSS")
    began, busy = time.perf_counter(), time.process_time()
    storing.make(cup)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    made = Download.objects.get(kind="archive")
    print(f"{cup.total:,} matches: all downloads made in {seconds:.0f} s ({busy:.0f} of them busy),", end=" ")
    print(f"the archive {made.size >> 20} MiB")
    print(f"    memory {before} MiB before, {_memory('VmHWM')} MiB at most")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before = _memory("VmRSS")
    began = time.perf_counter()
    response = Client().get(f"/tournaments/{cup.pk}/archive", headers={"host": "localhost"})
    pieces: Iterable[bytes] = getattr(response, "streaming_content")  # noqa: B009
    size = sum(map(len, pieces))
    seconds = time.perf_counter() - began
    print(f"    fetched: {size >> 20} MiB in {seconds:.1f} s")
    print(f"    memory {before} MiB before, {_memory('VmHWM')} MiB at most")


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
    found = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) >> 10


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] in (["--here"], ["--here-packed"]):
        measure(int(words[1]), words[0] == "--here-packed")
    else:
        numbers = [int(word) for word in words if word != "--packed"]
        main(numbers or [1_000, 10_000, 100_000], "--here-packed" if "--packed" in words else "--here")
