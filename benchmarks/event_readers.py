"""Measures how many programs, and how many open pages, can follow a site that is served by one web process.

    python -m benchmarks.event_readers [--write]         with SQLite, in a temporary folder
    DATABASE_URL=postgres://... python -m benchmarks.event_readers
                                                         with PostgreSQL: makes a database on that server
    ... --programs 1000 --pages 1000 --own-pages         these numbers

Starts the web server of `agon serve` alone for each number of readers, with as many streams allowed as the
system lets one process open. Readers open streams of server-sent events, from as many addresses of this
machine as the usual limits ask for: programs those of a competition's events, pages those of a leaderboard of
BOTS bots, as those of readers without a bot there do (each gets the new board with the event) and as those of
readers with one do, which may be on another page of so large a board (each fetches it). Measures the
memory, the threads and the processor time of the web process with and without them while nothing happens;
then lets CHANGES happen, one after the other, and notes for each reader when it had the news: the event, or
the whole new table. Finally opens one stream more than the limit allows, which has to be refused.

The readers are on the same machine. Their processor time is shown beside that of the web process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import resource
import socket
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import p95
from benchmarks.pages import site_environment
from benchmarks.report import Table, machine, save

SLUG = "honest-rps-0"
BOTS = 60
CHANGES = 20
LARGE = 5000  # readers: from here on there are fewer changes, since each takes seconds, as fetching does
FEW_CHANGES = 5
OF_ADDRESS = 50  # readers
IDLE_SECONDS = 30.0
PAUSE = 1.0  # seconds between changes, at most; a page waits 0.7 s after the last one
AT_ONCE = 50  # connections that are opened at a time
LONGEST_WAIT = 120.0
COLUMNS = (
    "1 web process and",
    "idle",
    "memory of each",
    "threads",
    "a change",
    "the readers",
    "median",
    "95 % within",
    "at most",
)


class Kind(NamedTuple):
    """What readers open. address: of the stream. news: its event that says or brings what is new.

    part: what they fetch then, over a connection of their own; "" if the event brings all of it.
    """

    what: str
    address: str
    news: bytes
    part: str = ""
    headers: str = ""


PROGRAMS = Kind("programs", f"/api/v1/competitions/{SLUG}/events", b"event: leaderboard.changed")
PAGES = Kind("pages without a bot of theirs", f"/c/{SLUG}/events/?board=1", b"event: board")
OWN_PAGES = Kind(
    "pages with one of many bots", f"/c/{SLUG}/events/", b"event: leaderboard", f"/c/{SLUG}/?part=board"
)


class Reader:
    """An open stream. arrived: when it had the news of each change."""

    def __init__(self, kind: Kind, port: int, number: int) -> None:
        host = number // OF_ADDRESS
        self._kind, self._port, self._address = kind, port, f"127.1.{host // 250}.{host % 250 + 1}"
        self._asked = (kind.part, "text/html", kind.headers)
        self._fetching: Connection | None = None
        self.status = 0
        self.head = b""
        self.opened = asyncio.Event()
        self.arrived: list[float] = []

    async def run(self, gate: asyncio.Semaphore) -> None:
        async with gate:
            stream = await self._connect()
            self.head = await stream.ask(self._kind.address, "text/event-stream", self._kind.headers)
            self.status = int(self.head.split()[1])
        self.opened.set()
        try:
            while self.status == 200 and (event := await stream.event()):
                if event.startswith(self._kind.news) or b"\n" + self._kind.news in event:
                    await self._fetch()
                    self.arrived.append(time.monotonic())
        finally:
            stream.close()

    async def _fetch(self) -> None:
        """Get the part of the page that changes, over the last connection if the server has not ended it."""
        if not self._kind.part:
            return
        fetching = self._fetching or await self._connect()
        head = await fetching.ask(*self._asked)
        if not head:
            fetching = await self._connect()
            head = await fetching.ask(*self._asked)
        assert head.split()[1] == b"200", head
        await fetching.body(head)
        self._fetching = fetching

    async def _connect(self) -> Connection:
        return Connection(
            *await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(self._address, 0), limit=1 << 20
            )
        )


class Connection:
    """HTTP as far as a browser needs it here."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._inflate: zlib._Decompress | None = None
        self._text = b""

    def close(self) -> None:
        self._writer.close()

    async def ask(self, address: str, accepted: str, more: str) -> bytes:
        """The head of the response; b"" if the server has ended the connection."""
        lines = (
            f"GET {address} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Accept: {accepted}",
            "Accept-Encoding: gzip",
            "Accept-Language: en",
        )
        if self._writer.transport.is_closing() or self._reader.at_eof():
            return b""
        self._writer.write(("\r\n".join(lines) + f"\r\n{more}\r\n").encode())
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        if b"content-encoding: gzip" in head.lower():
            self._inflate = zlib.decompressobj(31)
        return head

    async def body(self, head: bytes) -> bytes:
        matched = re.search(rb"content-length: (\d+)", head.lower())
        assert matched is not None
        return await self._reader.readexactly(int(matched[1]))

    async def event(self) -> bytes:
        """The next event of a stream; b"" at its end."""
        while b"\n\n" not in self._text:
            size = int(await self._reader.readline() or b"0", 16)
            piece = (await self._reader.readexactly(size + 2))[:-2] if size else b""
            if not size:
                return b""
            self._text += piece if self._inflate is None else self._inflate.decompress(piece)
        event, _end, self._text = self._text.partition(b"\n\n")
        return event


