"""Measures what each page costs on a site with a hundred competitions and a hundred thousand matches.

    python -m benchmarks.pages                        with SQLite, in a temporary folder
    DATABASE_URL=postgres://... python -m benchmarks.pages
                                                      with PostgreSQL: makes a database on that server
    ... --matches 10000 --competitions 100            a smaller site, to see what grows with its matches
    ... --only matches,bot                            only these pages
    ... --matches 1000000 --kept FOLDER               a large site is filled once: the database of
                                                      DATABASE_URL and FOLDER stay, and are measured again

Fills a site (benchmarks/crowded.py) and requests every kind of page as anonymous visitor, competitor,
organizer and staff, in random order, without HTTP: middleware, view, templates and compression. Prints for
each page the median and the 95th percentile (nearest rank) of processor time and wall time, the maximum, and
the largest number of queries. Processor time is that of this process and, if PostgreSQL runs on this machine,
of the server process for this connection.

Finally prints the cost of a change per reader who follows a leaderboard, a list of matches or the home page.
--write keeps the figures in benchmarks/results.
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import django

from benchmarks.measure import p95
from benchmarks.report import Table, save

if TYPE_CHECKING:
    from django.test import Client

    from benchmarks.crowded import Crowded

LIMIT = 150.0  # ms
CHANGE_LIMIT = 10.0  # ms per reader and change
CHANGE_BYTES = 15 << 10
READERS = 40
CHANGES = 5
SHOWN = 10  # pages in the table of the slowest
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class Measured(NamedTuple):
    """A request and its cost. ms, wall: milliseconds of processor time and of wall time. sent: bytes."""

    page: str
    status: int
    ms: float
    wall: float
    queries: int
    sent: int


class Change(NamedTuple):
    """What a change costs each reader. mean, median: milliseconds of processor time. sent: bytes, at most."""

    what: str
    mean: float
    median: float
    sent: int

    @property
    def texts(self) -> tuple[str, str, str]:
        return f"{self.mean:.1f} ms", f"{self.median:.1f} ms", f"{self.sent / 1024:.1f} KB"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages")
    parser.add_argument("--competitions", type=int, default=100)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=24, help="requests of each page")
    parser.add_argument("--only", default="", help="pages, separated by commas")
    parser.add_argument("--sandbox", default=None, help="docker or bubblewrap, for the real matches")
    parser.add_argument("--kept", type=Path, default=None, help="a folder, for a site that stays")
    parser.add_argument("--slowest", type=int, default=0, help="print so many of the slowest requests, too")
    parser.add_argument("--write", action="store_true", help="keep the figures of all pages")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write keeps the figures of all pages, not of those of --only")
    with kept_environment(options.kept) if options.kept else site_environment():
        _measure(options)


@contextmanager
def site_environment() -> Iterator[None]:
    from benchmarks.site_cost import new_database

    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, new_database(Path(folder).name) as url:
        os.environ["DATABASE_URL"] = url
        with kept_environment(Path(folder)):
            yield


@contextmanager
def kept_environment(folder: Path) -> Iterator[None]:
    """Django with the database of DATABASE_URL, and files in this folder."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # so that boxes, which do not run as root, can read what is below
    os.environ |= {
        "AGON_VAR": str(folder),
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
        "SECRET_KEY": "a benchmark's",
    }
    django.setup()
    from django.db import connections

    try:
        yield
    finally:
        connections.close_all()


def _measure(options: argparse.Namespace) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from agon.site.bots.models import Bot
    from agon.site.core.garbage import freeze_survivors
    from agon.site.matches.models import Match, Seat

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0, interactive=False)
    began = time.monotonic()
    crowded = _filled(options)
    size = (
        f"{DATABASES[connection.vendor]}; {len(crowded.places)} competitions, {Bot.objects.count():,} bots, "
        f"{Match.objects.count():,} matches, {Seat.objects.count():,} seats"
    )
    print(f"{size}; filled in {time.monotonic() - began:.0f} s", flush=True)
    gc.collect()
    gc.freeze()  # as agon.site.asgi does
    freeze_survivors()
    only = set(filter(None, options.only.split(",")))
    load = f"load {os.getloadavg()[0]:.1f} before"
    requests = _request_all(crowded, only, options.each)
    _report(requests, options.slowest)
    if only:
        return
    changes = _measure_changes(crowded)
    if options.write:
        conditions = (
            f"{load}, {os.getloadavg()[0]:.1f} after; {size}; {len(requests):,} requests, {options.each} of "
            "each page, as anonymous visitor, competitor, organizer and staff, in random order"
        )
        command = f"python -m benchmarks.pages --matches {options.matches}"
        command += " --kept FOLDER" if options.kept else ""
        _write([measured for _, measured in requests], changes, command, conditions)


