"""How much longer a bot is waited for if the host may be to blame that its limit passed without an answer.

Theory of operation. Fair time (allowance.py) credits a bot with all waits for a processor that are known.
What remains are waits that leave no trace: for a lock of the kernel, for a page, for our own processes that
act for the bot. They are long only on a host under pressure. A limit that passes there is no verdict yet: the
referee goes on waiting for the *same* answer. Neither position nor seed changes, so there is nothing to gain
from it. The extension ends when the bot has had its limit once more in time that nothing disturbed.

Processes:
- Only this one.

Pipes:
- None. What the host did is read from /proc/stat and /proc/pressure, what the box did itself from the
  pressure files of its control group: at the end of the limit, and at each sample from then on.

Trust:
- A host disturbs a bot while others use its processors and it is not known how long the bot waited for them,
  while a hypervisor takes the processors away, or while the disk or memory holds others up (host_load.py).
- A stall of the bot's own making disturbs nothing: the time for which its box itself waited for the disk or
  for memory is subtracted (the kernel counts it for the box's control group). Where that is not counted,
  stalls are no evidence. So a bot that reads from the disk without end, or lives at its memory limit, gains
  at most its limit once more.
- A bot that has used nine tenths of its limit of CPU time, or is proved to have slept for half of it, has no
  claim to an extension. All that can be gained is time to sleep.
- All extensions of a bot in one match together take at most PATIENCE_US. A bot that disturbs the host through
  another box can hold a worker for as long, at its author's expense, and then loses.

Failure:
- Without /proc/pressure the number of processes that are ready to run takes its place (/proc/loadavg).
"""

from typing import NamedTuple

from sandbox.boxes.allowance import Allowance
from sandbox.boxes.cgroup import PressureFiles
from sandbox.boxes.host_load import HostLoad, Snapshot, cached_snapshot, is_disturbed, load_since, snapshot

PATIENCE_US = 60_000_000  # of all extensions of a bot in a match, in wall time
_USED_UP = 0.9  # of its limit, in CPU time: a bot that used this much lost no time to others that matters
_SLICE_US = 25_000  # at least, between two samples: more than two ticks of a slow kernel


class Patience:
    """How much longer a bot may be waited for in its match, in microseconds."""

    def __init__(self) -> None:
        self.left_us = PATIENCE_US


class _SliceStart(NamedTuple):
    """The counters at the beginning of a slice of the extension."""

    host: Snapshot
    cpu_us: int  # of the bot, since it was asked
    stalled_us: int | None  # of its box


class Extension:
    """The extension of one answer or one run."""

    def __init__(self, limit_us: int, pressure: PressureFiles, patience: Patience) -> None:
        """pressure: of the bot's box."""
        self.began_ns: int | None = None  # when the limit was reached; None if it was not
        self.host = ""  # what the host did, if the limit was reached
        self._limit_us = limit_us
        self._pressure = pressure
        self._patience = patience
        self._asked = cached_snapshot(limit_us // 2)
        self._slice: _SliceStart | None = None
        self._taken_us = self._undisturbed_us = 0

    def sample(self, at_ns: int, cpu_us: int, allowance: Allowance) -> int:
        """Microseconds until the next sample, after the limit was reached; 0 if the time-out counts."""
        load = self._load(cpu_us)
        if self._has_no_claim(cpu_us, allowance) or self._patience.left_us <= 0:
            return 0
        disturbed = is_disturbed(load, allowance.used_full_limit)
        if self.began_ns is None:
            if not disturbed:
                return 0
            self.began_ns = at_ns
        elif not disturbed:
            self._undisturbed_us += load.wall_us
        if self._undisturbed_us >= self._limit_us:
            return 0
        self._slice = _SliceStart(snapshot(), cpu_us, self._pressure.stalled_us())
        left_us = min(self._limit_us - self._undisturbed_us, self._patience.left_us)
        return max(_SLICE_US, min(left_us, self._limit_us // 4))

    def wait_us(self, now_ns: int) -> int:
        """How long the bot has been waited for beyond its limit."""
        return 0 if self.began_ns is None else max(0, now_ns - self.began_ns) // 1000

    def _load(self, cpu_us: int) -> HostLoad:
        """What others did since the last sample of the extension, or since the question."""
        start = self._slice
        if start is None:
            load = load_since(self._asked, cpu_us, 0)
            self.host = str(load)
            return load
        stalled = self._pressure.stalled_us()
        own = None if stalled is None or start.stalled_us is None else stalled - start.stalled_us
        load = load_since(start.host, cpu_us - start.cpu_us, own)
        self._taken_us += load.wall_us
        self._patience.left_us -= load.wall_us
        return load

    def _has_no_claim(self, cpu_us: int, allowance: Allowance) -> bool:
        """Whether the bot has used up its limit of CPU time, or is proved to have slept for half of it."""
        slept = 2 * allowance.waiting.asleep_us >= self._limit_us
        return cpu_us >= _USED_UP * self._limit_us or slept

    def __str__(self) -> str:
        """What the operator learns about a time-out."""
        if self.began_ns is None:
            return self.host
        more, undisturbed = self._taken_us / 1e6, self._undisturbed_us / 1e6
        return f"{self.host}; waited {more:.1f} s more, {undisturbed:.1f} s of it undisturbed"
