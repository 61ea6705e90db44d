"""Measures how many programs can follow the events of a site that is served by one web process.

    AGON_VAR=FOLDER AGON_STREAMS_PER_ADDRESS=100000 AGON_STREAMS=100000 agon serve
    AGON_VAR=FOLDER python -m benchmarks.event_readers URL COMPETITION PID --readers 1000

Opens READERS streams of server-sent events, then lets EVENTS events happen, one after the other, and waits
until each reader has each. Prints how long that takes, and the memory and processor time of the web process
PID, with and without readers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import time
from pathlib import Path
from urllib.parse import urlsplit

import django

EVENTS = 5
IDLE_SECONDS = 20.0
AT_ONCE = 100  # connections that are opened at a time


class Reader:
    """A stream. delays: seconds from an event to its arrival here."""

    def __init__(self) -> None:
        self.seen = 0
        self.status = 0

    async def run(
        self, host: str, port: int, path: str, gate: asyncio.Semaphore, opened: asyncio.Event
    ) -> None:
        async with gate:
            reader, self.writer = await asyncio.open_connection(host, port)
            self.writer.write(
                f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
            )
            self.status = int((await reader.readline()).split()[1])
            while (await reader.readline()).strip():
                pass
        opened.set()
        while line := await reader.readline():
            self.seen += line.startswith(b"data:")


async def measure(url: str, slug: str, pid: int, count: int) -> None:
    from asgiref.sync import sync_to_async

    from agon.site.events import feed

    parts = urlsplit(url)
    since = await sync_to_async(feed.last_number)()
    path = f"/api/v1/competitions/{slug}/events?since={since}"
    before, gate = memory(pid), asyncio.Semaphore(AT_ONCE)
    readers = [Reader() for _ in range(count)]
    opened = [asyncio.Event() for _ in readers]
    start = time.monotonic()
    tasks = [
        asyncio.create_task(each.run(parts.hostname or "", parts.port or 80, path, gate, event))
        for each, event in zip(readers, opened, strict=True)
    ]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in opened)), 600)
    print(f"{count} readers after {time.monotonic() - start:.1f} s;", by_status(readers))
    following = [each for each in readers if each.status == 200]
    used, start = seconds(pid), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    share = (seconds(pid) - used) / (time.monotonic() - start)
    print(f"idle: {share:.1%} of a core, {(memory(pid) - before) / len(following):.1f} KiB a reader")
    delays = [await delay(slug, following, number) for number in range(1, EVENTS + 1)]
    print(f"all have an event after {statistics.median(delays):.2f} s (at most {max(delays):.2f} s)")
    for task in tasks:
        task.cancel()


async def delay(slug: str, readers: list[Reader], number: int) -> float:
    """Seconds until all readers have the next event."""
    from asgiref.sync import sync_to_async

    start = time.monotonic()
    await sync_to_async(happen)(slug, number)
    while any(each.seen < number for each in readers):
        assert time.monotonic() < start + 120, f"{sum(each.seen < number for each in readers)} did not get it"
        await asyncio.sleep(0.01)
    return time.monotonic() - start


def happen(slug: str, number: int) -> None:
    from agon.site.competitions.models import Competition
    from agon.site.events import feed
    from agon.site.events.models import Kind

    feed.add(Kind.LEADERBOARD_CHANGED, Competition.objects.get(slug=slug).pk, version=number)


def by_status(readers: list[Reader]) -> dict[int, int]:
    statuses = [each.status for each in readers]
    return {status: statuses.count(status) for status in sorted(set(statuses))}


def memory(pid: int) -> int:
    """KiB of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def seconds(pid: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.event_readers")
    parser.add_argument("url")
    parser.add_argument("competition")
    parser.add_argument("pid", type=int)
    parser.add_argument("--readers", type=int, default=1000)
    options = parser.parse_args()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    django.setup()
    asyncio.run(measure(options.url, options.competition, options.pid, options.readers))


if __name__ == "__main__":
    main()