def _filled(options: argparse.Namespace) -> Crowded:
    """The site that was filled: now, or, if it is kept, by an earlier run."""
    from django.db import connection

    from benchmarks.crowded import fill

    known = options.kept / "crowded.pickle" if options.kept else None
    if known and known.exists():
        filled: Crowded = pickle.loads(known.read_bytes())  # noqa: S301 (this program wrote it)
        return filled
    crowded = fill(options.competitions, options.matches, options.sandbox)
    with connection.cursor() as cursor:
        # Also VACUUM: at this size the server has done so by itself.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    if known:
        known.write_bytes(pickle.dumps(crowded))
    return crowded


def _report(requests: list[tuple[str, Measured]], slowest: int) -> None:
    by_page = _slowest_first([measured for _, measured in requests])
    print(
        f"{'page':28} {'asked':>5} {'CPU ms':>7} {'p95':>6} {'wall':>7} {'p95':>6} {'worst':>6}"
        " asks    KB status"
    )
    for page, of_page in by_page.items():
        cpu, wall = [measured.ms for measured in of_page], [measured.wall for measured in of_page]
        statuses = " ".join(
            f"{status}x{count}" for status, count in sorted(Counter(e.status for e in of_page).items())
        )
        print(
            f"{page:28} {len(of_page):5} {statistics.median(cpu):7.1f} {p95(cpu):6.1f} "
            f"{statistics.median(wall):7.1f} {p95(wall):6.1f} {max(wall):6.0f} "
            f"{max(measured.queries for measured in of_page):4} "
            f"{max(measured.sent for measured in of_page) / 1024:5.1f} {statuses}"
        )
    cpu, wall = [measured.ms for _, measured in requests], [measured.wall for _, measured in requests]
    beyond = [
        page
        for page, measured_page in by_page.items()
        if p95([measured.ms for measured in measured_page]) > LIMIT
    ]
    print(
        f"all {len(requests)}: p95 {p95(cpu):.1f} ms of processor time, {p95(wall):.1f} ms of wall time; "
        f"beyond {LIMIT:.0f} ms of processor time: {', '.join(beyond) or 'no page'}"
    )
    for address, slow in sorted(requests, key=lambda pair: -pair[1].ms)[:slowest]:
        print(f"{slow.ms:7.1f} {slow.wall:7.1f} {slow.queries:4} {address}")


def _slowest_first(requests: Sequence[Measured]) -> dict[str, list[Measured]]:
    """The requests by page; pages in order of their 95th percentiles."""
    by_page: dict[str, list[Measured]] = defaultdict(list)
    for measured in requests:
        by_page[measured.page].append(measured)
    return dict(sorted(by_page.items(), key=lambda item: -p95([measured.ms for measured in item[1]])))


def _write(requests: Sequence[Measured], changes: Sequence[Change], command: str, conditions: str) -> None:
    cpu, wall = [measured.ms for measured in requests], [measured.wall for measured in requests]
    slowest = [
        [
            page.replace("_", " "),
            f"{statistics.median(measured.ms for measured in of_page):.0f} ms",
            f"{p95([measured.ms for measured in of_page]):.0f} ms",
            str(max(measured.queries for measured in of_page)),
        ]
        for page, of_page in list(_slowest_first(requests).items())[:SHOWN]
    ]
    every = [["processor time", f"{p95(cpu):.1f} ms"], ["wall time", f"{p95(wall):.1f} ms"]]
    tables = {
        "pages": Table(("page", "median", "95 % within", "queries"), slowest),
        "changes": Table(
            ("a change of", f"mean of {CHANGES * READERS} readers", "median", "sent"),
            [[changed.what, *changed.texts] for changed in changes],
        ),
        "all": Table(("all requests", "95 % within"), every),
    }
    targets = [
        {
            "what": "Pages, 95 % of all requests, processor time",
            "measured": f"{p95(cpu):.1f} ms",
            "wanted": f"<= {LIMIT:.0f} ms",
        }
    ]
    for change in changes[:2]:
        mean, _, sent = change.texts
        about = f"A change of {change.what}"
        targets.append(
            {"what": f"{about}, per reader", "measured": mean, "wanted": f"<= {CHANGE_LIMIT:.0f} ms"}
        )
        targets.append({"what": f"{about}, sent", "measured": sent, "wanted": f"<= {CHANGE_BYTES >> 10} KB"})
    save("pages", command, conditions, tables, targets)


