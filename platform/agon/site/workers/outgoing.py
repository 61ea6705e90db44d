"""What the site sends by itself: it may take seconds until a server answers, or fails to.

So it is sent in a thread of its own, one for each process that builds: no build waits for it.
"""

import threading

from django.db import connection

from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import request_task
from agon.site.events import mailing
from agon.site.webhooks import delivering

TASK = "agon.site.workers.tasks.send_out"
QUEUE = "build"

_sending = threading.Lock()  # held while this process sends


def ask_if_due() -> None:
    """Send a notice to a worker if something is to be sent. Called by the sweeper."""
    if mailing.is_due() or delivering.is_due():
        request_task(TASK, QUEUE, QUEUE)


def begin() -> None:
    """Send some of what is due in a thread, which ends before its process does, and a notice for the rest.

    Nothing if one is at it.
    """
    if _sending.acquire(blocking=False):
        threading.Thread(target=_send_here, name="outgoing").start()


def _send_here() -> None:
    try:
        send()
    finally:
        _sending.release()
        for_each_isolated([ask_if_due], lambda step: step())  # its notice would find this thread at it before
        connection.close()  # of this thread


def send() -> None:
    """Send some of what is due."""
    for_each_isolated([mailing.send_due, delivering.deliver_due], lambda step: step())
