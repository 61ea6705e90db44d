"""A canary: every few minutes the site tries a starter by itself, and notes whether that works.

It is a trial (agon.site.trials): its text is checked like an upload, a worker claims it with a lease, builds
it in the sandbox and plays it against a house bot. So it goes the way of a newcomer's program, and disturbs
nothing: a trial changes no rating, and is in no list, feed or notice. Its row is removed once it is over.

It does not go through the queue of builds and not through the storage; /metrics and /readyz watch these.
A canary that still waits is left waiting: its age shows it.
"""

import logging
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import override

from agon.site.bots.refusal import Refused
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.texts.reasons import in_english
from agon.site.core.without_secrets import without_secrets
from agon.site.fleet.models import Canary
from agon.site.trials import services
from agon.site.trials.models import Trial
from agon.site.trials.starting_code import easiest, starters_of
from agon.site.trials.states import State
from agon.site.trials.tables import one
from agon.site.trials.visitors import Visitor

VISITOR = Visitor(None, "canary", "canary")
LONGEST_WHY = 500  # characters
NEW = timedelta(minutes=10)  # a site, which may have nothing to try yet

log = logging.getLogger(__name__)


class Status(NamedTuple):
    """What is known. age: since one was last played to its end, or else since the first was asked for."""

    age: timedelta
    succeeded: datetime | None
    seconds: float | None
    why: str


def tick() -> None:
    """Note how the last one ended, and send one if it is time. Called every few seconds; mostly one query."""
    every = settings.AGON_CANARY_SECONDS
    if not every:
        return
    canary = Canary.objects.filter(pk=1).first()
    if canary is not None and canary.token:
        _note_end(canary)
    time = now()
    if canary is None or (not canary.token and canary.asked <= time - timedelta(seconds=every)):
        _send(canary, time)


def status() -> Status | None:
    """What is known; None if it is off, or was never sent."""
    canary = Canary.objects.filter(pk=1).first() if settings.AGON_CANARY_SECONDS else None
    if canary is None:
        return None
    age = max(timedelta(0), now() - (canary.succeeded or canary.since))
    return Status(age, canary.succeeded, canary.seconds, canary.why)


def _note_end(canary: Canary) -> None:
    trial = Trial.objects.filter(token=canary.token).first()
    if trial is not None and not trial.is_over:
        return
    facts: dict[str, object] = {"token": "", "why": _why(trial)}
    if trial is not None and not facts["why"]:
        assert trial.finished_at is not None  # it is over
        facts |= {
            "succeeded": trial.finished_at,
            "seconds": (trial.finished_at - trial.created).total_seconds(),
        }
    # Of two sweeps at a time, one notes it.
    if Canary.objects.filter(pk=1, token=canary.token).update(**facts):
        if facts["why"]:
            log.error("the canary failed: %s", facts["why"])
        if trial is not None:
            trial.delete()
    canary.token = ""


def _why(trial: Trial | None) -> str:
    """Why it failed; "" if it did not."""
    if trial is None:
        return "its trial was removed before it was over"
    why = in_english(trial.reason)
    if trial.state == State.FINISHED:
        return f"its program made a fault: {trial.fault}" if trial.fault else ""
    return without_secrets(f"{trial.state}: {why}")[:LONGEST_WHY]


def _send(canary: Canary | None, time: datetime) -> None:
    with transaction.atomic():
        if canary is None:
            _row, is_new = Canary.objects.get_or_create(pk=1, defaults={"asked": time, "since": time})
            is_ours = is_new
        else:
            mine = Canary.objects.filter(pk=1, asked=canary.asked, token="")
            is_ours = bool(mine.update(asked=time))
    if not is_ours:  # another sweep sends it
        return
    try:
        token, why = _try(), ""
    except Refused as refused:
        token, why = "", str(refused)
    if not token and not why:
        since = canary.since if canary is not None else time
        if time - since < NEW:  # the house bots of a new site are still being built
            Canary.objects.filter(pk=1).update(asked=time - timedelta(seconds=settings.AGON_CANARY_SECONDS))
            return
        why = "no open competition has a starter and a house bot that plays"
    if why:
        log.error("the canary was not sent: %s", why)
    Canary.objects.filter(pk=1).update(token=token, **({"why": why[:LONGEST_WHY]} if why else {}))


def _try() -> str:
    """Queue the trial; returns its token, or "" if there is nothing to try. Raises Refused."""
    competition = easiest(Competition.objects.filter(state=Competition.State.OPEN))
    opponent = services.first_opponent(competition) if competition else None
    if competition is None or opponent is None:
        return ""
    with override("en"):
        starter = starters_of(competition.info)[0]
    tables = [one(competition, opponent)]
    return services.start(VISITOR, competition, tables, starter.language, starter.text).token
