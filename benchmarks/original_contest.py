"""Plays the whole original Honest Rock-Paper-Scissors contest on a site: 31 bots, 96,100 matches.

    python -m benchmarks.original_contest FOLDER [--rounds 100] [--bots 31]

A site as `make run` starts it (SQLite, bubblewrap, one worker per core) keeps its data in FOLDER and plays a
round robin in which each bot meets every bot, itself included, in both seats, a hundred times. The bots are
copies of the 13 bots of the other benchmarks. Meanwhile a reader opens the pages of the site, one after
another. After a third of the matches a worker is killed. After two thirds the whole site is killed, and
started again.

Prints the total time, the number of matches that were begun more than once, the memory of all processes, the
bytes on disk, and how long pages took. Finally the archive is downloaded and verified, which replays every
match from its record.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from agon.supervisor.children import descendants
from benchmarks.measure import p95

ROOT = Path(__file__).resolve().parents[1]
POLL = 5.0  # seconds between two reads of the progress
READ_EVERY = 0.5  # seconds between two pages
PAGES = (
    "/",
    "/c/contest/",
    "/c/contest/matches/",
    "/c/contest/tournaments/",
    "/tournaments/1/",
    "/tournaments/1/matrix",
    "/bots/1/",
    "/matches/{match}/",
    "/matches/{match}/log.json",
)
COUNTS = """
    SELECT COUNT(*), SUM(state = 'finished'), SUM(state = 'void'), SUM(attempt > 1), MAX(attempt)
    FROM matches_match WHERE tournament_id = 1
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.original_contest")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--bots", type=int, default=31)
    parser.add_argument("--port", type=int, default=8123)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(mode=0o755, parents=True)
    os.environ |= {
        "AGON_VAR": str(folder),
        "AGON_LADDER_MATCHES": "1",  # so that the ladder hardly plays
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
    }
    words = [str(options.bots), str(options.rounds)]
    subprocess.run([sys.executable, "-m", "benchmarks.site", "prepare_contest", *words], cwd=ROOT, check=True)
    Contest(folder, options.port).run(options.bots**2 * options.rounds)


