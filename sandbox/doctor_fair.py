"""`agon doctor --fair`: what makes times vary on this host, and how much they vary.

`host` reads the host's settings and state. Every file that it reads is optional: kernels, virtual machines
and containers show different ones. `judge` compares the cores (calibration.py).
"""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from sandbox.calibration import CoreSpeed
from sandbox.doctor import Finding

UNLIKE = 0.1  # the difference that agon.statistics.worker_watch tolerates between two workers
_CPU = "sys/devices/system/cpu"


def host(root: Path = Path("/")) -> tuple[Finding, ...]:
    """The settings and the state of this host. `root`: the folder that contains /proc and /sys."""
    read = _reader(root)
    cores = sorted(os.sched_getaffinity(0))
    return (
        _governor(read, cores),
        _boost(read),
        _siblings(read, cores),
        _load(read, len(cores)),
        _pressure(read),
        _swap(read),
        _stolen(read),
        _huge_pages(read),
        _clock(read),
        _addresses(read),
    )


_Read = Callable[[str], str]


def _reader(root: Path) -> _Read:
    def read(path: str) -> str:
        """The text of a file, "" where there is none."""
        try:
            return (root / path).read_text().strip()
        except OSError:
            return ""

    return read


def _unknown(what: str) -> Finding:
    return Finding(what, "missing", "this kernel, virtual machine or container does not show it")


def _judged(what: str, is_ok: bool, words: str, remedy: str) -> Finding:
    return Finding.of(what, is_ok, words, words, remedy)


def _governor(read: _Read, cores: Iterable[int]) -> Finding:
    what = "frequency governor"
    governors = {read(f"{_CPU}/cpu{core}/cpufreq/scaling_governor") for core in cores} - {""}
    if not governors:
        return _unknown(what)
    remedy = "cpupower frequency-set --governor performance (linux-cpupower)"
    return _judged(what, governors == {"performance"}, ", ".join(sorted(governors)), remedy)


def _boost(read: _Read) -> Finding:
    what = "boost"
    turned_off = read(f"{_CPU}/intel_pstate/no_turbo")
    boost = {"0": "1", "1": "0"}.get(turned_off) or read(f"{_CPU}/cpufreq/boost")
    if boost == "1":
        file = f"1 > /{_CPU}/intel_pstate/no_turbo" if turned_off else f"0 > /{_CPU}/cpufreq/boost"
        return Finding(what, "partial", "on: a core is faster while others are idle", f"echo {file}")
    return Finding(what, "ok", "off") if boost else _unknown(what)


def _siblings(read: _Read, cores: list[int]) -> Finding:
    what = "SMT siblings"
    shared = {read(f"{_CPU}/cpu{core}/topology/thread_siblings_list") for core in cores} - {""}
    if not shared:
        return _unknown(what)
    sharing = sorted(siblings for siblings in shared if len(_parse_ranges(siblings) & set(cores)) > 1)
    if not sharing:
        return Finding(what, "ok", "no two processors used here share a core")
    words = f"processors {'; '.join(sharing)} share a core, and slow each other down"
    remedy = f"echo off > /{_CPU}/smt/control, or start workers on one processor of each core (taskset)"
    return Finding(what, "partial", words, remedy)


def _parse_ranges(text: str) -> set[int]:
    """The numbers in a list such as "0-3,8"."""
    ranges = [part.partition("-") for part in text.split(",")]
    return {number for first, _, last in ranges for number in range(int(first), int(last or first) + 1)}


def _load(read: _Read, cores: int) -> Finding:
    what = "load now"
    fields = read("proc/loadavg").split()
    if len(fields) < 4:
        return _unknown(what)
    running = int(fields[3].partition("/")[0]) - 1  # without this process
    words = f"{fields[0]} in the last minute; {running} other processes run or wait for {cores} processors"
    is_idle = max(float(fields[0]), running) <= cores / 2
    return _judged(what, is_idle, words, "run nothing else on this host while a contest is played")


