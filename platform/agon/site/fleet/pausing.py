"""Pauses workers whose machine can fetch no programs, or has not proven that it can play.

They claim no matches until that works.

A row per place on a machine (agon.site.matches.worker_names) says why, for staff. The worker tries again by
itself every TRY_EVERY, and removes the row when it can fetch again. Rows of workers that have not tried for
FORGET are removed: these workers are gone.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from agon.site.core.db.leases import now
from agon.site.fleet.models import PausedWorker
from agon.site.matches.worker_names import place_of
from games.core.reason import Reason

TRY_EVERY = timedelta(seconds=10)
FORGET = timedelta(days=1)

log = logging.getLogger(__name__)


def pause(worker: str, why: str) -> None:
    """Let this worker, named as a match stores it, claim no matches for now."""
    time, place = now(), place_of(worker)
    fields = {"details": Reason("text", text=why), "tried": time}
    PausedWorker.objects.update_or_create(fields, {**fields, "since": time}, worker=place)
    log.error("worker %s claims no matches for now: %s", place, why)


def is_paused(worker: str, why_not: Callable[[], str | None]) -> bool:
    """Whether this worker is paused; if it is time to try again, only if that fails.

    why_not: tries, and returns why it failed, or None.
    """
    place = place_of(worker)
    paused = PausedWorker.objects.filter(worker=place)
    row = paused.first()
    if row is None:
        return False
    if row.tried > now() - TRY_EVERY:
        return True
    if why := why_not():
        paused.update(tried=now(), details=Reason("text", text=why))
        return True
    paused.delete()
    log.warning("worker %s plays again", place)
    return False


def forget() -> None:
    """Remove the rows of workers that are gone. Called every few seconds."""
    gone = PausedWorker.objects.filter(tried__lt=now() - FORGET)
    if gone.exists():  # a read does not block SQLite's one writer
        gone.delete()
