"""Telling workers that something waits for them. A hint may be lost or come twice; the database decides."""

import logging

from django.db import transaction
from kombu.exceptions import OperationalError

from agon.celery import app

TASKS = {"build": "bots.tasks.build", "interactive": "matches.tasks.play", "bulk": "matches.tasks.play"}
MOST_WAITING = 32  # hints in one queue; more would say nothing new

log = logging.getLogger(__name__)


def hint(queue: str, waiting: int = 1) -> None:
    """Once the transaction is committed, tell up to `waiting` workers of `queue` that there is work."""
    transaction.on_commit(lambda: send(queue, waiting))


def send(queue: str, waiting: int = 1) -> None:
    """As `hint`, now. A broker that cannot be reached is logged: the sweeper will hint again."""
    try:
        with app.producer_pool.acquire(block=True) as producer:
            unread = app.amqp.queues[queue](producer.channel).queue_declare().message_count
            for _ in range(min(waiting, MOST_WAITING - unread)):
                app.send_task(TASKS[queue], args=[queue], queue=queue, producer=producer, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("no hint could be sent to the queue %s: %s", queue, error)
