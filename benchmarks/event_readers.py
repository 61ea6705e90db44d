"""Measures how many programs can follow the events of a site that is served by one web process.

    python -m benchmarks.event_readers                   10,000 readers, with SQLite, in a temporary folder
    DATABASE_URL=postgres://... python -m benchmarks.event_readers
                                                         with PostgreSQL: makes a database on that server
    ... --readers 1000                                   fewer

Starts the web server of `agon serve` alone, with as many streams allowed as the system lets one process open,
and opens READERS streams of server-sent events, from as many addresses of this machine as the usual limits
ask for. Measures the memory, the threads and the processor time of
the web process with and without them while nothing happens; then lets EVENTS events happen, one after the
other, and notes for each reader when it arrived. Finally opens one stream more than the limit allows, which
has to be refused with a time to come again.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import p95
from benchmarks.pages import site_environment

SLUG = "readers"
EVENTS = 5
OF_ADDRESS = 50  # readers
IDLE_SECONDS = 30.0
AT_ONCE = 50  # connections that are opened at a time
LONGEST_WAIT = 120.0


class Reader:
    """A stream. arrived: when each event did."""

    def __init__(self) -> None:
        self.status = 0
        self.head = b""
        self.opened = asyncio.Event()
        self.arrived: list[float] = []

    async def run(self, number: int, port: int, since: int, gate: asyncio.Semaphore) -> None:
        host = number // OF_ADDRESS
        async with gate:
            local = (f"127.1.{host // 250}.{host % 250 + 1}", 0)
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local)
            path = f"/api/v1/competitions/{SLUG}/events?since={since}"
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".encode()
            )
            self.head = await reader.readuntil(b"\r\n\r\n")
            self.status = int(self.head.split()[1])
        self.opened.set()
        while line := await reader.readline():
            if line.startswith(b"data:"):
                self.arrived.append(time.monotonic())


async def measure(server: subprocess.Popen[bytes], port: int, count: int) -> None:
    from asgiref.sync import sync_to_async

    from agon.site.events import feed

    since = await sync_to_async(feed.last_number)()
    gate = asyncio.Semaphore(AT_ONCE)
    await opened([Reader()], port, since, gate)  # loads what is loaded only once
    before, began = memory(server.pid), time.monotonic()
    readers = [Reader() for _ in range(count)]
    tasks = await opened(readers, port, since, gate)
    following = [reader for reader in readers if reader.status == 200]
    print(f"{len(following)} of {count} readers after {time.monotonic() - began:.0f} s", flush=True)
    used, began = seconds(server.pid), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    share = (seconds(server.pid) - used) / (time.monotonic() - began)
    each_kib = (memory(server.pid) - before) / len(following)
    print(f"idle: {share:.1%} of a core, {each_kib:.1f} KiB a reader, {threads(server.pid)} threads")
    used = seconds(server.pid)
    delays = [delay for number in range(EVENTS) for delay in await delays_of(following, number)]
    print(f"an event: {(seconds(server.pid) - used) / EVENTS:.2f} s of a core")
    delays.sort()
    print(
        f"from a change to a reader: median {statistics.median(delays):.2f} s, "
        f"95 % within {p95(delays):.2f} s, at most {delays[-1]:.2f} s"
    )
    extra = Reader()
    tasks += await opened([extra], port, since, gate)
    lines = extra.head.decode().splitlines()
    print("one more:", lines[0], *(line for line in lines if line.lower().startswith("retry-after")))
    for task in tasks:
        task.cancel()


async def opened(
    readers: list[Reader], port: int, since: int, gate: asyncio.Semaphore
) -> list[asyncio.Task[None]]:
    """The tasks of the readers, once each has an answer."""
    tasks = [
        asyncio.create_task(reader.run(number, port, since, gate)) for number, reader in enumerate(readers)
    ]
    await asyncio.wait_for(asyncio.gather(*(reader.opened.wait() for reader in readers)), 1800)
    return tasks


async def delays_of(readers: list[Reader], number: int) -> list[float]:
    """Seconds from an event until each reader has it."""
    from asgiref.sync import sync_to_async

    before, began = time.process_time(), time.monotonic()
    await sync_to_async(happen)(number)
    while any(len(reader.arrived) <= number for reader in readers):
        assert time.monotonic() < began + LONGEST_WAIT, "some did not get it"
        await asyncio.sleep(0.05)
    took, own = time.monotonic() - began, time.process_time() - before
    print(f"event {number}: all after {took:.2f} s, of which {own:.2f} s of a core were the readers'")
    return [reader.arrived[number] - began for reader in readers]


def happen(number: int) -> None:
    from agon.site.competitions.models import Competition
    from agon.site.events import feed
    from agon.site.events.models import Kind

    feed.add(Kind.LEADERBOARD_CHANGED, Competition.objects.get(slug=SLUG).pk, version=number)


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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.event_readers")
    parser.add_argument("--readers", type=int, default=10_000)
    options = parser.parse_args()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with site_environment():
        from django.core.management import call_command
        from django.db import connection

        from agon.site.competitions.models import Competition
        from agon.site.leaderboards.models import Leaderboard
        from games.core.manifest import slugs

        call_command("migrate", verbosity=0, interactive=False)
        competition = Competition.objects.create(slug=SLUG, game=slugs()[0], title="Readers")
        Leaderboard.objects.create(competition=competition)
        print(f"{connection.vendor}; {hard} files a process", flush=True)
        with web_server(options.readers + 1) as (server, port):
            asyncio.run(measure(server, port, options.readers))


if __name__ == "__main__":
    main()
