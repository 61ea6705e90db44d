"""Telling workers that something waits for them. A hint may be lost or come twice; the database decides."""

import logging
import time

from django.db import transaction

from agon.celery import app

TASKS = {
    "build": "pipeline.tasks.build",
    "interactive": "pipeline.tasks.play",
    "bulk": "pipeline.tasks.play",
}
PAUSE = 2.0  # seconds
MOST_WAITING = 32  # hints in one queue; more would say nothing new

log = logging.getLogger(__name__)
_tried_again = 0.0  # monotonic seconds


def hint(queue: str, waiting: int = 1) -> None:
    """Once the transaction is committed, tell up to `waiting` workers of `queue` that there is work."""
    transaction.on_commit(lambda: send(queue, waiting))


def send(queue: str, waiting: int = 1) -> None:
    """As `hint`, now. A broker that cannot be reached is logged: the sweeper will hint again.

    It is left alone for PAUSE seconds then, so that of many requests few wait for it.
    """
    global _tried_again
    if time.monotonic() < _tried_again:
        return
    try:
        with app.producer_pool.acquire(block=True, timeout=PAUSE) as producer:
            unread = app.amqp.queues[queue](producer.channel).queue_declare().message_count
            for _ in range(min(waiting, MOST_WAITING - unread)):
                app.send_task(TASKS[queue], args=[queue], queue=queue, producer=producer, retry=False)
    except Exception as error:  # kombu's, the client library's or the system's
        _tried_again = time.monotonic() + PAUSE
        log.warning("no hint could be sent to the queue %s: %s", queue, error)