async def measure(server: subprocess.Popen[bytes], port: int, count: int, kind: Kind) -> list[str]:
    """A row of the table."""
    from asgiref.sync import sync_to_async

    gate = asyncio.Semaphore(AT_ONCE)
    first = Reader(kind, port, 0)  # loads what is loaded only once
    await ended(await opened([first], gate))
    await asyncio.sleep(1)  # in which the server notices
    before, began = memory(server.pid), time.monotonic()
    readers = [Reader(kind, port, number + 1) for number in range(count)]
    tasks = await opened(readers, gate)
    following = [reader for reader in readers if reader.status == 200]
    print(f"{len(following)} of {count} readers after {time.monotonic() - began:.0f} s", flush=True)
    await asyncio.sleep(2)
    used, began = seconds(server.pid), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    share = (seconds(server.pid) - used) / (time.monotonic() - began)
    each_kib = (memory(server.pid) - before) / len(following)
    used, own = seconds(server.pid), time.process_time()
    changes = CHANGES if count < LARGE and not kind.part else FEW_CHANGES
    delays = []
    for number in range(changes):
        await asyncio.sleep(random.uniform(0.5, 0.5 + PAUSE))
        delays += await delays_of(following, sync_to_async(happen), number)
    delays.sort()
    row = [
        f"{count:,} {kind.what}",
        f"{share:.1%} of a core",
        f"{each_kib:.0f} KiB",
        str(threads(server.pid)),
        f"{(seconds(server.pid) - used) / changes:.2f} s of a core",
        f"{(time.process_time() - own) / changes:.2f} s of a core",
        f"{statistics.median(delays):.2f} s",
        f"{p95(delays):.2f} s",
        f"{delays[-1]:.2f} s",
    ]
    print(*(f"{name}: {text}" for name, text in zip(COLUMNS, row, strict=True)), sep="; ", flush=True)
    extra = Reader(kind, port, count + 1)
    tasks += await opened([extra], gate)
    lines = extra.head.decode().splitlines()
    print("one more:", lines[0], *(line for line in lines if line.lower().startswith("retry-after")))
    await ended(tasks)
    return row


async def ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def opened(readers: list[Reader], gate: asyncio.Semaphore) -> list[asyncio.Task[None]]:
    """The tasks of the readers, once each has an answer."""
    tasks = [asyncio.create_task(reader.run(gate)) for reader in readers]
    await asyncio.wait_for(asyncio.gather(*(reader.opened.wait() for reader in readers)), 1800)
    return tasks


