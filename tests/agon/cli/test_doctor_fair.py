"""`agon doctor --fair` says what makes times vary on a host, and compares its cores."""

import os
import re

import pytest

from agon.cli import doctor
from sandbox import doctor_fair
from sandbox.api import SandboxError
from sandbox.calibration import CoreSpeed

QUIET = {
    "proc/loadavg": "0.00 0.00 0.00 1/100 4711",
    "proc/meminfo": "MemTotal: 1 kB\nSwapTotal:       1048576 kB\nSwapFree:        1048576 kB\n",
    "proc/stat": "cpu  100 0 100 800 0 0 0 1 0 0\ncpu0 1 2 3\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
}
LOUD = {  # the file, its content, what it is about, and what to do
    "proc/loadavg": ("9.00 0.00 0.00 41/100 4711", "load now", "run nothing else"),
    "proc/meminfo": ("SwapTotal: 1048576 kB\nSwapFree: 1000000 kB\n", "swap", "swapoff"),
    "proc/stat": ("cpu  100 0 100 800 0 0 0 100 0 0\n", "stolen time", "processors of its own"),
    "proc/sys/kernel/randomize_va_space": ("0", "address randomization", "randomize_va_space=2"),
    "sys/devices/system/clocksource/clocksource0/current_clocksource": ("hpet", "clock source", "echo tsc"),
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": ("powersave", "frequency governor", "cpupower"),
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": ("0-1", "SMT siblings", "smt/control"),
    "sys/devices/system/cpu/intel_pstate/no_turbo": ("0", "boost", "echo 1 > "),
    "sys/kernel/mm/transparent_hugepage/enabled": (
        "[always] never",
        "transparent huge pages",
        "echo madvise",
    ),
}


@pytest.fixture
def host(tmp_path, monkeypatch):
    """host(files): what is found on a host of the processors 0 and 1 with these files."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})

    def found(files):
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        return {finding.what: finding for finding in doctor_fair.host(tmp_path)}

    return found


def test_on_a_quiet_host_there_is_nothing_to_change(host):
    checked = host(QUIET)
    assert {finding.state for finding in checked.values()} == {"ok"}
    assert not any(finding.remedy for finding in checked.values())
    assert checked["swap"].words == "0 of 1024 MiB in use"


@pytest.mark.parametrize("path", LOUD)
def test_each_thing_that_makes_times_vary_is_named_with_what_to_do(host, path):
    content, what, remedy = LOUD[path]
    checked = host({**QUIET, path: content})
    assert {name for name, finding in checked.items() if finding.state != "ok"} == {what}
    assert remedy in checked[what].remedy


def test_boost_is_found_where_the_driver_is_not_intels(host):
    files = {path: content for path, content in QUIET.items() if "intel_pstate" not in path}
    checked = host({**files, "sys/devices/system/cpu/cpufreq/boost": "1"})
    assert checked["boost"].state == "partial"
    assert checked["boost"].remedy == "echo 0 > /sys/devices/system/cpu/cpufreq/boost"


def test_what_a_host_does_not_show_is_unknown_and_no_error(host):
    assert {finding.state for finding in host({}).values()} == {"missing"}


def test_every_core_is_calibrated_in_the_sandbox(agon):
    ran = agon("doctor", "--fair", "--json")
    assert ran.code == 0
    calibrated = ran.json["calibration"]
    assert calibrated["sandbox"] in ("bubblewrap", "docker")
    assert [core["core"] for core in calibrated["cores"]] == sorted(os.sched_getaffinity(0))
    assert all(0.1 < core["median_ms"] < 10_000 and core["spread"] >= 0 for core in calibrated["cores"])
    findings = {finding["what"]: finding for finding in ran.json["findings"]}
    assert " times as long as core " in findings["cores compared"]["words"]
    assert findings["address randomization"]["words"]


def test_a_core_that_is_slower_than_another_or_restless_is_named():
    even = doctor_fair.judge([CoreSpeed(core, 10.0, 0.01) for core in range(3)])
    assert [finding.state for finding in even] == ["ok", "ok"]
    odd = [CoreSpeed(0, 10.0, 0.01), CoreSpeed(1, 13.0, 0.4)]
    alike, steady = doctor_fair.judge(odd)
    assert (alike.state, alike.words) == ("partial", "core 1 takes 1.30 times as long as core 0")
    assert alike.remedy.endswith("start no worker there")
    assert (steady.state, "on core 1 within 40.0%" in steady.words) == ("partial", True)


def test_without_a_sandbox_the_settings_are_still_reported(agon_here, monkeypatch):
    def none_works(_=None):
        raise SandboxError("bubblewrap: not found")

    monkeypatch.setattr(doctor, "open_sandbox", none_works)
    ran = agon_here("doctor", "--fair")
    assert ran.code == 3
    assert "address randomization" in ran.out
    assert re.search("missing +calibration +bubblewrap: not found", ran.out)