def _pressure(read: _Read) -> Finding:
    """Whether the kernel counts exactly how long a box was kept from running: see sandbox.boxes.cgroup."""
    what = "pressure"
    if read("proc/pressure/cpu"):
        return Finding(what, "ok", "the kernel counts how long each control group waits for a processor")
    words = "not counted: the waits of bots that start many short processes are estimated"
    return Finding(what, "missing", words, "boot Linux 5.13 or later with psi=1")


def _swap(read: _Read) -> Finding:
    what = "swap"
    sizes = dict(re.findall(r"^(SwapTotal|SwapFree): +(\d+) kB", read("proc/meminfo"), re.MULTILINE))
    if len(sizes) < 2:
        return _unknown(what)
    total, used = int(sizes["SwapTotal"]) >> 10, (int(sizes["SwapTotal"]) - int(sizes["SwapFree"])) >> 10
    if not total:
        return Finding(what, "ok", "none")
    words = f"{used} of {total} MiB in use"
    return Finding(what, "partial" if used else "ok", words, "swapoff -a, or more memory" if used else "")


def _stolen(read: _Read) -> Finding:
    what = "stolen time"
    fields = read("proc/stat").partition("\n")[0].split()[1:9]
    if len(fields) < 8 or not any(map(int, fields)):
        return _unknown(what)
    share = int(fields[7]) / sum(map(int, fields))
    words = f"{share:.2%} of the processors since the start, by other virtual machines"
    return _judged(what, share < 0.005, words, "use a virtual machine with processors of its own (dedicated)")


def _huge_pages(read: _Read) -> Finding:
    what = "transparent huge pages"
    chosen = re.search(r"\[(\w+)\]", read("sys/kernel/mm/transparent_hugepage/enabled"))
    if chosen is None:
        return _unknown(what)
    if chosen[1] != "always":
        return Finding(what, "ok", chosen[1])
    words = "always: whether a bot gets them depends on how fragmented memory is"
    return Finding(what, "partial", words, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")


def _clock(read: _Read) -> Finding:
    what = "clock source"
    folder = "sys/devices/system/clocksource/clocksource0"
    source, others = read(f"{folder}/current_clocksource"), read(f"{folder}/available_clocksource")
    if not source:
        return _unknown(what)
    if "tsc" not in others.split() or source == "tsc":
        return Finding(what, "ok", source)
    words = f"{source}: each look at the clock is slower than with tsc"
    return Finding(what, "partial", words, f"echo tsc > /{folder}/current_clocksource")


def _addresses(read: _Read) -> Finding:
    what = "address randomization"
    setting = read("proc/sys/kernel/randomize_va_space")
    if not setting:
        return _unknown(what)
    if setting == "0":
        remedy = "sysctl kernel.randomize_va_space=2: it protects this host, and many matches average it out"
        return Finding(what, "partial", "off", remedy)
    return Finding(what, "ok", f"on ({setting}): some programs are faster in one run than in the next")


def judge(speeds: list[CoreSpeed]) -> tuple[Finding, ...]:
    """Whether the cores are alike, and whether each is steady."""
    fastest, slowest = (pick(speeds, key=lambda speed: speed.median_ms) for pick in (min, max))
    ratio = slowest.median_ms / fastest.median_ms
    comparison = f"core {slowest.core} takes {ratio:.2f} times as long as core {fastest.core}"
    remedy = f"find out what runs on core {slowest.core}, or start no worker there"
    least_steady = max(speeds, key=lambda speed: speed.spread)
    usual = median(speed.spread for speed in speeds)
    worst = f"on core {least_steady.core} within {least_steady.spread:.1%}"
    variation = f"half of the times lie within {usual:.1%}; {worst}"
    later = "repeat this on an idle host; then see the lines above"
    return (
        _judged("cores compared", ratio <= 1 + UNLIKE, comparison, remedy),
        _judged("steadiness", least_steady.spread <= UNLIKE, variation, later),
    )
