"""What the site sends by itself, in a task: it may take seconds until a server answers, or fails to."""

from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import request_task
from agon.site.events import mailing
from agon.site.webhooks import delivering

TASK = "agon.site.workers.tasks.send_out"
QUEUE = "build"  # whose work may take long; no match waits for it


def ask_if_due() -> None:
    """Send a notice to a worker if something is to be sent. Called by the sweeper."""
    if mailing.is_due() or delivering.is_due():
        request_task(TASK, QUEUE, QUEUE)


def send() -> None:
    """Send some of what is due, and a notice for the rest, which queues behind all waiting tasks."""
    for_each_isolated([mailing.send_due, delivering.deliver_due], lambda step: step())
    ask_if_due()
