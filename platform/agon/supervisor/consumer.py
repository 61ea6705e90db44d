"""The processes that Celery runs: a worker, and the scheduler.

    python -m agon.supervisor.consumer worker NAME QUEUES
    python -m agon.supervisor.consumer scheduler

They are what `celery worker` and `celery beat` start, but take half of the time and less memory. Celery's
command imports all its other commands, and has Django check the whole project, which imports every page. The
scheduler needs nothing but the settings: it sends tasks by their names, so it does not even set Django up.

Both say that they are alive (agon.site.fleet.heartbeat); the scheduler only while it looks for what is due.
"""

import os
import shlex
import socket
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any

from agon.site.core import garbage

with garbage.gc_frozen():
    from celery.apps.beat import Beat
    from celery.apps.worker import Worker
    from celery.beat import Scheduler as Schedule
    from django.conf import settings
    from django.utils.log import configure_logging

    from agon.site.celery import app
    from agon.site.core.db import schema
    from agon.site.core.setting_table import mistake
    from agon.site.fleet.heartbeat import Heartbeat

USAGE = "expected: worker NAME QUEUES, or: scheduler"
QUIET = {"loglevel": "WARNING", "quiet": True}
ALONE = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}

# The question whether the database fits this Agon is asked before Django is set up, and needs no models.
warnings.filterwarnings("ignore", "Accessing the database during app initialization", RuntimeWarning)
STANDSTILL = 30.0  # seconds; it looks several times as often
_looked = time.monotonic()


class WatchedSchedule(Schedule):
    """Notes when it last looked for tasks that are due, and goes on when the clock was put back."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        global _looked
        self._forget_times_to_come()
        pause: float = super().tick(*args, **kwargs)
        _looked = time.monotonic()
        return pause

    def _forget_times_to_come(self) -> None:
        """Celery would send nothing until the clock shows again what it showed when a task was sent last."""
        time_now = self.app.now()
        for entry in self.schedule.values():
            if entry.last_run_at > time_now:
                entry.last_run_at = time_now
                self._heap = None  # made anew by the next tick


class Scheduler(Beat):
    """Sends the periodic tasks."""

    def init_loader(self) -> None:
        """Do not import the tasks, which are sent by name."""
        self.app.finalize()


def work(name: str, queues: str) -> int:
    """Take one task at a time from these queues until a signal stops it; returns the exit status.

    queues: names, separated by commas.
    """
    os.environ["CELERY_SKIP_CHECKS"] = "true"
    with garbage.gc_frozen():  # this sets Django up
        node = f"{name}@{socket.gethostname()}"
        worker = Worker(app=app, hostname=node, pool_cls="solo", queues=queues, **QUIET, **ALONE)
    worker.start()
    return worker.exitcode or 0


def schedule() -> None:
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
    heartbeat = Heartbeat("scheduler", "scheduler", lambda: {"queues": ["scheduler"]}, _is_turning)
    heartbeat.start()
    try:
        Scheduler(app=app, scheduler_cls=WatchedSchedule, **QUIET).run()
    finally:
        heartbeat.stop()


def _is_turning() -> bool:
    return time.monotonic() - _looked < STANDSTILL


def main(words: Sequence[str]) -> int:
    """Run the process that these words name; returns the exit status."""
    match words:
        case ["worker", _, _] | ["scheduler"] if why := mistake(os.environ) or schema.why_not_to_start():
            print(f"agon: {why}", file=sys.stderr)
            return 1
        case ["worker", name, queues]:
            return work(name, queues)
        case ["scheduler"]:
            schedule()
            return 0
        case _:
            print(f"{USAGE}; got: {shlex.join(words) or 'nothing'}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
