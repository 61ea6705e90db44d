"""The Celery tasks of all queues.

A task is only a hint that something is waiting. It may be lost or delivered twice: the database says what
there is to do.
"""

import logging
import time
from collections.abc import Sequence

from celery.signals import worker_ready

from agon.site.bots import artifacts, languages
from agon.site.celery import app
from agon.site.challenges import progress as challenges
from agon.site.comparisons import progress as comparisons
from agon.site.core import disk_space
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import notify_now
from agon.site.events import feed, overtaking
from agon.site.fleet import environments, parking, pausing, watching
from agon.site.leaderboards import fitting, ladder
from agon.site.matches import leases, usage
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import deadlines, scheduling
from agon.site.trials import services as trials
from agon.site.use_cases import erasing, house_bots, qualification
from agon.site.workers import archiving, artifact_removal, building, outgoing, playing, retention, trying
from agon.site.workers.worker import worker
from sandbox.api import SandboxError

SLICE = 2.0  # seconds, after which other tasks of this worker run
BACKOFF = 1.0  # seconds, after a failure of the platform
PASS_ON = 0.1  # seconds for which a parked worker delays a notice, so that other workers take it
INTERACTIVE = (Match.Queue.INTERACTIVE,)
ALL = (Match.Queue.INTERACTIVE, Match.Queue.BULK)

log = logging.getLogger(__name__)
_backoff_until = 0.0


@app.task(name="agon.site.workers.tasks.play")
def play(queue: str) -> None:
    """Play waiting matches for SLICE seconds; then send a notice for the rest.

    queue: which matches, a Match.Queue; with "bulk" also interactive ones, which come first. A worker on
    which a match failed backs off, so that a broken machine does not use up the attempts of many matches.
    """
    if time.monotonic() < _backoff_until or disk_space.shortage():
        return
    if _must_not_play():
        time.sleep(PASS_ON)
        notify_now(queue)
        return
    try:
        worker.sandbox()
        environment = environments.store(worker.environment())
    except SandboxError as error:
        log.error("this worker cannot play: %s", error)
        return
    with worker.using_boxes():
        if not _play_slice(ALL if queue == Match.Queue.BULK else INTERACTIVE, environment):
            notify_now(queue)


def _must_not_play() -> bool:
    """Whether this worker is parked, or paused because it can fetch no programs."""
    return parking.is_parked(worker.name) or pausing.is_paused(worker.name, artifacts.why_none_can_be_fetched)


def _play_slice(queues: Sequence[str], environment: str) -> bool:
    """Play for SLICE seconds; False if matches may still be waiting."""
    global _backoff_until
    deadline = time.monotonic() + SLICE
    while not disk_space.shortage() and (
        matches := leases.claim_many(worker.name, queues, playing.pace.matches)
    ):
        if not playing.play(*matches, environment=environment):
            worker.mark_suspect()
            _backoff_until = time.monotonic() + BACKOFF
            return True
        if time.monotonic() > deadline:
            return False
    return True


@app.task(name="agon.site.workers.tasks.try_programs")
def try_programs(queue: str) -> None:
    """Play one waiting trial; then send a notice for the others, which queues behind all waiting tasks."""
    if time.monotonic() < _backoff_until or disk_space.shortage():
        return
    if trying.is_yielding() or _must_not_play():
        time.sleep(PASS_ON)
        trials.notify()
        return
    try:
        worker.sandbox()
    except SandboxError as error:
        log.error("this worker cannot play: %s", error)
        return
    with worker.using_boxes():
        if trying.play_next():
            trials.notify()


@app.task(name="agon.site.workers.tasks.sweep")
def sweep() -> None:
    """Give back what dead workers held, do what is due, and notify workers of everything that waits.

    Sent by beat every few seconds, and by each worker when it starts.
    """
    steps = [
        leases.give_back_expired,
        building.give_back_expired,
        qualification.start_due,
        deadlines.tick,
        scheduling.tick,
        fitting.tick,
    ]
    steps += [
        ladder.tick,
        erasing.erase_due,
        usage.forget,
        artifact_removal.remove_unneeded,
        watching.tick,
        archiving.send_if_due,
    ]
    steps += [trying.clean_up, comparisons.tick, challenges.tick, pausing.forget]
    steps += [overtaking.tick, outgoing.ask_if_due]
    for_each_isolated(steps, lambda step: step())
    for queue in Match.Queue:
        waiting = Match.objects.filter(state=State.QUEUED, queue=queue)[:100].count()
        if waiting:
            notify_now(queue, waiting)


@app.task(name="agon.site.workers.tasks.rate")
def rate(competition: int) -> None:
    """Fit the ratings of a competition whose results came too soon after its last fit began."""
    fitting.catch_up(competition)


@worker_ready.connect
def sweep_at_start(**_: object) -> None:
    """Sweep when a worker starts, rather than wait for the scheduler."""
    sweep.apply_async(queue=Match.Queue.INTERACTIVE.value)


@app.task(name="agon.site.workers.tasks.build")
def build(queue: str) -> None:
    """Build waiting submissions for SLICE seconds; then send a notice for the rest."""
    try:
        sandbox = worker.sandbox()
    except SandboxError as error:
        log.error("this worker cannot build: %s", error)
        return
    deadline = time.monotonic() + SLICE
    while not disk_space.shortage() and building.build_next(sandbox):
        if time.monotonic() > deadline:
            notify_now(queue)
            return


@app.task(name="agon.site.workers.tasks.archive")
def archive() -> None:
    """Make the archives of tournaments that are over, and close past days of the chain of results."""
    archiving.catch_up()


@app.task(name="agon.site.workers.tasks.send_out")
def send_out(queue: str) -> None:
    """Send the mails that are due."""
    outgoing.send()


@app.task(name="agon.site.workers.tasks.look_for_languages")
def look_for_languages() -> None:
    """Find out for SLICE seconds which languages can be built here; then requeue behind all waiting tasks."""
    if disk_space.shortage():  # a self-test that fails on a full disk says nothing about its language
        return
    try:
        if languages.look(worker.sandbox(), SLICE) is None:
            look_for_languages.apply_async(queue="build", retry=False)
    except SandboxError as error:
        log.error("this worker cannot try the languages: %s", error)


@worker_ready.connect
def ask_for_languages(**_: object) -> None:
    look_for_languages.apply_async(queue="build", retry=False)


@app.task(name="agon.site.workers.tasks.remove_old_records")
def remove_old_records() -> None:
    """Remove the records of matches that a competition keeps no longer, and old events. Sent by beat."""
    retention.remove_expired()
    while feed.remove_old():
        pass


@app.task(name="agon.site.workers.tasks.enter_house_bots")
def enter_house_bots() -> None:
    """Upload house bots to competitions without any. Sent when one is opened, and by beat."""
    if not house_bots.missing() or disk_space.shortage():
        return
    try:
        house_bots.install_missing(worker.sandbox())
    except SandboxError as error:
        log.error("this worker cannot try the languages of house bots: %s", error)


def ask_for_house_bots() -> None:
    """Send the task that uploads house bots, to any worker that builds."""
    enter_house_bots.apply_async(queue="build", retry=False)
