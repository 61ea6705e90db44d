"""Load of the host while a bot was asked, and whether a time-out under such a load is in doubt.

Theory of operation. Fair time (allowance.py) credits a bot with all waits for a processor that are known.
What remains are waits that leave no trace: for the disk, for a page of a file, for a lock of the kernel, for
our own processes that act for the bot. They are long only on a host under pressure. So a time-out there is in
doubt, and its match is played again, twice at most; then it counts (contest.arena).

Where the kernel counts how long a box was kept from running, a bot that has had its limit without that had
its time. That others were busy is no reason for doubt there, only that the disk or a hypervisor held the host
up.

Processes:
- Only this one.

Pipes:
- None. What the host did is read from /proc/stat and /proc/pressure: at most once per half of a bot's limit
  while bots answer, and again at a time-out.

Trust:
- A load counts only as far as it is not the bot's own: the processor time that it has used is subtracted.
- A time-out of the bot's own making is never in doubt: the bot has used nine tenths of its limit of CPU time,
  or it is proved to have slept for half of its limit (Waiting.asleep_us): no thread of it ran, was ready or
  was blocked at two looks, and no counter of any thread changed in between.

Failure:
- Without /proc/pressure the number of processes that are ready to run takes its place (/proc/loadavg).
"""

import os
import time
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_USED_UP = 0.9  # of its limit, in CPU time: a bot that used this much lost no time to others that matters


class Snapshot(NamedTuple):
    """The host's counters at one moment, in microseconds since its start. None: the kernel lacks them."""

    at_ns: int  # of the monotonic clock
    idle_us: int  # of the processors that this process may use
    stolen_us: int  # of these processors, by other virtual machines
    crowded_us: int | None  # while some process waited for a processor
    stalled_us: int | None  # while some process waited for the disk or for memory


class HostLoad(NamedTuple):
    """What happened between two snapshots. Times in microseconds, as in Snapshot.

    `running`: how many processes were running, or ready to run, at the end.
    """

    wall_us: int
    processors: int
    others_us: int  # processor time used by others
    stolen_us: int
    crowded_us: int | None
    stalled_us: int | None
    running: int

    @property
    def is_under_pressure(self) -> bool:
        """Whether others kept the processors busy, or the host was held up, half of the time."""
        if self.is_held_up:
            return True
        if 2 * self.others_us < self.processors * self.wall_us:
            return False
        if self.crowded_us is not None:
            return 2 * self.crowded_us >= self.wall_us
        return self.running > (os.cpu_count() or 1)

    @property
    def is_held_up(self) -> bool:
        """Whether the disk or memory held up some process, or the hypervisor this host, half of the time."""
        stalled = self.stalled_us is not None and 2 * self.stalled_us >= self.wall_us
        return stalled or 2 * self.stolen_us >= self.processors * self.wall_us

    def __str__(self) -> str:
        used = f"in {self.wall_us / 1e6:.1f} s others used {self.others_us / 1e6:.1f} s of processor time"
        ready = f"{self.running} processes were ready to run on {self.processors} processors"
        if self.crowded_us is None or self.stalled_us is None:
            return f"{used}; {ready}"
        crowded, stalled = self.crowded_us / self.wall_us, self.stalled_us / self.wall_us
        waits = f"some waited for it {crowded:.0%} of the time, for disk or memory {stalled:.0%}"
        return f"{used}; {waits}; {ready}"


def is_doubtful(load: HostLoad, limit_us: int, cpu_us: int, asleep_us: int, had_its_time: bool) -> bool:
    """Whether the host may have caused a time-out of a bot.

    `load`: of the host, while the bot was asked. `limit_us`, `cpu_us`, `asleep_us`: the bot's limit, the CPU
    time that it used, and how long it is proved to have slept. `had_its_time`: see Allowance.
    """
    pressure = load.is_held_up if had_its_time else load.is_under_pressure
    return pressure and cpu_us < _USED_UP * limit_us and 2 * asleep_us < limit_us


_recent: Snapshot | None = None


def recent(age_us: int) -> Snapshot:
    """The last snapshot, or a new one if that is older than `age_us`. Bots asked together share it."""
    global _recent
    if _recent is None or time.monotonic_ns() - _recent.at_ns > age_us * 1000:
        _recent = snapshot()
    return _recent


def snapshot() -> Snapshot:
    """The host's counters as they are now."""
    stalls = [_pressure("io"), _pressure("memory")]
    known = [stall for stall in stalls if stall is not None]
    idle_us, stolen_us = _unused_us(os.sched_getaffinity(0))
    return Snapshot(time.monotonic_ns(), idle_us, stolen_us, _pressure("cpu"), max(known, default=None))


def load_since(before: Snapshot, own_us: int) -> HostLoad:
    """What happened since the snapshot `before`. `own_us`: the CPU time that the bot has used since then."""
    now, processors = snapshot(), len(os.sched_getaffinity(0))
    wall_us = max(1, (now.at_ns - before.at_ns) // 1000)
    others_us = max(0, processors * wall_us - (now.idle_us - before.idle_us) - own_us)
    return HostLoad(
        wall_us,
        processors,
        others_us,
        now.stolen_us - before.stolen_us,
        _difference(before.crowded_us, now.crowded_us),
        _difference(before.stalled_us, now.stalled_us),
        _running(),
    )


def _unused_us(processors: set[int]) -> tuple[int, int]:
    """How long these processors were idle, and how long other virtual machines had them.

    In microseconds, added up, since the host was started.
    """
    with open("/proc/stat", "rb") as file:
        rows = [line.split() for line in file if line.startswith(b"cpu")]
    names = {b"cpu%d" % number for number in processors}
    own = [row for row in rows if row[0] in names]
    idle, stolen = sum(int(row[4]) + int(row[5]) for row in own), sum(int(row[8]) for row in own)
    return idle * 1_000_000 // _TICKS, stolen * 1_000_000 // _TICKS


def _difference(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else now - before


def _pressure(what: str) -> int | None:
    """Microseconds in which some process waited; None if this kernel does not count it."""
    try:
        with open(f"/proc/pressure/{what}", "rb") as file:
            return int(file.readline().rpartition(b"total=")[2])
    except (OSError, ValueError):
        return None


def _running() -> int:
    with open("/proc/loadavg", "rb") as file:
        return int(file.read().split()[3].partition(b"/")[0])
