"""One run: a site is shaken for a while, mended, and checked."""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import psycopg2

from agon.supervisor.children import adopt_orphans, kill_descendants

from . import checks
from .faults import Faults
from .load import Load
from .site import ChaosSite

LOOK = 0.2  # seconds
STANDSTILL = 150.0  # seconds within which something has to get done when the site is mended and work waits


class Result(NamedTuple):
    """wrong: a sentence for each thing that did not hold. facts: figures."""

    wrong: list[str]
    facts: dict[str, Any]


def run(seed: int, minutes: float, say: Callable[[str], None], keep: Path | None = None) -> Result:
    """Shake a site for `minutes`. keep: an empty folder for its files and logs, which stay there."""
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="agon-chaos-", ignore_cleanup_errors=True) as scratch:
        site = ChaosSite(keep or Path(scratch))
        with ExitStack() as stack:
            stack.callback(kill_descendants)
            stack.enter_context(site.running())
            began = time.monotonic()
            load = Load(site.url, site.token)

            def told(words: str) -> None:
                say(f"{time.monotonic() - began:6.1f} s  {words}")

            told(f"the site plays; seed {seed}")
            faults = Faults(site, seed, told)
            while time.monotonic() < began + 60 * minutes:
                faults.turn()
                site.look_after()
                time.sleep(LOOK)
            faults.end()
            site.heal()
            told("mended")
            seconds, is_quiet = _until_quiet(site, load)
            told(f"nothing waits after {seconds:.0f} s" if is_quiet else "work is left")
            wrong = (
                []
                if is_quiet
                else [f"work is left, and nothing was done for {STANDSTILL:.0f} s: {_left(site)}"]
            )
            wrong += checks.wrong(site, load)
            facts = {
                "seed": seed,
                "minutes": minutes,
                "faults": dict(sorted(faults.made.items())),
                "starts": {name: process.starts for name, process in site.processes.items()},
                "requests": load.tries,
                "uploads": len(load.submissions),
                "tournaments": len(load.tournaments),
                **{name: site.count(query) for name, query in checks.COUNTS.items()},
                "seconds_to_quiet": round(seconds),
                "wrong": wrong,
            }
    return Result(wrong, facts)


def _until_quiet(site: ChaosSite, load: Load) -> tuple[float, bool]:
    """Seconds until nothing waits, and whether that came about."""
    began = moved = time.monotonic()
    load.stop_soon()
    done = -1
    while time.monotonic() < moved + STANDSTILL:
        site.look_after()
        try:
            if not load.is_alive() and checks.is_quiet(site):
                return time.monotonic() - began, True
            if (now_done := site.count(checks.DONE)) > done:
                done, moved = now_done, time.monotonic()
        except psycopg2.Error:
            pass  # it starts
        time.sleep(LOOK)
    return time.monotonic() - began, False


def _left(site: ChaosSite) -> str:
    matches = site.rows("SELECT state, kind, queue, count(*) FROM matches_match GROUP BY 1, 2, 3")
    submissions = site.rows("SELECT state, count(*) FROM bots_submission GROUP BY 1")
    return f"{matches}, {submissions}, {site.rows('SELECT id, state FROM tournaments_tournament')}"
