"""Has a worker with the key make the archives and exports that are due, and close past days of the chain."""

from agon.site.archives import chain, exporting, storing
from agon.site.celery import app
from agon.site.core import disk_space

QUEUE = "archives"
_EXPIRES = 10  # seconds: the sweeper sends another one


def send_if_due() -> None:
    """Send the task to a worker if anything is due."""
    is_due = storing.due().exists() or chain.is_due() or exporting.due().exists()
    if is_due and not disk_space.shortage():
        app.send_task("agon.site.workers.tasks.archive", queue=QUEUE, expires=_EXPIRES, retry=False)


def catch_up() -> None:
    """Do all that is due, in this worker, while the disk has room."""
    while not disk_space.shortage() and (chain.close_next() or storing.make_next() or exporting.make_next()):
        pass
