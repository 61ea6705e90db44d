"""What a machine has to show before its workers are given matches: clock, limits, languages, speed.

A machine elsewhere may be anything: a kernel that does not keep limits, an image that was not built, a clock
that is an hour late. Its first match would show it at the cost of the bots in it. So its workers try, before
they claim anything, and are paused with the reason where something is wrong (agon.site.fleet.pausing). They
try again by themselves.

- Each worker looks at the clock, once a minute, also on the site's own machine: it is set while matches are
  played.
- Workers elsewhere (AGON_PROVES) try the limits with a bot that exceeds them, the self-tests of all languages
  that the site offers, and a fixed piece of work on their core, whose time the operator's page shows.
"""

import os
import time

from django.core.cache import cache
from django.db import connection

from agon.site.bots import languages
from agon.site.core.db.leases import now
from sandbox import calibration, limits_tried
from sandbox.api import Sandbox, SandboxError
from sandbox.building import selftest
from sandbox.languages import registry

MOST_OFF = 5.0  # seconds between this machine's clock and the database's
CLOCK_EVERY = 60.0  # seconds
ELSEWHERE = "AGON_PROVES"


class Proof:
    """What this process has shown so far."""

    def __init__(self) -> None:
        self._is_complete = False
        self._clock_until = 0.0  # monotonic seconds
        self.speed_ms: float | None = None  # of the fixed piece of work on this core

    def is_due(self) -> bool:
        """Whether something is to be shown before the next match."""
        return not self._is_complete or time.monotonic() > self._clock_until

    def why_not(self, sandbox: Sandbox) -> str | None:
        """Try what is due; returns why this worker must not play, or None."""
        why = _clock()
        if why is None and not self._is_complete and ELSEWHERE in os.environ:
            try:
                why = _limits(sandbox) or _languages(sandbox)
                if why is None:
                    core = int(os.environ.get("AGON_CORE") or min(os.sched_getaffinity(0)))
                    self.speed_ms = round(calibration.calibrate(sandbox, core).median_ms, 3)
            except SandboxError as error:
                why = f"the sandbox does not work here: {error}"
        if why is None:
            self._is_complete, self._clock_until = True, time.monotonic() + CLOCK_EVERY
        return why


proof = Proof()  # of this process


def wall_clock() -> float:
    """This machine's clock, in seconds since 1970."""
    return time.time()


def _clock() -> str | None:
    if connection.vendor != "postgresql":
        return None  # the database has no clock of its own
    asked = wall_clock()
    there = now().timestamp()
    off = (asked + wall_clock()) / 2 - there
    if abs(off) <= MOST_OFF:
        return None
    word = "ahead of" if off > 0 else "behind"
    return (
        f"the clock of this machine is {abs(off):.0f} s {word} the database's, and at most {MOST_OFF:.0f} s "
        "are allowed: synchronize both (chrony, or systemd-timesyncd)"
    )


def _limits(sandbox: Sandbox) -> str | None:
    for what, words in limits_tried.failing(sandbox):
        return f"the limit of {what} does not hold here: {words}. `agon doctor` says what to do"
    return None


def _languages(sandbox: Sandbox) -> str | None:
    """Those that the site offers: it found that they work where bots are built."""
    selftest.query_versions(sandbox)
    for slug in cache.get(languages.OFFERED) or ():
        language_state = selftest.state(registry.get(slug), sandbox)
        if not language_state.works:
            return f"{language_state.language.title} does not work here: {language_state.problem}"
    return None
