"""/metrics: the figures of a site in Prometheus' text format.

Nearly all come from the database, so that every web process gives the same: totals that processes have
stored, rows of processes, what waits. No query looks at all matches. Only the checks of /readyz are the
process's own.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import connection
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from agon.site.core import readiness
from agon.site.core.db import database_size
from agon.site.core.readiness import Found
from agon.site.fleet import parking, presence, totals
from agon.site.fleet.models import PausedWorker, Process
from agon.site.fleet.presence import Seen
from agon.site.matches.worker_names import place_of
from agon.site.use_cases import canary
from agon.site.use_cases.waiting_work import waiting_work
from agon.site.web.fleet.overview import disks


class _Total(NamedTuple):
    """A total as a counter: its name and labels there, and what it says."""

    name: str
    labels: tuple[str, ...]
    help: str


TOTALS = {
    "matches": _Total("agon_matches", ("game", "result"), "Matches that ended: finished, or void."),
    "failed_attempts": _Total(
        "agon_failed_attempts", ("kind",), "Attempts at matches that the platform failed."
    ),
    "faults": _Total("agon_faults", ("game", "kind"), "Faults of bots in finished matches."),
    "doubts": _Total("agon_doubts", ("game",), "Answers in trials that were no faults, and odd."),
    "trials": _Total("agon_trials", ("result",), "Trials that ended."),
    "leases_lost": _Total("agon_leases_lost", ("of",), "Leases of workers that stopped renewing them."),
    "builds": _Total("agon_builds", ("result",), "Attempts at builds: built, rejected, or failed."),
    "build_seconds": _Total("agon_build_seconds", (), "Time that builds took."),
    "responses": _Total(
        "agon_http_responses", ("status",), "Answers to requests, by the class of their status."
    ),
}


def text() -> bytes:
    """All figures. Raises DatabaseError."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(readiness.look()))
    try:
        return generate_latest(registry)
    finally:
        connection.close()  # of this thread


class _Figures(Collector):
    """checks: what a look at this process found."""

    def __init__(self, checks: Sequence[Found]) -> None:
        self._checks = checks

    def collect(self) -> Iterator[Metric]:
        yield _failed(self._checks)
        yield from _counters()
        yield from _queues()
        yield from _processes(presence.seen())
        yield from _canary()
        size = GaugeMetricFamily("agon_database_bytes", "Size of the database.")
        size.add_metric([], database_size.in_bytes())
        yield size


def _failed(checks: Sequence[Found]) -> Metric:
    failed = GaugeMetricFamily("agon_check_failed", "1 if this check of /readyz fails.", labels=["check"])
    for check in checks:
        failed.add_metric([check.name], not check.is_ok)
    return failed


def _counters() -> Iterator[Metric]:
    counts = totals.by_name()
    for name, total in TOTALS.items():
        counter = CounterMetricFamily(total.name, total.help, labels=total.labels)
        for counted in counts.get(name, ()):
            counter.add_metric([counted.labels.get(label, "") for label in total.labels], counted.value)
        if not total.labels and name not in counts:
            counter.add_metric([], 0)
        yield counter


def _queues() -> Iterator[Metric]:
    waiting = GaugeMetricFamily("agon_queue_waiting", "Work that waits.", labels=["queue"])
    running = GaugeMetricFamily("agon_queue_running", "Work that is being done.", labels=["queue"])
    oldest = GaugeMetricFamily(
        "agon_queue_oldest_seconds", "How long the oldest has waited; 0 if nothing waits.", labels=["queue"]
    )
    for work in waiting_work():
        waiting.add_metric([work.kind], work.waiting)
        running.add_metric([work.kind], work.running)
        oldest.add_metric([work.kind], work.oldest.total_seconds() if work.oldest else 0)
    yield from (waiting, running, oldest)


def _processes(processes: list[Seen]) -> Iterator[Metric]:
    alive = GaugeMetricFamily("agon_processes", "Processes that are alive.", labels=["kind"])
    ago = GaugeMetricFamily(
        "agon_process_last_seen_seconds", "Since a process of the kind was last seen.", labels=["kind"]
    )
    for kind in Process.Kind:
        of_kind = [process for process in processes if process.process.kind == kind]
        alive.add_metric([str(kind)], sum(process.is_alive for process in of_kind))
        if of_kind:
            ago.add_metric([str(kind)], min(process.ago.total_seconds() for process in of_kind))
    missing = GaugeMetricFamily(
        "agon_duty_missing", "1 if no process that is alive does it.", labels=["duty"]
    )
    missed = {gap.duty for gap in presence.missing(processes)}
    for duty in presence.DUTIES:
        missing.add_metric([duty], duty in missed)
    yield from (alive, ago, missing, _workers(processes), _streams(processes), _disks(processes))


def _canary() -> Iterator[Metric]:
    status = canary.status()
    age = GaugeMetricFamily("agon_canary_age_seconds", "Since a canary was last played to its end.")
    seconds = GaugeMetricFamily("agon_canary_seconds", "How long that one took, from upload to result.")
    if status is not None:
        age.add_metric([], status.age.total_seconds())
        if status.seconds is not None:
            seconds.add_metric([], status.seconds)
    yield from (age, seconds)


def _workers(processes: list[Seen]) -> Metric:
    gauge = GaugeMetricFamily("agon_workers", "Workers that play matches, by state.", labels=["state"])
    parked = set(parking.parked().values_list("worker", flat=True))
    paused = set(PausedWorker.objects.values_list("worker", flat=True))
    counts = dict.fromkeys(("playing", "idle", "parked", "paused", "silent"), 0)
    for process in processes:
        if process.process.kind != Process.Kind.PLAYER or process.process.stopped:
            continue
        place = place_of(process.process.facts.get("worker", ""))
        if not process.is_alive:
            state = "silent"
        elif place in parked:
            state = "parked"
        elif place in paused:
            state = "paused"
        else:
            state = "playing" if process.process.facts.get("task") == "play" else "idle"
        counts[state] += 1
    for state, count in counts.items():
        gauge.add_metric([state], count)
    return gauge


def _streams(processes: list[Seen]) -> Metric:
    gauge = GaugeMetricFamily("agon_streams", "Pages that follow the site live.")
    gauge.add_metric(
        [], sum(process.process.facts.get("streams", 0) for process in processes if process.is_alive)
    )
    return gauge


def _disks(processes: list[Seen]) -> Metric:
    gauge = GaugeMetricFamily(
        "agon_disk_free_bytes", "Free space where AGON_VAR is, by machine.", labels=["machine"]
    )
    for disk in disks(processes):
        gauge.add_metric([disk.machine], disk.free)
    return gauge
