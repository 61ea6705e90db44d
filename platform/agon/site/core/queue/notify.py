"""Notifies workers of waiting work. A notice may be lost or arrive twice: the database decides."""

import logging
import time

from django.db import transaction

from agon.site.celery import app

TASKS = {
    "build": "agon.site.workers.tasks.build",
    "interactive": "agon.site.workers.tasks.play",
    "bulk": "agon.site.workers.tasks.play",
    "home": "agon.site.workers.tasks.play",
}
PAUSE = 2.0  # seconds
MOST_WAITING = 32  # notices in one queue; more would add nothing

log = logging.getLogger(__name__)
_backoff_until = 0.0  # monotonic seconds


def notify_on_commit(queue: str, waiting: int = 1) -> None:
    """Once the transaction is committed, notify up to `waiting` workers of `queue`."""
    transaction.on_commit(lambda: notify_now(queue, waiting))


def notify_now(queue: str, waiting: int = 1) -> None:
    """Notify at once. A broker that cannot be reached is logged: the sweeper will notify again.

    The broker is then left alone for PAUSE seconds, so that few of many requests wait for it.
    """
    _send(queue, TASKS[queue], queue, waiting)


def request_task(task: str, queue: str, argument: int | str) -> None:
    """Send one notice for a task other than those of TASKS. What it is for must not depend on its arrival."""
    _send(queue, task, argument, 1)


def _send(queue: str, task: str, argument: str | int, times: int) -> None:
    global _backoff_until
    if time.monotonic() < _backoff_until:
        return
    try:
        with app.producer_pool.acquire(block=True, timeout=PAUSE) as producer:
            unread = app.amqp.queues[queue](producer.channel).queue_declare().message_count
            for _ in range(min(times, MOST_WAITING - unread)):
                app.send_task(task, args=[argument], queue=queue, producer=producer, retry=False)
    except Exception as error:  # kombu's, the client library's or the system's
        _backoff_until = time.monotonic() + PAUSE
        log.warning("the workers of queue %s could not be notified: %s", queue, error)