class Contest:
    """One run of the benchmark: the site, its reader, and what was measured."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.page_seconds: dict[str, list[float]] = defaultdict(list)
        self.failed_pages = 0
        self.most_mib = 0.0
        self.is_over = threading.Event()
        self.is_down = threading.Event()

    def run(self, total: int) -> None:
        reader = threading.Thread(target=self.read_pages)
        began = time.monotonic()
        site = self.start()
        try:
            reader.start()
            self.wait_for_matches(total // 3, site, began, total)
            self.kill_a_worker(site)
            self.wait_for_matches(2 * total // 3, site, began, total)
            site = self.kill_all(site)
            self.wait_for_matches(total, site, began, total)
            seconds = time.monotonic() - began
            self.is_over.set()
            reader.join()
            self.report(seconds)
            self.verify()
        finally:
            self.is_over.set()
            site.send_signal(signal.SIGINT)
            site.wait()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the site; returns its supervisor once it serves pages."""
        environment = os.environ | {"HOST": "127.0.0.1", "PORT": str(self.port)}
        with open(self.folder / "site.log", "ab") as log:
            command = [sys.executable, "-m", "agon", "serve"]
            site = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        while True:
            try:
                httpx.get(f"{self.url}/", timeout=5)
                return site
            except httpx.TransportError:
                if site.poll() is not None:
                    raise RuntimeError((self.folder / "site.log").read_text()) from None
                time.sleep(0.1)

    def wait_for_matches(self, matches: int, site: subprocess.Popen[bytes], began: float, total: int) -> None:
        """Wait until this many matches are finished."""
        shown = began
        while (played := self.match_counts()[1]) < matches:
            if site.poll() is not None:
                raise RuntimeError("the site has ended; see site.log")
            self.most_mib = max(self.most_mib, memory_mib(site.pid))
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print(f"{shown - began:6.0f} s  {played} of {total}  {self.most_mib:.0f} MiB", flush=True)
            time.sleep(POLL)

    def match_counts(self) -> tuple[int, int, int, int, int]:
        """The numbers of matches: all, finished, void, begun more than once; and the most attempts at one."""
        with database(self.folder) as connection:
            total, finished, void, again, most = connection.execute(COUNTS).fetchone()
            return total, finished or 0, void or 0, again or 0, most or 0

    def kill_a_worker(self, site: subprocess.Popen[bytes]) -> None:
        workers = [pid for pid in descendants(site.pid) if b"worker-0@" in command_of(pid)]
        os.kill(workers[0], signal.SIGKILL)
        print(f"killed a worker after {self.match_counts()[1]} results", flush=True)

    def kill_all(self, site: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """Kill the supervisor, after which the kernel kills its children, and start the site again."""
        self.is_down.set()
        site.kill()
        site.wait()
        print(f"killed the site after {self.match_counts()[1]} results", flush=True)
        again = self.start()
        self.is_down.clear()
        return again

    def read_pages(self) -> None:
        with httpx.Client(base_url=self.url, timeout=60) as browser:
            while not self.is_over.is_set():
                for page in PAGES:
                    if self.is_over.wait(READ_EVERY):
                        return
                    self.read(browser, page)

    def read(self, browser: httpx.Client, page: str) -> None:
        with database(self.folder) as connection:
            rows = connection.execute("SELECT MAX(id) FROM matches_match WHERE state = 'finished'")
            match = rows.fetchone()[0]
        if match is None and "{match}" in page:
            return
        was_down = self.is_down.is_set()
        began = time.monotonic()
        try:
            status = browser.get(page.format(match=match)).status_code
        except httpx.TransportError:
            status = 0
        if was_down or self.is_down.is_set():
            return  # the site has just been killed
        self.page_seconds[page].append(time.monotonic() - began)
        self.failed_pages += status != 200

    def report(self, seconds: float) -> None:
        total, finished, void, again, most = self.match_counts()
        print(f"{finished} matches of {total} in {seconds / 60:.1f} min: {finished / seconds:.1f} a second")
        print(f"{void} void; {again} were begun more than once, at most {most} times")
        print(f"memory of all processes (PSS): at most {self.most_mib:.0f} MiB")
        for name in ("database", "records"):
            size = sum(file.stat().st_size for file in self.files(name))
            print(f"{name}: {size / 2**20:.0f} MiB, {size / max(1, finished):.0f} bytes a match")
        everything = [second for seconds in self.page_seconds.values() for second in seconds]
        for page, took in [("all pages", everything), *self.page_seconds.items()]:
            median, longest = statistics.median(took), max(took)
            print(
                f"{page}: {len(took)} times, median {1000 * median:.0f} ms, "
                f"95 % within {1000 * p95(took):.0f} ms, longest {1000 * longest:.0f} ms"
            )
        print(f"pages that failed: {self.failed_pages}", flush=True)

    def files(self, name: str) -> Iterator[Path]:
        if name == "database":
            return self.folder.glob("*.sqlite3*")
        return (path for path in (self.folder / "media" / "matches").rglob("*") if path.is_file())

    def download(self, archive: Path) -> bool:
        """Download the archive; returns False while the site is still making it."""
        with httpx.stream("GET", f"{self.url}/tournaments/1/archive", timeout=60) as answer:
            if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
                return False
            answer.raise_for_status()
            with open(archive, "wb") as file:
                for part in answer.iter_bytes():
                    file.write(part)
            return True

    def verify(self) -> None:
        began = time.monotonic()
        archive = self.folder / "contest.zip"
        while not self.download(archive):
            time.sleep(POLL)
        size = archive.stat().st_size / 2**20
        print(f"archive: {size:.0f} MiB, downloaded after {time.monotonic() - began:.0f} s", flush=True)
        began = time.monotonic()
        verified = subprocess.run(
            [sys.executable, "-m", "agon", "verify", str(archive)], cwd=ROOT, capture_output=True, text=True
        )
        print(re.sub(r"\A.*\r", "", verified.stdout.strip())[-2000:])
        print(f"agon verify: exit status {verified.returncode} after {time.monotonic() - began:.0f} s")


@contextmanager
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{folder}/agon.sqlite3?mode=ro", uri=True, timeout=60)
    try:
        yield connection
    finally:
        connection.close()


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # the process has ended


def memory_mib(site: int) -> float:
    """The PSS of all processes of a site, boxes and bots included."""
    kib = 0
    for pid in [site, *descendants(site)]:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue  # the process has ended
        kib += int(text.partition("\nPss:")[2].split()[0]) if "\nPss:" in text else 0
    return kib / 1024


if __name__ == "__main__":
    main()
