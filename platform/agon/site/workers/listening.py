"""Ends a worker that hears no notices any more, so that it is started again.

After some failures of the broker, as when a connection is lost while a task is acknowledged, Celery's loop
goes on without any connection that it reads: the worker looks alive, and takes no task. Nothing is
registered to be read then, for longer than any reconnection takes.

- Threads: a daemon thread of the worker looks at its loop. A task that runs is ended first (SIGTERM is a warm
  shutdown).
- Failure: while the broker itself is away, a worker is started again every DEAF seconds, which costs little.
"""

import logging
import os
import signal
import threading
import time
from typing import Any

from celery.signals import worker_ready

DEAF = 30.0  # seconds
LOOK = 1.0  # seconds

log = logging.getLogger(__name__)


@worker_ready.connect
def begin(sender: Any = None, **_: object) -> None:
    """sender: the consumer. With the broker of an embedded site it has no loop of this kind."""
    if sender.hub is not None:
        threading.Thread(target=_listen, args=[sender.hub], name="listening", daemon=True).start()


def _listen(hub: Any) -> None:
    heard = time.monotonic()
    while time.monotonic() - heard < DEAF:
        time.sleep(LOOK)
        if hub.readers:
            heard = time.monotonic()
    log.error("this worker has heard nothing from the broker for %.0f s: it ends, to be started again", DEAF)
    os.kill(os.getpid(), signal.SIGTERM)