def _request_all(crowded: Crowded, only: set[str], count: int) -> list[tuple[str, Measured]]:
    """Request every kind of page `count` times: ("role URL", what was measured) of each request."""
    from benchmarks import page_addresses

    rng = random.Random(7)
    browsers = _browsers(crowded)
    every = {
        name: make for name, make in page_addresses.pages(crowded, rng).items() if not only or name in only
    }
    wanted = [(name, make) for name, make in every.items() for _ in range(count)]
    rng.shuffle(wanted)
    for browser in browsers.values():
        request("warm", browser, "/")  # loads what is loaded only once, per process and per client
    measured = []
    for name, make in wanted:
        address = make()
        role = rng.choice(page_addresses.allowed_roles(name))
        measured.append((f"{role} {address}", request(name, browsers[role], address)))
    return measured


def _browsers(crowded: Crowded) -> dict[str, Client]:
    from django.test import Client

    browsers = {
        role: Client(headers={"Accept-Encoding": "gzip"})
        for role in ("anonymous", "competitor", "organizer", "staff")
    }
    people = {"competitor": crowded.people[0], "organizer": crowded.organizer, "staff": crowded.staff}
    for role, user in people.items():
        browsers[role].force_login(user)
    return browsers


def request(page: str, browser: Client, address: str) -> Measured:
    from django.db import connection

    queries = 0

    def count_query(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        nonlocal queries
        queries += 1
        return execute(sql, params, many, context)

    headers = {"HX-Request": "true"} if "part=" in address else {}
    connection.ensure_connection()
    with connection.execute_wrapper(count_query):
        server, cpu, wall = _server_seconds(), time.process_time(), time.perf_counter()
        response = browser.get(address, headers=headers)
        body = response.getvalue()
        took = time.perf_counter() - wall, time.process_time() - cpu + _server_seconds() - server
    if response.status_code >= 500 and response.status_code != 503:
        raise RuntimeError(f"{address}: {response.status_code}")
    return Measured(page, response.status_code, 1000 * took[1], 1000 * took[0], queries, len(body))


def _server_seconds() -> float:
    """Processor time of PostgreSQL's process for this connection; 0 with SQLite, or if it runs elsewhere."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    assert connection.connection is not None
    pid = connection.connection.get_backend_pid()
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


def _measure_changes(crowded: Crowded) -> list[Change]:
    """Measure the requests of readers after a result has changed the largest competition's leaderboard."""
    from django.db.models import F

    from agon.site.leaderboards.models import Leaderboard

    place = crowded.places[0]
    slug = place.competition.slug
    browsers = list(_browsers(crowded).values())
    rng = random.Random(5)
    changes = []
    for part, address in (
        (f"the leaderboard of {len(place.bots):,} bots", f"/c/{slug}/?part=board"),
        ("the list of matches", f"/c/{slug}/matches/?part=rows"),
        ("the home page", "/?part=cards"),
    ):
        requests = []
        for _ in range(CHANGES):
            Leaderboard.objects.filter(competition=place.competition).update(version=F("version") + 1)
            time.sleep(0.2)
            requests += [request(part, rng.choice(browsers), address) for _ in range(READERS)]
        change = Change(
            part,
            statistics.fmean(measured.ms for measured in requests),
            statistics.median(measured.ms for measured in requests),
            max(measured.sent for measured in requests),
        )
        mean, median, sent = change.texts
        print(
            f"a change of {part}: {mean} of processor time a reader (mean of {len(requests)} readers, "
            f"the first of each {READERS} included), median {median}, at most {sent}; "
            f"wanted <= {CHANGE_LIMIT:.0f} ms, <= {CHANGE_BYTES >> 10} KB"
        )
        changes.append(change)
    return changes


if __name__ == "__main__":
    main()
