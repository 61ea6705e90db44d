"""Starts real workers for tests, as processes that share the test's database, files and broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings
from django.db import connection

from agon.supervisor import children

ROOT = Path(__file__).resolve().parents[2]


class Workers:
    """The worker and scheduler processes of a test, with their logs in the folder `logs`.

    environment: of another site than the test's.
    """

    def __init__(self, logs: Path, environment: Mapping[str, str] | None = None) -> None:
        self.logs = logs
        self.environment = environment
        self.started: list[subprocess.Popen[bytes]] = []

    def worker(self, queues: str) -> subprocess.Popen[bytes]:
        """A worker that consumes these queues; one that has `interactive` does chores, too."""
        queues += ",chores" if "interactive" in queues.split(",") else ""
        return self._start(children.worker(f"test-{os.getpid()}-{len(self.started)}", queues, {}))

    def scheduler(self) -> subprocess.Popen[bytes]:
        return self._start(children.scheduler())

    def _start(self, program: children.Program) -> subprocess.Popen[bytes]:
        with open(self.logs / f"worker-{len(self.started)}.log", "wb") as log:
            worker = subprocess.Popen(
                [sys.executable, *program.arguments],
                cwd=ROOT,
                env=os.environ | (self.environment or site_environment()),
                stdout=log,
                stderr=log,
            )
        self.started.append(worker)
        return worker

    def stop_all(self) -> None:
        for worker in self.started:
            worker.send_signal(signal.SIGTERM)
        for worker in self.started:
            try:
                worker.wait(60)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()

    def said(self) -> str:
        return "".join(log.read_text(errors="replace") for log in sorted(self.logs.glob("worker-*.log")))


def until(condition: Callable[[], object], seconds: float, workers: Workers) -> None:
    """Wait until `condition` is true. Fails, with the workers' logs, if it is not within `seconds`.

    A condition that is expensive to check is checked less often, so that the workers get the processor.
    """
    deadline = time.monotonic() + seconds
    checked = _cpu_seconds()
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(
                f"it did not come about within {seconds} s; the workers said:\n{workers.said()}"
            )
        before, checked = checked, _cpu_seconds()
        time.sleep(min(max(0.02, 5 * (checked - before)), 0.2))


def _cpu_seconds() -> float:
    """Processor time of this process and of its ended children, in seconds."""
    return sum(os.times()[:4])


def site_environment() -> dict[str, str]:
    """The variables that make a program use the test's database and files."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        url = "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)
    return {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform"), os.environ.get("PYTHONPATH", "")]),
        "DATABASE_URL": url,
        "STORAGE": "agon.site.core.storage.WholeFiles?location="
        + str(settings.STORAGES["default"]["OPTIONS"]["location"]),
    }
