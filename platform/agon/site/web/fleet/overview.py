"""What the operator's page shows: processes, what waits and why, what runs, what failed within the last day.

A fixed number of queries, each of which reads a few rows by an index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Count

from agon.contest.attempts import FailureKind
from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.core.db import database_size
from agon.site.core.db.leases import now
from agon.site.core.texts.reasons import StoredReason
from agon.site.fleet import parking, presence
from agon.site.fleet.models import LoggedError, OddWorker, PausedWorker, Process
from agon.site.fleet.presence import Missing, Seen
from agon.site.matches import attempts
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from agon.site.matches.worker_names import place_of
from agon.site.trials.models import Trial
from agon.site.use_cases import canary, waiting
from agon.site.use_cases.canary import Status
from agon.site.use_cases.waiting import Place
from agon.site.use_cases.waiting_work import Waiting, waiting_work

LATELY = timedelta(days=1)
MOST_ROWS = 20  # rows of a table
MOST_PROCESSES = 200  # those that are in trouble first, those that ended as requested last


@dataclass(frozen=True)
class Row:
    """A process in the table. odd, paused: why it claims no matches, if it does not."""

    seen: Seen
    odd: OddWorker | None
    paused: PausedWorker | None

    @property
    def place(self) -> str:
        """The worker's name in matches, without its process; "" if it plays none."""
        return place_of(self.seen.process.facts.get("worker", "")) if self.plays else ""

    @property
    def plays(self) -> bool:
        return self.seen.process.kind == Process.Kind.PLAYER

    @property
    def order(self) -> int:
        """0 if it is silent, or claims no matches; 2 if it has ended as requested: it may be one of very many
        of machines that are gone, and no reason to hide those that play.
        """
        if self.seen.process.stopped:
            return 2
        return 0 if not self.seen.is_alive or self.odd is not None or self.paused is not None else 1

    @property
    def task_since(self) -> datetime | None:
        """Since when it has had its task; None if it has none."""
        facts = self.seen.process.facts
        if not facts.get("task") or not self.seen.is_alive:
            return None
        return datetime.fromtimestamp(facts["task_since"], UTC)


class Queue(NamedTuple):
    """What waits of one kind, and why the oldest of it does. why: "" if nothing waits."""

    work: Waiting
    why: str


class Failures(NamedTuple):
    """How often attempts at matches failed in one way. words: for everyone."""

    words: StoredReason
    attempts: int


class Disk(NamedTuple):
    machine: str
    free: int  # bytes


@dataclass(frozen=True)
class Overview:
    """All that the page shows.

    more: processes without a row. odd: the workers that were parked or reported. gone: those of them that no
    process has. running: matches with a lease. voids: the last attempts at void matches.
    """

    rows: Sequence[Row]
    more: int
    odd: Sequence[OddWorker]
    gone: Sequence[OddWorker]
    machines: Sequence[str]  # those that have workers which play
    missing: Sequence[Missing]
    queues: Sequence[Queue]
    running: Sequence[Match]
    builds: Sequence[Submission]
    failures: Sequence[Failures]
    voids: Sequence[FailedAttempt]
    disks: Sequence[Disk]
    database: int  # bytes
    canary: Status | None
    errors: Sequence[LoggedError]
    time: datetime


def overview() -> Overview:
    """The site at this moment."""
    time, processes = now(), presence.seen()
    lately = FailedAttempt.objects.filter(ended__gte=time - LATELY)
    counts = lately.order_by().values_list("kind").annotate(Count("id"))
    void = lately.filter(match__state=State.VOID).order_by("-ended").select_related("match__competition")
    running = Match.objects.filter(state=State.RUNNING).order_by("started").select_related("competition")
    builds = Submission.objects.filter(state__in=(SubmissionState.RECEIVED, SubmissionState.BUILDING))
    odd = list(parking.unreleased().select_related("competition").order_by("worker"))
    rows = _rows(processes, odd)
    places = {row.place for row in rows}
    return Overview(
        rows=rows[:MOST_PROCESSES],
        more=len(rows[MOST_PROCESSES:]),
        odd=odd,
        gone=[odd_worker for odd_worker in odd if odd_worker.worker not in places],
        machines=sorted({row.seen.process.machine for row in rows if row.plays and row.seen.is_alive}),
        missing=presence.missing(processes),
        queues=[Queue(waiting, _why(waiting)) for waiting in waiting_work()],
        running=list(running[:MOST_ROWS]),
        builds=list(builds.order_by("id").select_related("bot__competition")[:MOST_ROWS]),
        failures=[Failures(attempts.reason_of(FailureKind(kind)), count) for kind, count in counts],
        voids=list(
            {
                failed_attempt.match_id: failed_attempt for failed_attempt in reversed(void[:MOST_ROWS])
            }.values()
        )[::-1],
        disks=disks(processes),
        database=database_size.in_bytes(),
        canary=canary.status(),
        errors=list(LoggedError.objects.filter(last__gte=time - LATELY).order_by("-last")[:MOST_ROWS]),
        time=time,
    )


def _rows(processes: Sequence[Seen], unreleased: Iterable[OddWorker]) -> list[Row]:
    odd = {odd_worker.worker: odd_worker for odd_worker in unreleased}
    paused: Mapping[str, PausedWorker] = {
        paused_worker.worker: paused_worker for paused_worker in PausedWorker.objects.all()
    }
    places = {process.process.pk: place_of(process.process.facts.get("worker", "")) for process in processes}
    rows = []
    for process in processes:
        plays, place = process.process.kind == Process.Kind.PLAYER, places[process.process.pk]
        rows.append(Row(process, odd.get(place) if plays else None, paused.get(place) if plays else None))
    return sorted(rows, key=lambda row: row.order)


def _why(work: Waiting) -> str:
    """Why the oldest waits, as its author reads it."""
    if work.first is None:
        return ""
    place = _place_of(work.kind, work.first)
    return place.sentence if place else ""


def _place_of(kind: str, pk: int) -> Place | None:
    """Its place in the queue; None if it does not wait any more."""
    if kind == "build":
        build = Submission.objects.select_related("bot__competition").filter(pk=pk).first()
        return waiting.of_submission(build) if build else None
    if kind == "trial":
        trial = Trial.objects.select_related("competition").filter(pk=pk).first()
        return waiting.of_trial(trial) if trial else None
    match = Match.objects.select_related("competition", "tournament").filter(pk=pk).first()
    return waiting.of_match(match) if match else None


def disks(processes: Sequence[Seen]) -> list[Disk]:
    """The latest word of each machine."""
    latest: dict[str, Seen] = {}
    for process in processes:
        known = latest.get(process.process.machine)
        if "disk_free" in process.process.facts and (known is None or process.ago < known.ago):
            latest[process.process.machine] = process
    return [Disk(machine, seen.process.facts["disk_free"]) for machine, seen in sorted(latest.items())]
