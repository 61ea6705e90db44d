"""Load of the host while a bot was asked, and whether it disturbs the bot. extension.py says what follows.

A load counts only as far as it is not the bot's own: the processor time that the bot has used, and the time
for which its box was held up by disk or memory, are subtracted.

The host's counters are read at most once per half of a bot's limit while bots answer, and more often only
after a limit has passed.
"""

import os
import time
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")


class Snapshot(NamedTuple):
    """The host's counters at one moment, in microseconds since its start. None: the kernel lacks them."""

    at_ns: int  # of the monotonic clock
    idle_us: int  # of the processors that this process may use
    stolen_us: int  # of these processors, by other virtual machines
    crowded_us: int | None  # while some process waited for a processor
    stalled_us: int | None  # while some process waited for the disk or for memory


class HostLoad(NamedTuple):
    """What others did between two snapshots. Times in microseconds, as in Snapshot.

    stalled_us: None if the kernel does not count it, for the host or for the bot's box. running: how many
    processes were running, or ready to run, at the end.
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
        if self.crowded_us is None:
            return f"{used}; {ready}"
        crowded, stalled = self.crowded_us / self.wall_us, (self.stalled_us or 0) / self.wall_us
        waits = f"some waited for it {crowded:.0%} of the time, for disk or memory {stalled:.0%}"
        return f"{used}; {waits}; {ready}"


def is_disturbed(load: HostLoad, used_full_limit: bool) -> bool:
    """Whether this load may have kept a bot from answering. used_full_limit: see Allowance.

    Where the kernel counts how long a box was kept from running, that others were busy is no excuse: the bot
    was credited with it.
    """
    return load.is_held_up if used_full_limit else load.is_under_pressure


_cached: Snapshot | None = None


def cached_snapshot(age_us: int) -> Snapshot:
    """The last snapshot, or a new one if that is older than `age_us`. Bots asked together share it."""
    global _cached
    if _cached is None or time.monotonic_ns() - _cached.at_ns > age_us * 1000:
        _cached = snapshot()
    return _cached


def snapshot() -> Snapshot:
    """The host's counters as they are now."""
    stalls = [_pressure("io"), _pressure("memory")]
    known = [stall for stall in stalls if stall is not None]
    idle_us, stolen_us = _unused_us(os.sched_getaffinity(0))
    return Snapshot(time.monotonic_ns(), idle_us, stolen_us, _pressure("cpu"), max(known, default=None))


def load_since(before: Snapshot, own_us: int, own_stalled_us: int | None) -> HostLoad:
    """What others did since the snapshot `before`.

    own_us: the CPU time that the bot has used since then. own_stalled_us: how long its box was held up by
    disk or memory; None if that is not known.
    """
    now, processors = snapshot(), len(os.sched_getaffinity(0))
    wall_us = max(1, (now.at_ns - before.at_ns) // 1000)
    others_us = max(0, processors * wall_us - (now.idle_us - before.idle_us) - own_us)
    return HostLoad(
        wall_us,
        processors,
        others_us,
        now.stolen_us - before.stolen_us,
        _difference(before.crowded_us, now.crowded_us),
        _stalled_us(_difference(before.stalled_us, now.stalled_us), own_stalled_us),
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


def _stalled_us(host_us: int | None, own_us: int | None) -> int | None:
    return None if host_us is None or own_us is None else max(0, host_us - own_us)


def _pressure(resource: str) -> int | None:
    """Microseconds in which some process waited; None if this kernel does not count it."""
    try:
        with open(f"/proc/pressure/{resource}", "rb") as file:
            return int(file.readline().rpartition(b"total=")[2])
    except (OSError, ValueError):
        return None


def _running() -> int:
    with open("/proc/loadavg", "rb") as file:
        return int(file.read().split()[3].partition(b"/")[0])
