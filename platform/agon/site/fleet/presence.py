"""Which processes of the site are alive, and what is not done because none is.

A process says so every few seconds (heartbeat.py). One that was silent for SILENT is taken for dead, or for
cut off, which is the same to the site; but see `note_ended`. Rows are forgotten after a while: see `forget`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from agon.site.core.db.leases import now
from agon.site.fleet.heartbeat import birth, host, pids
from agon.site.fleet.models import LoggedError, Process

SILENT = timedelta(seconds=60)
FORGET = timedelta(days=7)  # a process that has not come back
FORGET_WEB = timedelta(minutes=10)  # of which each start makes a new row

# What must be done by some process at any time: by the queue that it reads, or the scheduler.
DUTIES = {
    "scheduler": gettext_noop("Nothing is started on time, and what dead workers held is not given back."),
    "chores": gettext_noop("Nothing is started on time, and what dead workers held is not given back."),
    "interactive": gettext_noop("No qualification, trial or first match is played."),
    "bulk": gettext_noop("No match of a ladder or a tournament is played."),
    "home": gettext_noop("No match with a bot at home is played."),
    "build": gettext_noop("No upload is built."),
    "archives": gettext_noop("No archive is made, and no day of the chain is closed."),
    "signing": gettext_noop("No download of a match is signed."),
}
NOT_EVERYWHERE = {"signing", "home"}  # only where there once was a process for it


@dataclass(frozen=True)
class Seen:
    """A process, and how long ago it was last seen."""

    process: Process
    ago: timedelta

    @property
    def is_alive(self) -> bool:
        return not self.process.stopped and self.ago < SILENT

    @property
    def duties(self) -> Collection[str]:
        """Keys of DUTIES."""
        queues: Sequence[str] = self.process.facts.get("queues", [])
        return queues


class Missing(NamedTuple):
    """A duty that no process has at the moment. since: when the last one was seen; None if there was none."""

    duty: str
    since: datetime | None
    last: str  # the place of that process, or ""

    @property
    def sentence(self) -> str:
        """What that means, in the reader's language."""
        return _(DUTIES[self.duty])


def seen() -> list[Seen]:
    """All processes that are not forgotten, by machine and name. One query."""
    time = now()
    rows = Process.objects.order_by("machine", "kind", "place")
    return [Seen(process, max(timedelta(0), time - process.seen)) for process in rows]


def missing(processes: Sequence[Seen]) -> list[Missing]:
    """The duties that none of these processes, which are all of the site, has."""
    unserved = []
    for duty in DUTIES:
        having = [process for process in processes if duty in process.duties]
        if any(process.is_alive for process in having) or (not having and duty in NOT_EVERYWHERE):
            continue
        last = min(having, key=lambda process: process.ago, default=None)
        unserved.append(
            Missing(duty, last.process.seen, last.process.place) if last else Missing(duty, None, "")
        )
    return unserved


def missing_now() -> list[Missing]:
    """The duties that no process of the site has now."""
    return missing(seen())


def note_ended() -> None:
    """Note that silent processes are stopped which are gone from this machine (from this container) and were
    not started again: killed in the middle of a match, on a site that now has fewer workers. Called as
    `forget` is. Those of other machines, and those that hang, stay silent.
    """
    silent = Process.objects.filter(seen__lt=now() - SILENT, stopped=False)
    for process in silent:
        facts = process.facts
        is_here = facts.get("host") == host() and facts.get("pids") == pids()
        if is_here and birth(process.pid) != facts.get("birth"):
            silent.filter(pk=process.pk, seen=process.seen).update(stopped=True)


def forget() -> None:
    """Remove rows of processes that will not come back, and old errors. Called every few seconds; mostly only
    reads.
    """
    time = now()
    gone = Process.objects.filter(seen__lt=time - FORGET)
    web = Process.objects.filter(kind=Process.Kind.WEB)
    if web.filter(seen__gte=time - SILENT, stopped=False).exists():
        gone |= web.filter(seen__lt=time - FORGET_WEB)
    errors = LoggedError.objects.filter(last__lt=time - FORGET)
    for rows in (gone, errors):
        if rows.exists():  # a read does not block SQLite's one writer
            rows.delete()
