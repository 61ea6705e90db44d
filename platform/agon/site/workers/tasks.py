"""The Celery tasks of all queues, except the two that play matches and build submissions.

Those are in agon.site.workers.playing and agon.site.workers.building. A task is only a hint that something is
waiting. It may be lost or delivered twice: the database says what there is to do.
"""

import logging
import time

from celery.signals import worker_ready

from agon.site.bots import languages
from agon.site.celery import app
from agon.site.challenges import progress as challenges
from agon.site.comparisons import progress as comparisons
from agon.site.core import disk_space
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import notify_now
from agon.site.courses import assessing, judging
from agon.site.events import feed, overtaking
from agon.site.fleet import failing, pausing, presence, watching
from agon.site.leaderboards import fitting, ladder
from agon.site.matches import home_asks, leases, packing, usage
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import deadlines, scheduling
from agon.site.trials import services as trials
from agon.site.use_cases import canary, erasing, house_bots, qualification
from agon.site.workers import archiving, artifact_removal, building, offering, outgoing, retention, trying
from agon.site.workers.worker import PASS_ON, SLICE, worker
from sandbox.api import SandboxError

CHORES = "chores"  # the queue

log = logging.getLogger(__name__)


@app.task(name="agon.site.workers.tasks.try_programs")
def try_programs(queue: str) -> None:
    """Play one waiting trial; then send a notice for the others, which queues behind all waiting tasks."""
    if worker.is_backing_off() or disk_space.shortage():
        return
    if trying.is_yielding() or worker.must_not_play():
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

    Sent by beat every few seconds, and by each worker when it starts, to those that have all rights of the
    site: a player on another machine may have a role of its own (agon.site.fleet.worker_role).
    """
    steps = [
        leases.give_back_expired,
        building.give_back_expired,
        qualification.start_due,
        deadlines.tick,
        scheduling.tick,
        fitting.tick,
        ladder.tick,
        erasing.erase_due,
        usage.forget,
        artifact_removal.remove_unneeded,
        watching.tick,
        failing.tick,
        archiving.send_if_due,
        trying.clean_up,
        comparisons.tick,
        challenges.tick,
        pausing.forget,
        presence.note_ended,
        presence.forget,
        offering.tick,
        home_asks.forget,
        judging.tick,
        assessing.tick,
        canary.tick,
        overtaking.tick,
        outgoing.ask_if_due,
    ]
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
    sweep.apply_async(queue=CHORES)


@app.task(name="agon.site.workers.tasks.archive")
def archive() -> None:
    """Make the archives of tournaments that are over, and close past days of the chain of results."""
    archiving.catch_up()


@app.task(name="agon.site.workers.tasks.send_out")
def send_out(queue: str) -> None:
    """Begin to send the mails and the events for webhooks that are due."""
    outgoing.begin()


@app.task(name="agon.site.workers.tasks.look_for_languages")
def look_for_languages() -> None:
    """Find out for SLICE seconds which languages can be built here; then requeue behind all waiting tasks."""
    if disk_space.shortage():  # a self-test that fails on a full disk says nothing about its language
        return
    try:
        if languages.probe(worker.sandbox(), SLICE, offering.machines_that_build()) is None:
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


@app.task(name="agon.site.workers.tasks.pack_records")
def pack_records() -> None:
    """Put the records of matches that are over for a day into packs, for SLICE seconds. Sent by beat."""
    packing.pack_settled(SLICE)


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
