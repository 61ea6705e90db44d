"""Measures what 1,000 workers ask of one PostgreSQL: how long claims take, what is lost, and bytes per match.

    DATABASE_URL=postgres://... AGON_VAR=EMPTY_FOLDER python -m benchmarks.claims [--write]

The database has to be empty, and is left as it is afterwards. The workers are simulated: each claims a match
of a tournament, holds it for a time, and stores a real result, that of a match which was played before. Some
processes with THREADS connections each act for all of them, as a pool of connections would: PostgreSQL has
100 by default. They and the server share this machine, so that a claim waits for the processor, too: its
processor time is shown beside it, here and in the server's process (as root, from /proc). Before that, a few
workers play short matches, then twice as many, and so on, to see when more workers store fewer results each.
Finally rows are copied until there are STORED matches, to see how large these are, and again once their
records are packed.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import django

from benchmarks.event_cost import make_bot, result_of
from benchmarks.report import Table, machine, save

if TYPE_CHECKING:
    from agon.contest.arena import Played

THREADS = 8  # of each process


class Load(NamedTuple):
    """How many workers there are, and how many processes act for them. seconds: of a match, on average, up to
    half as many more or fewer. lasts: seconds.
    """

    workers: int
    processes: int
    seconds: float
    lasts: float


MANY = Load(workers=1000, processes=5, seconds=40.0, lasts=45.0)
GROWING = [Load(workers, processes=2, seconds=0.5, lasts=15.0) for workers in (2, 4, 8, 16)]
TOURNAMENTS, BOTS = 8, 45
PLAYED = 20  # matches that each process plays before, because workers play on machines of their own
STORED = 100_000
TARGETS = {"claim p95": 50.0, "linear": 80.0, "PostgreSQL": 400.0}  # ms; percent; MB a million matches


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    django.setup()
    from agon.site.leaderboards import ladder
    from agon.site.matches.models import Match

    ladder.top_up = lambda competition: 0  # it would queue matches of its own
    if sys.argv[1:2] == ["part"]:
        load = Load(int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6]))
        results = [result_of(match) for match in Match.objects.filter(state="queued")[:PLAYED]]
        print("ready", flush=True)
        print(json.dumps(part(int(sys.argv[2]), float(sys.stdin.readline()), load, results)))
        return
    print(machine(), flush=True)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill()
    conditions = f"load {os.getloadavg()[0]:.1f} before, "
    rows = [*growth([(load, act_for_all(load)) for load in GROWING]), *claims(act_for_all(MANY))]
    conditions += f"{os.getloadavg()[0]:.1f} after; the server on the same machine"
    rows += sizes()
    for row in rows:
        print("  ".join(row))
    if "--write" in sys.argv:
        table = Table(("what", "measured"), [row[:2] for row in rows])
        targets = [
            {"what": f"simulated workers: {figure}", "measured": measured, "wanted": wanted}
            for figure, measured, wanted in rows
            if wanted
        ]
        save("claims", "python -m benchmarks.claims", conditions, {"claims": table}, targets)


def fill() -> None:
    """TOURNAMENTS in competitions of their own, each with BOTS of as many owners, every pair of which meets.

    Ladders have no more than 8 matches open in a competition: only tournaments keep so many workers busy.
    """
    from agon.site.accounts.models import User
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match
    from agon.site.tournaments import services

    organizer = User.objects.create_user("organizer")
    for number in range(TOURNAMENTS):
        competition = Competition.objects.create(slug=f"c{number}", game="honest_rps", title=f"C {number}")
        numbers = range(number * BOTS, (number + 1) * BOTS)
        owners = [User.objects.create(username=f"u{index}") for index in numbers]
        bots = [make_bot(owner, competition, index).bot for owner, index in zip(owners, numbers, strict=True)]
        Match.objects.filter(tournament=None).delete()
        services.start(services.create(organizer, competition, "Cup", "round_robin", 1, number, bots))


def act_for_all(load: Load) -> list[dict[str, Any]]:
    """Let the processes act for the workers; what each of them measured."""
    command = [sys.executable, "-m", "benchmarks.claims", "part"]
    started = [
        subprocess.Popen(
            [*command, str(number), *map(str, load)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(load.processes)
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    begin = f"{time.time() + 1}\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write(begin)
        process.stdin.flush()
    return [json.loads(process.communicate()[0]) for process in started]


def part(number: int, begin: float, load: Load, results: Sequence[Played]) -> dict[str, Any]:
    """Acts for a part of the workers; what it measured, in milliseconds, and which attempts it claimed."""
    from django.db import connection

    from agon.site.matches import leases

    own = range(number, load.workers, load.processes)
    draw = random.Random(number)
    # When each worker does something next; the match that it holds, or None.
    due: list[tuple[float, int, Any]] = [
        (begin + draw.uniform(0, load.seconds), worker, None) for worker in own
    ]
    heapq.heapify(due)
    names = ("claims", "cpu", "server", "results", "result_server", "attempts", "stored")
    lock = threading.Lock()
    measured: dict[str, list[Any]] = {name: [] for name in names}

    def act() -> None:
        while True:
            with lock:
                if not due or due[0][0] > begin + load.lasts:
                    break
                at, worker, match = heapq.heappop(due)
            time.sleep(max(0.0, at - time.time()))
            connection.ensure_connection()
            server = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
            wall, cpu, there = time.perf_counter(), time.thread_time(), on_processor(server)
            again: tuple[float, int, Any]
            if match is None:
                match = leases.claim(f"w{worker}:core0:1")
                measured["claims"].append(1000 * (time.perf_counter() - wall))
                measured["cpu"].append(1000 * (time.thread_time() - cpu))
                measured["server"].append(on_processor(server) - there)
                if match is None:
                    continue  # nothing waits any more
                measured["attempts"].append([match.pk, match.attempt])
                again = (time.time() + load.seconds * draw.uniform(0.5, 1.5), worker, match)
            else:
                played = results[match.pk % len(results)]
                wall, there = time.perf_counter(), on_processor(server)
                is_stored = leases.finish(match, played)
                measured["stored"].append(bool(is_stored))
                measured["results"].append(1000 * (time.perf_counter() - wall))
                measured["result_server"].append(on_processor(server) - there)
                again = (time.time(), worker, None)
            with lock:
                heapq.heappush(due, again)
        connection.close()

    threads = [threading.Thread(target=act) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return measured


def on_processor(schedstat: Path) -> float:
    """Milliseconds for which this process has run."""
    return int(schedstat.read_text().split()[0]) / 1e6


def growth(measured: list[tuple[Load, list[dict[str, Any]]]]) -> list[tuple[str, str, str]]:
    """The results a second of each load, and how much of the first load's results a worker that is."""
    rates = [(load, sum(sum(part["stored"]) for part in parts) / load.lasts) for load, parts in measured]
    [first, rate], rows = rates[0], []
    for load, results in rates:
        share = 100 * results / load.workers / (rate / first.workers)
        is_wanted = first.workers < load.workers <= 4 * first.workers
        rows.append(
            (
                f"results of {load.workers} workers, matches of {load.seconds} s",
                f"{share:.0f} % of linear, {results:.1f} a second",
                f">= {TARGETS['linear']:.0f} %" if is_wanted else "",
            )
        )
    return rows


