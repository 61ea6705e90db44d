"""What waits on the site, as the operator sees it: how much of each kind, and for how long the oldest.

One query for each number, by an index: never all matches.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, QuerySet

from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.core.db.leases import now
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.trials.models import Trial
from agon.site.trials.states import State as TrialState


class Waiting(NamedTuple):
    """The work of one kind: `build`, `interactive`, `bulk` or `trial`. oldest: None if none waits.

    first: the primary key of the oldest.
    """

    kind: str
    waiting: int
    running: int
    oldest: timedelta | None = None
    first: int | None = None


def waiting_work() -> list[Waiting]:
    """What waits, and what is being done, by kind."""
    time = now()
    running = dict(
        Match.objects.filter(state=State.RUNNING).order_by().values_list("queue").annotate(Count("id"))
    )
    matches = Match.objects.filter(state=State.QUEUED)
    builds, trials = Submission.objects.all(), Trial.objects.all()
    return [
        _waiting(
            "build",
            builds.filter(state=SubmissionState.RECEIVED),
            builds.filter(state=SubmissionState.BUILDING).count(),
            time,
        ),
        *(
            _waiting(str(queue), matches.filter(queue=queue), running.get(queue, 0), time)
            for queue in (Match.Queue.INTERACTIVE, Match.Queue.BULK)  # others wait for people
        ),
        _waiting(
            "trial",
            trials.filter(state=TrialState.QUEUED),
            trials.filter(state=TrialState.RUNNING).count(),
            time,
        ),
    ]


def _waiting(
    kind: str, rows: "QuerySet[Match] | QuerySet[Submission] | QuerySet[Trial]", running: int, time: datetime
) -> Waiting:
    oldest = rows.order_by("id").values_list("pk", "created").first()
    if oldest is None:
        return Waiting(kind, 0, running)
    return Waiting(kind, rows.count(), running, max(timedelta(0), time - oldest[1]), oldest[0])
