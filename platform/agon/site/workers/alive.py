"""Says that a worker is alive, which task it has, since when, and how fast it plays."""

import os
import threading
import time
from collections import deque
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_ready, worker_shutdown

from agon.site.bots import languages
from agon.site.celery import app
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import Process
from agon.site.workers.offering import LANGUAGES
from agon.site.workers.proving import proof
from agon.site.workers.worker import worker

# By the queue that shows what a process is for, the first one that it reads.
KINDS = {
    "bulk": Process.Kind.PLAYER,
    "build": Process.Kind.BUILDER,
    "archives": Process.Kind.ARCHIVES,
    "signing": Process.Kind.SIGNER,
    "interactive": Process.Kind.PLAYER,
}
OVER = 300.0  # seconds for which the speed is shown


class Doing:
    """What this process does now, and how many matches it has played."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._task, self._since = "", time.time()
        self._played = 0
        self._history: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def begin(self, task: str) -> None:
        with self._lock:
            self._task, self._since = task, time.time()

    def end(self) -> None:
        self.begin("")

    def count(self, matches: int) -> None:
        """Count matches that were played here."""
        with self._lock:
            self._played += matches

    def facts(self) -> dict[str, Any]:
        """For the heartbeat, whose thread calls it."""
        with self._lock:
            clock = time.monotonic()
            self._history.append((clock, self._played))
            while len(self._history) > 2 and clock - self._history[0][0] > OVER:
                self._history.popleft()
            began, before = self._history[0]
            minutes = max(clock - began, 1.0) / 60
            return {
                "task": self._task,
                "task_since": round(self._since, 3),  # seconds since 1970
                "matches": self._played,
                "speed_ms": proof.speed_ms,
                "matches_per_minute": round((self._played - before) / minutes, 1),
            }


doing = Doing()
_heartbeats: list[Heartbeat] = []


@worker_ready.connect
def begin(sender: Any = None, **_: object) -> None:
    queues = sorted(app.amqp.queues.consume_from)
    kind = next((KINDS[queue] for queue in KINDS if queue in queues), Process.Kind.PLAYER)
    own = {"queues": queues, "core": os.environ.get("AGON_CORE"), "worker": worker.name}
    name = sender.hostname.partition("@")[0]
    heartbeat = Heartbeat(name, kind, lambda: own | doing.facts() | {LANGUAGES: languages.found_here()})
    _heartbeats.append(heartbeat)
    heartbeat.start()


@worker_shutdown.connect
def end(**_: object) -> None:
    while _heartbeats:
        _heartbeats.pop().stop()


@task_prerun.connect
def on_task(task: Any = None, **_: object) -> None:
    doing.begin(task.name.rpartition(".")[2])


@task_postrun.connect
def on_end(**_: object) -> None:
    doing.end()
