"""Measures how long other visitors wait for a page while one address asks on many connections at once.

    python -m benchmarks.one_address                 with 0, 40 and 200 connections of the one address

Starts the web server of `make run` on a site with one competition and no bots.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CROWD, OTHER = "127.0.0.2", "127.0.0.3"
PAGE = "/c/coup/"
REQUESTS = 20  # of the other visitor, one after another
PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from agon.site.competitions.models import Competition
Competition.objects.create(slug="coup", game="coup", title="Coup")
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_address")
    parser.add_argument("--connections", type=int, nargs="*", default=[0, 40, 200])
    options = parser.parse_args()
    with _site() as port:
        asyncio.run(_ask(port, OTHER))  # the first request loads what the others need
        for connections in options.connections:
            waits, answered = asyncio.run(_beside(port, connections))
            print(
                f"{connections:4} connections of one address: others wait {statistics.median(waits):.2f} s "
                f"(median), {max(waits):.2f} s (at most); the one address got {answered:.0f} pages per second"
            )


@contextmanager
def _site() -> Iterator[int]:
    """The port of a web server on a new site."""
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder:
        environment = os.environ | {
            "AGON_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT}/platform",
        }
        subprocess.run([sys.executable, "-c", PREPARE], env=environment, check=True)
        ready, when_ready = os.pipe()
        with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
            server = subprocess.Popen(
                [sys.executable, "-m", "agon.supervisor.web", str(listening.fileno()), str(when_ready)],
                env=environment,
                pass_fds=(listening.fileno(), when_ready),
            )
            os.close(when_ready)
            try:
                os.read(ready, 1)
                yield int(listening.getsockname()[1])
            finally:
                os.close(ready)
                server.terminate()
                server.wait(60)


async def _beside(port: int, connections: int) -> tuple[list[float], float]:
    """How long each request of the other visitor took, and the pages per second that the crowd got."""
    answered = 0

    async def ask_again_and_again() -> None:
        nonlocal answered
        while True:
            await _ask(port, CROWD)
            answered += 1

    crowd = [asyncio.create_task(ask_again_and_again()) for _ in range(connections)]
    await asyncio.sleep(2)  # until all of them wait
    began, before = time.monotonic(), answered
    waits = [await _ask(port, OTHER) for _ in range(REQUESTS)]
    took, answers = time.monotonic() - began, answered - before
    for task in crowd:
        task.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    return waits, answers / took


async def _ask(port: int, address: str) -> float:
    """Get the page from that address; the seconds until it is there."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(f"GET {PAGE} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    if b" 200 " not in answer[:20]:
        raise RuntimeError(f"unexpected answer: {answer[:100]!r}")
    return time.monotonic() - began


if __name__ == "__main__":
    main()
