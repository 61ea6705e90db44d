"""The task that builds. It may come twice or not at all: what there is to build is in the database."""

import logging
import time

from agon.celery import app
from agon.worker import worker_sandbox
from bots import building
from matches.hints import send
from sandbox.api import SandboxError

BATCH = 2.0  # seconds, after which other tasks of this worker get their turn

log = logging.getLogger(__name__)


@app.task(name="bots.tasks.build")
def build(queue: str) -> None:
    """Build what waits, one after another, for a batch; then leave a hint at the rest."""
    try:
        sandbox = worker_sandbox()
    except SandboxError as error:
        log.error("this worker cannot build: %s", error)
        return
    deadline = time.monotonic() + BATCH
    while building.build_next(sandbox):
        if time.monotonic() > deadline:
            send(queue)
            return