async def delays_of(
    readers: list[Reader], happens: Callable[[int], Awaitable[None]], number: int
) -> list[float]:
    """Seconds from a change until each reader has the news."""
    known = [len(reader.arrived) for reader in readers]
    began = time.monotonic()
    await happens(number)
    while any(len(reader.arrived) <= had for reader, had in zip(readers, known, strict=True)):
        assert time.monotonic() < began + LONGEST_WAIT, "some did not get it"
        await asyncio.sleep(0.05)
    return [reader.arrived[had] - began for reader, had in zip(readers, known, strict=True)]


def happen(number: int) -> None:
    """A leaderboard changes, as the storing of a result changes it."""
    from agon.site.competitions.models import Competition
    from agon.site.events import feed
    from agon.site.events.models import Kind as EventKind
    from agon.site.leaderboards import ratings

    competition = Competition.objects.get(slug=SLUG)
    feed.add(EventKind.LEADERBOARD_CHANGED, competition.pk, version=number)
    ratings.raise_version(competition)


def memory(pid: int) -> int:
    """KiB of a process."""
    return int(_status(pid)["VmRSS"].split()[0])


def threads(pid: int) -> int:
    return int(_status(pid)["Threads"])


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _colon, value in (line.partition(":") for line in lines)}


def seconds(pid: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def web_server(most: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The web process of `agon serve`, and its port. most: the streams that it allows."""
    ready, when_ready = os.pipe()
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        server = subprocess.Popen(
            [sys.executable, "-m", "agon.supervisor.web", str(listening.fileno()), str(when_ready)],
            env=os.environ | {"AGON_STREAMS": str(most)},
            pass_fds=(listening.fileno(), when_ready),
        )
        os.close(when_ready)
        try:
            assert os.read(ready, 1)
            yield server, int(listening.getsockname()[1])
        finally:
            os.close(ready)
            server.terminate()
            server.wait(120)


def fill() -> None:
    """A competition with BOTS of as many people on its leaderboard."""
    from benchmarks.crowded_bots import Game, enter, make_people, make_place
    from games.core.manifest import load

    house = [("House", f"{0:064x}", "bot.py", "sources/house.py")]
    place = make_place(0, Game(load(SLUG.rpartition("-")[0].replace("-", "_")), house))
    people = make_people(2 * BOTS)
    enter(place, people, people[0], BOTS, random.Random(1))


def signed_in() -> str:
    """The cookie of a user with a bot on that leaderboard."""
    from django.conf import settings
    from django.test import Client

    from agon.site.bots.models import Bot

    client = Client()
    client.force_login(Bot.objects.filter(house=False)[0].owner)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.event_readers")
    parser.add_argument("--programs", type=int, nargs="*", default=[1_000, 9_900])
    parser.add_argument("--pages", type=int, nargs="*", default=[1_000])
    parser.add_argument("--own-pages", type=int, nargs="*", default=[100])
    parser.add_argument("--write", action="store_true", help="keep the figures in benchmarks/results")
    options = parser.parse_args()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    load = f"load {os.getloadavg()[0]:.1f} before"
    rows = []
    print(machine(), flush=True)
    with site_environment():
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0, interactive=False)
        fill()
        conditions = f"{connection.vendor}, {hard} files a process, {BOTS} bots, readers on the same machine"
        print(conditions, flush=True)
        own_pages = OWN_PAGES._replace(headers=f"Cookie: {signed_in()}\r\n")
        kinds = ((PROGRAMS, options.programs), (PAGES, options.pages), (own_pages, options.own_pages))
        for kind, counts in kinds:
            for count in counts:
                with web_server(count) as (server, port):
                    rows.append(asyncio.run(measure(server, port, count, kind)))
    if options.write:
        load += f", {os.getloadavg()[0]:.1f} after; {conditions}"
        save("event_readers", "python -m benchmarks.event_readers", load, {"readers": Table(COLUMNS, rows)})


if __name__ == "__main__":
    main()
