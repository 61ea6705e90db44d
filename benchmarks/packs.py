"""Measures how much room recordings take, alone and in packs, and how long it takes to pack and to read them.

    DATABASE_URL=postgres://... AGON_VAR=EMPTY_FOLDER python -m benchmarks.packs [MATCHES] [--write]

House bots play PLAYED matches of each game. The recordings are stored as workers store them, again and again
until there are MATCHES of each game, so that no pack has one twice. Then they are read, packed, and read
again: single ones at random, and all for the nightly export. The database has to be empty, of SQLite or
PostgreSQL, and is left as it is afterwards.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from agon.contest.arena import play
from benchmarks.house import house
from benchmarks.report import Table, machine, save
from benchmarks.site import set_up
from games.core.manifest import house_bots, load, slugs

if TYPE_CHECKING:
    from agon.contest.arena import Played
    from agon.site.competitions.models import Competition
    from agon.site.matches.results import Packed

PLAYED, MATCHES, READ = 250, 20_000, 400
BOTS = 5  # of Python, the strongest ones
COLUMNS = ("game", "a row", "in a pack", "to pack", "to read, row", "to read, pack", "export, rows", "packs")


def main(matches: int, write: bool) -> None:
    set_up()
    from django.db import connection

    print(machine(), flush=True)
    load_before = os.getloadavg()[0]
    rows = [measured(slug, matches) for slug in slugs()]
    for row in rows:
        print("  ".join(row))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    conditions = f"{connection.vendor}, {matches} matches a game, load {load_before:.1f} before, "
    conditions += (
        f"{os.getloadavg()[0]:.1f} after, the server on the same machine; {peak} MiB of memory at most"
    )
    print(conditions)
    if write:
        tables = {connection.vendor: Table(COLUMNS, rows)}
        save(f"packs_{connection.vendor}", "python -m benchmarks.packs", conditions, tables)


def measured(slug: str, matches: int) -> tuple[str, ...]:
    """The row of a game."""
    from agon.site.competitions.models import Competition
    from agon.site.matches import packing

    recordings = recordings_of(slug)
    competition = Competition.objects.create(slug=slug, game=slug, title=slug)
    before = room()
    numbers = store(competition, recordings, matches)
    alone = room() - before
    read_alone, export_alone = read(numbers), export(competition)
    began = time.process_time()
    assert packing.pack_settled() == matches
    to_pack = time.process_time() - began
    together = room() - before
    read_packed, export_packed = read(numbers), export(competition)
    return (
        slug,
        f"{alone / matches:.0f} bytes",
        f"{together / matches:.0f} bytes",
        f"{1000 * to_pack / matches:.2f} ms",
        read_alone,
        read_packed,
        f"{1000 * export_alone / matches:.2f} ms",
        f"{1000 * export_packed / matches:.2f} ms",
    )


def recordings_of(slug: str) -> list[Packed]:
    """What workers would store of matches between house bots."""
    from agon.site.matches import results

    info, draw = load(slug), random.Random(1)
    bots = [bot.path for bot in house_bots(info) if bot.path.suffix == ".py"][-BOTS:]
    played: list[Played] = []
    with house(slug, bots, "bubblewrap") as agon:
        while len(played) < PLAYED:
            seats = draw.choices(range(len(bots)), k=info.max_seats)
            players = [agon.players[seat] for seat in seats]
            played.append(play(info, players, draw.getrandbits(63), agon.pool))
    return [results.pack(match) for match in played]


def store(competition: Competition, recordings: Sequence[Packed], number: int) -> list[int]:
    """Store matches that ended long ago with these recordings; their numbers."""
    from agon.site.matches.models import Match, Recording

    ended = datetime.now(UTC) - timedelta(days=30)
    common: dict[str, Any] = {"competition": competition, "kind": "ladder", "queue": "bulk", "seed": 1}
    ids = []
    for begin in range(0, number, 1000):
        matches = Match.objects.bulk_create(
            Match(state="finished", finished_at=ended, **common) for _ in range(min(1000, number - begin))
        )
        Recording.objects.bulk_create(
            Recording(match=match, record=kept.record, times=kept.times, files=kept.files)
            for place, match in enumerate(matches, begin)
            for kept in [recordings[place % len(recordings)]]
        )
        ids += [match.pk for match in matches]
    return ids


def room() -> int:
    """Bytes of recordings and packs with their indexes."""
    from django.db import connection

    tables = ("matches_recording", "matches_pack")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for table in tables:
                cursor.execute(f"VACUUM FULL {table}")
            cursor.execute("SELECT sum(pg_total_relation_size(name)) FROM unnest(%s) AS name", [list(tables)])
        else:
            cursor.execute("VACUUM")
            cursor.execute(
                "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema"
                f" WHERE tbl_name IN {tables})"
            )
        [size] = cursor.fetchone()
    return int(size or 0)


def read(numbers: Sequence[int]) -> str:
    """How long it takes to read a record and its times: median and 95 %."""
    from agon.site.matches import records
    from agon.site.matches.models import Match

    times = []
    for number in random.Random(2).sample(numbers, READ):
        match = Match.objects.get(pk=number)
        began = time.perf_counter()
        assert records.record_json(match)
        assert records.times_json(match)
        times.append(1000 * (time.perf_counter() - began))
    return f"{statistics.median(times):.1f}, {statistics.quantiles(times, n=20)[-1]:.1f} ms"


def export(competition: Competition) -> float:
    """The seconds that the records of the nightly export take."""
    from django.utils import timezone

    from agon.site.archives import export_rows

    began, lines = time.process_time(), 0
    for month in export_rows.months(competition, timezone.now()):
        lines += sum(1 for _ in export_rows.record_lines(competition, month))
    assert lines
    return time.process_time() - began


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--write"]
    main(int(given[0]) if given else MATCHES, "--write" in sys.argv)