def claims(parts: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    from agon.site.matches.models import Match, Recording

    everything = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    attempts = [tuple(attempt) for attempt in everything["attempts"]]
    stored = sum(everything["stored"])
    held = Match.objects.filter(pk__in=[match for match, _ in attempts], state="finished").count()
    finished = Match.objects.filter(state="finished").count()
    doubled = len(attempts) - len(set(attempts)) + finished - Recording.objects.count()
    lost = stored - held
    both = [sum(pair) for pair in zip(everything["cpu"], everything["server"], strict=True)]
    p95 = statistics.quantiles(everything["claims"], n=20)[-1]
    return [
        ("workers", f"{MANY.workers} over {MANY.processes * THREADS} connections", ""),
        ("claims a second", f"{len(attempts) / MANY.lasts:.1f}", ""),
        ("a claim, median", f"{statistics.median(everything['claims']):.1f} ms", ""),
        ("a claim, p95", f"{p95:.1f} ms", f"<= {TARGETS['claim p95']:.0f} ms"),
        (
            "processor time of a claim at the client, median",
            f"{statistics.median(everything['cpu']):.1f} ms",
            "",
        ),
        ("and in the server", f"{statistics.median(everything['server']):.1f} ms", ""),
        (
            "processor time of a claim at both, p95",
            f"{statistics.quantiles(both, n=20)[-1]:.1f} ms",
            f"<= {TARGETS['claim p95']:.0f} ms",
        ),
        ("storing a result, in the server", f"{statistics.median(everything['result_server']):.1f} ms", ""),
        ("storing a result, median", f"{statistics.median(everything['results']):.1f} ms", ""),
        ("results stored", str(stored), ""),
        ("results lost", str(lost), "= 0"),
        ("attempts or results doubled", str(doubled), "= 0"),
    ]


TABLES = {
    "matches_match": "id",
    "matches_seat": "match_id",
    "matches_recording": "match_id",
}
KEPT = (*TABLES, "matches_pack")


def sizes() -> list[tuple[str, str, str]]:
    """How large STORED matches are: those that were played, and copies of their rows."""
    from django.db import connection

    from agon.site.fleet import environments
    from agon.site.matches import packing
    from agon.site.matches.models import Match

    Match.objects.exclude(state="finished").delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), max(id) FROM matches_match")
        count, last = cursor.fetchone()
        for copy in range(1, -(-STORED // count)):
            for table, key in TABLES.items():
                cursor.execute(
                    "SELECT column_name FROM information_schema.columns"
                    " WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position",
                    [table],
                )
                names = [name for (name,) in cursor.fetchall() if name != "id" or key == "id"]
                apart = {key, "index"} if table == "matches_match" else {key}
                chosen = ", ".join(
                    f'"{name}" + {copy * (last + 1)}' if name in apart else f'"{name}"' for name in names
                )
                columns = ", ".join(f'"{name}"' for name in names)
                cursor.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {chosen} FROM {table} WHERE {key} <= {last}"
                )
        # No two matches end at once, and all of them long ago. Workers store what these matches lack: what
        # they were played in, and the time of each seat's slowest answer.
        cursor.execute(
            "UPDATE matches_match"
            " SET finished_at = finished_at - interval '9 days' + id * interval '10 milliseconds',"
            " environment = %s",
            [environments.store({"sandbox": "none"})],
        )
        cursor.execute("UPDATE matches_seat SET slowest = 0.25 WHERE slowest IS NULL")
    rows, total = room()
    rows.append(("PostgreSQL, a million matches, records as rows", f"{total:.0f} MB", ""))
    began = time.perf_counter()
    packed = packing.pack_settled()
    rows.append(("packing 100,000 records", f"{100_000 * (time.perf_counter() - began) / packed:.0f} s", ""))
    packed_rows, total = room()
    rows += [row for row in packed_rows if "recording" in row[0] or "pack" in row[0]]
    rows.append(("PostgreSQL, a million matches", f"{total:.0f} MB", f"<= {TARGETS['PostgreSQL']:.0f} MB"))
    rows.append(("matches that this was measured with", str(Match.objects.count()), ""))
    files = sum(
        path.stat().st_size for path in Path(os.environ["AGON_VAR"], "media").rglob("*") if path.is_file()
    )
    rows.append(("files of matches: none, records are rows", f"{files} bytes", ""))
    return rows


def room() -> tuple[list[tuple[str, str, str]], float]:
    """The bytes a match of each table with its indexes, as rows, and their sum."""
    from django.db import connection

    rows, total = [], 0.0
    with connection.cursor() as cursor:
        for table in KEPT:
            cursor.execute(f"VACUUM FULL ANALYZE {table}")
        cursor.execute("SELECT count(*) FROM matches_match")
        [matches] = cursor.fetchone()
        for table in KEPT:
            cursor.execute("SELECT pg_table_size(%s), pg_indexes_size(%s)", [table, table])
            heap, indexes = (size / matches for size in cursor.fetchone())
            total += heap + indexes
            rows.append((f"bytes a match in {table}", f"{heap:.0f} and {indexes:.0f} of indexes", ""))
            cursor.execute(
                "SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes"
                " WHERE relname = %s ORDER BY 2 DESC",
                [table],
            )
            rows += [(f"... index {name}", f"{size / matches:.0f}", "") for name, size in cursor.fetchall()]
    return rows, total


if __name__ == "__main__":
    main()
