"""The tasks of the queues `interactive` and `bulk`. Each may come twice or not at all."""

import logging
import time
from collections.abc import Sequence

from celery.signals import worker_ready

from agon import apart, room
from agon.celery import app
from agon.worker import doubt_sandbox, using_boxes, worker_name, worker_sandbox
from matches import leases, playing, usage
from matches.hints import send
from matches.models import Match
from matches.states import State
from sandbox.api import SandboxError

BATCH = 2.0  # seconds, after which other tasks of this worker get their turn
REST = 1.0  # seconds, after a failure of the platform
INTERACTIVE = (Match.Queue.INTERACTIVE,)
ALL = (Match.Queue.INTERACTIVE, Match.Queue.BULK)

log = logging.getLogger(__name__)
_rests_until = 0.0


@app.task(name="matches.tasks.play")
def play(queue: str) -> None:
    """Play what waits, one match after another, for a batch; then leave a hint at the rest.

    A worker on which a match has failed rests, lest it spoil one match after another.
    """
    if time.monotonic() < _rests_until or room.shortage():
        return
    try:
        worker_sandbox()
    except SandboxError as error:
        log.error("this worker cannot play: %s", error)
        return
    with using_boxes():
        if not _play_batch(ALL if queue == Match.Queue.BULK else INTERACTIVE):
            send(queue)


def _play_batch(queues: Sequence[str]) -> bool:
    """Play for BATCH seconds; whether there is nothing left to do for this worker."""
    global _rests_until
    deadline = time.monotonic() + BATCH
    while not room.shortage() and (match := leases.claim(worker_name(), queues)):
        if not playing.play(match):
            doubt_sandbox()
            _rests_until = time.monotonic() + REST
            return True
        if time.monotonic() > deadline:
            return False
    return True


@app.task(name="matches.tasks.sweep")
def sweep() -> None:
    """What beat sends every few seconds: pick up what the dead have left, and hint at all that waits."""
    from bots import artifacts, building, erasing, qualification
    from leaderboards import ladder
    from tournaments import services as tournaments

    steps = [leases.sweep, building.sweep, qualification.sweep, tournaments.tick, ladder.tick]
    steps += [erasing.sweep, usage.forget, artifacts.sweep_storage]
    apart.each(steps, lambda step: step())
    for queue in Match.Queue:
        waiting = Match.objects.filter(state=State.QUEUED, queue=queue)[:100].count()
        if waiting:
            send(queue, waiting)


@worker_ready.connect
def sweep_at_start(**_: object) -> None:
    """What waited while nobody worked need not wait for the scheduler."""
    sweep.apply_async(queue=Match.Queue.INTERACTIVE.value)
