"""When archives are made and days of the chain are closed: soon, by a worker that builds."""

from agon import disk_space
from agon.celery import app
from archives import chain, storing

_EXPIRES = 10  # seconds: the sweeper sends another one


def sweep() -> None:
    """Notify a worker of what is due."""
    if (storing.due().exists() or chain.is_due()) and not disk_space.shortage():
        app.send_task("pipeline.tasks.archive", queue="build", expires=_EXPIRES, retry=False)


def catch_up() -> None:
    """Do all that is due."""
    while not disk_space.shortage() and (chain.close_next() or storing.make_next()):
        pass
