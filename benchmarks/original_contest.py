"""The original contest of Honest Rock-Paper-Scissors, played through a site that is killed twice meanwhile.

    AGON_VAR=FOLDER python -m benchmarks.original_contest [--bots 31] [--rounds 100] [--port 8765]

For a machine that does nothing else: 31 bots and 100 rounds are 96,100 matches. FOLDER is new, and is kept.
`agon serve` plays them with a worker for each core. When a third and two thirds have been played, every
process of the site is killed at once, and it is started again. Meanwhile a reader asks for pages, one after
the other.

Reported are the time, the matches a second, memory (PSS of all processes of the site), bytes on disk, the
time of a page (the 95th percentile), and the results digest. Every match has to be finished, and none may be
void. The seeds are not drawn, so `agon tournament` plays the same matches: the first round is played by it,
too, and the records of matches that were not interrupted have to be the same bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import logging
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import django
import httpx

from benchmarks.house import files
from supervisor.children import descendants

if TYPE_CHECKING:
    from tournaments.models import Tournament

GAME = "honest_rps"
SEED = 11
SCANNING = Path(__file__).parent / "scanning"
THIRDS = (1 / 3, 2 / 3)  # played when the site is killed
# `agon serve` without house bots, which would be built and rated meanwhile.
SERVE = """
from dataclasses import replace
from games.core import manifest
load = manifest.load
manifest.load = lambda slug: replace(load(slug), house=())
from cli import main
main()
"""
READS_EVERY = 1.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.original_contest")
    parser.add_argument("--bots", type=int, default=31)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args()
    place = Path(os.environ["AGON_VAR"])
    os.environ |= {"DJANGO_SETTINGS_MODULE": "agon.settings", "AGON_SANDBOX": "bubblewrap"}
    entrants = bots(place / "bots", options.bots)
    django.setup()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    tournament = prepare(entrants, options.rounds)
    matches = tournament.matches.model.objects.filter(tournament=tournament)
    contest = tournament.competition.get_absolute_url()
    paths = ("/", contest, f"{contest}matches/", tournament.get_absolute_url())
    reader = Reader(f"http://127.0.0.1:{options.port}", paths)
    began, most_kib = time.monotonic(), 0
    kills = [int(part * tournament.total) for part in THIRDS]
    site = Site(options.port)
    threading.Thread(target=reader.read, daemon=True).start()
    while (done := matches.filter(state="finished").count()) < tournament.total:
        time.sleep(2)
        most_kib = max(most_kib, site.kib())
        if kills and done >= kills[0]:
            kills.pop(0)
            site.kill()
            print(f"killed after {done:,} matches", flush=True)
            site = Site(options.port)
        if site.process.poll() is not None:
            raise SystemExit(f"the site ended: see {place / 'site.log'}")
    took = time.monotonic() - began
    site.stop()
    print(
        f"{done:,} matches in {took / 60:.1f} min, {done / took:.1f} a second; at most {most_kib >> 10} MiB"
    )
    again = matches.filter(attempt__gt=1).count()
    print(
        f"{again} played again after a kill; states: {sorted(set(matches.values_list('state', flat=True)))}"
    )
    used = sum(file.stat().st_blocks * 512 for file in place.rglob("*") if file.is_file())
    print(f"{used >> 20} MiB on disk, {used // done:,} bytes a match")
    print(reader.told())
    compare(tournament, entrants)


def bots(folder: Path, count: int) -> list[Path]:
    """Bots that draw nothing by chance. They differ in a comment where there are more than kinds."""
    folder.mkdir(parents=True)
    kinds = [*files(GAME, "stone.py", "starter.py"), *sorted(SCANNING.glob("*.py"))]
    made = []
    for number, kind in zip(range(count), itertools.cycle(kinds), strict=False):
        made.append(folder / f"{kind.stem}-{number}.py")
        made[-1].write_text(f"# {number}\n{kind.read_text()}")
    return made


def prepare(entrants: list[Path], rounds: int) -> Tournament:
    """A tournament that has been started, of a competition whose ladder plays nothing."""
    from django.core.management import call_command

    from accounts.services import house_user
    from bots.models import Submission
    from bots.services import receive_house
    from competitions.models import Competition
    from matches.models import Match
    from pipeline import building, qualification
    from sandbox import open_sandbox
    from tournaments import services
    from tournaments.models import Tournament

    call_command("migrate", verbosity=0, interactive=False)
    owner = house_user()
    competition = Competition.objects.create(slug="contest", game=GAME, title="Contest")
    for path in entrants:
        receive_house(owner, competition, path.stem, path.name, path.read_bytes())
    sandbox = open_sandbox("bubblewrap")
    with contextlib.closing(sandbox):
        while building.build_next(sandbox):
            pass
    submissions = list(Submission.objects.order_by("pk").select_related("bot"))
    for submission in submissions:
        qualification.activate(submission)
    Match.objects.all().delete()
    competition.refresh_from_db()
    tournament = services.create(
        owner, competition, "Contest", "round_robin_self", rounds, SEED, [each.bot for each in submissions]
    )
    Tournament.objects.update(salt="")  # so that seeds are those of the command line
    tournament.refresh_from_db()
    services.start(tournament)
    competition.state = competition.State.CLOSED
    competition.save()
    Match.objects.filter(tournament=None).delete()
    tournament.refresh_from_db()
    return tournament


class Site:
    """`agon serve`, and the processes below it."""

    def __init__(self, port: int) -> None:
        command = [sys.executable, "-c", SERVE, "serve", "--port", str(port)]
        with Path(os.environ["AGON_VAR"], "site.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self) -> None:
        """End all of its processes at once, as a power cut does."""
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def kib(self) -> int:
        """Memory of all processes, boxes included."""
        return sum(map(_pss_kib, [self.process.pid, *descendants(self.process.pid)]))


def _pss_kib(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:  # it has ended
        pass
    return 0


class Reader:
    """Somebody who looks at pages. What fails while the site is down is not counted."""

    def __init__(self, url: str, paths: tuple[str, ...]) -> None:
        self.url = url
        self.paths = paths
        self.seconds: list[float] = []
        self.errors = 0

    def read(self) -> None:
        for path in itertools.cycle(self.paths):
            began = time.perf_counter()
            with contextlib.suppress(httpx.TransportError):
                answer = httpx.get(self.url + path, timeout=60, follow_redirects=True)
                self.seconds.append(time.perf_counter() - began)
                self.errors += answer.status_code != 200
            time.sleep(READS_EVERY)

    def told(self) -> str:
        pages = sorted(self.seconds)
        slow = pages[math.ceil(0.95 * len(pages)) - 1]
        median = statistics.median(pages)
        took = f"median {median * 1000:.0f} ms, 95 % within {slow * 1000:.0f} ms"
        return f"{len(pages)} pages: {took}, {self.errors} errors"


def compare(tournament: Tournament, entrants: list[Path]) -> None:
    """Print the results digest; play the first round with the command line, and compare the records."""
    from archives import services as archives

    path = Path(os.environ["AGON_VAR"], "contest.zip")
    with path.open("wb") as file:
        file.writelines(archives.of_tournament(tournament))
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        manifest = json.loads(archive.read("manifest.json"))
        print(f"results digest: {manifest['results']}", flush=True)
        command = [sys.executable, "-m", "cli", "tournament", GAME, *map(str, entrants), "--json"]
        command += ["--seed", str(SEED), "--rounds", "1", "--format", "round_robin_self"]
        command += ["--sandbox", "bubblewrap", "--save", f"{folder}/one"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        once = set(tournament.matches.filter(attempt=1).values_list("index", flat=True))
        records = [
            record
            for record in Path(folder, "one", "matches").glob("*/record.json")
            if int(record.parent.name) in once  # one that is played again has another seed
        ]
        equal = sum(
            archive.read(f"matches/{record.parent.name}/record.json") == record.read_bytes()
            for record in records
        )
    print(f"first round by the command line: {equal} of {len(records)} records that were played once equal")


if __name__ == "__main__":
    main()
