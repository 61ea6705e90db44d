"""The tasks of the queue `build`. Each may come twice, or never: what to build is in the database."""

import logging
import time

from celery.signals import worker_ready

from agon import room
from agon.celery import app
from agon.worker import worker_sandbox
from bots import building, languages
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
    while not room.shortage() and building.build_next(sandbox):
        if time.monotonic() > deadline:
            send(queue)
            return


@app.task(name="bots.tasks.look_for_languages")
def look_for_languages() -> None:
    """Find out which languages can be built here, for a batch; then go on behind what waits by now."""
    if room.shortage():  # a self-test that fails for want of room says nothing about its language
        return
    try:
        if languages.look(worker_sandbox(), BATCH) is None:
            look_for_languages.apply_async(queue="build", retry=False)
    except SandboxError as error:
        log.error("this worker cannot try the languages: %s", error)


@worker_ready.connect
def ask_for_languages(**_: object) -> None:
    look_for_languages.apply_async(queue="build", retry=False)
