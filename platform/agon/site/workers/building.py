"""Builds submissions: received -> building -> built, or rejected with the log.

As with matches (agon.site.matches.leases), a worker claims the next submission with a lease and an attempt
number, and only the current holder may finish it. A build that the platform could not carry out is retried
with growing pauses, and its page shows what failed. After ATTEMPTS the submission is rejected, and the reason
says that the platform failed. One in a language that this machine lacks is left to the other machines.
"""

import logging
import time
from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from agon.contest.adapters import adapter_of
from agon.contest.reasons import from_sandbox
from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.bots import artifacts, languages, quota, reasons, states
from agon.site.bots.models import Submission
from agon.site.bots.programs import program_of
from agon.site.bots.sources import source_of
from agon.site.bots.states import State
from agon.site.celery import app
from agon.site.core import disk_space
from agon.site.core.counting import count, count_on_commit
from agon.site.core.db.leases import LEASE, internal_error, now, renewing
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import notify_now, notify_on_commit
from agon.site.core.texts.reasons import describe
from agon.site.matches import usage
from agon.site.use_cases import build_order, qualification
from agon.site.workers.worker import SLICE, worker
from games.core.manifest import load
from games.core.reason import NO_REASON, Reason
from sandbox.api import Sandbox, SandboxError
from sandbox.building import build as sandbox_build
from sandbox.building.build import Built
from sandbox.uploads.accept import BadUpload

LONGEST_PAUSE = timedelta(minutes=10)  # between two attempts
ATTEMPTS = 12  # within about 40 minutes

_former: dict[str, datetime] = {}  # `end`: when the former build of this process ended

log = logging.getLogger(__name__)


class NoRoom(Exception):
    """The site has no room for the artifact; `reason` is for the author."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@app.task(name="agon.site.workers.tasks.build")
def build_waiting(queue: str) -> None:
    """Build waiting submissions for SLICE seconds; then send a notice for the rest."""
    try:
        sandbox = worker.sandbox()
    except SandboxError as error:
        log.error("this worker cannot build: %s", error)
        return
    deadline = time.monotonic() + SLICE
    while not disk_space.shortage() and build_next(sandbox):
        if time.monotonic() > deadline:
            notify_now(queue)
            return


def build_next(sandbox: Sandbox) -> bool:
    """Build the submission that is next in order, and store how it ended; False if there is none.

    Raises nothing: a failure of the platform is logged and the build is retried later.
    """
    submission = claim(worker.lacking())
    if submission is None:
        return False
    began = time.monotonic()
    try:
        with renewing(lambda: renew(submission)):
            adapter = adapter_of(load(submission.bot.competition.game))
            artifacts.make_room(sandbox_build.ARTIFACT_BYTES)
            source = source_of(submission)
            Submission.objects.filter(pk=submission.pk).update(program=program_of(source))
            built = sandbox_build.build(source, sandbox, settings.AGON_ARTIFACTS, adapter)
        if built.reason.code == "language_not_offered" and languages.has_machine(built.language):
            why = from_sandbox(built.reason)  # it works elsewhere, or will again
            worker.lack(built.language, describe(why))
            hand_back(submission, why, built.language)
        else:
            finish(submission, built)
    except BadUpload as error:  # accepted under older rules for uploads
        finish(submission, Built(artifact=None, log="", reason=error.reason, language=""))
    except NoRoom as error:
        fail(submission, error.reason)
    except (SandboxError, OSError) as error:
        fail(submission, Reason("text", text=str(error)))
    except Exception as error:
        log.exception("submission %s could not be built", submission.pk)
        fail(submission, internal_error(error))
    finally:
        seconds = time.monotonic() - began
        _note_end(submission, seconds)
        count("build_seconds", seconds)
        if not submission.bot.house:
            usage.charge(submission.bot_id, seconds)
    return True


def _note_end(submission: Submission, seconds: float) -> None:
    ended = now()
    waited_since = (
        submission.created if submission.attempt == 1 else ended
    )  # there was a pause before this one
    build_order.note_build(seconds, waited_since, _former.get("end"), ended)
    _former["end"] = ended


def claim(lacking: Collection[str] = ()) -> Submission | None:
    """Claim the submission to build now, with a lease; None if none waits.

    lacking: languages that this worker cannot build; what is known to be in them is left to others.

    Submissions of authors who used the least worker time come first; among equals, those of authors who
    uploaded least within the hour. House bots come last. Authors who used up their time have to wait
    (agon.site.matches.usage), and so have bots for games that do not work here.
    """
    submissions = build_order.waiting().exclude(language__in=lacking)
    while submissions.exists():
        with transaction.atomic():
            submission: Submission | None = submissions.select_for_update(
                skip_locked=True, of=("self",), no_key=True
            ).first()
            if submission is None:
                break
            return submission.move(
                states.START_BUILD, attempt=submission.attempt + 1, lease_until=now() + LEASE
            )
    return None


def renew(submission: Submission) -> bool:
    """Extend the lease; False if another worker has it by now."""
    return bool(_held(submission).update(lease_until=now() + LEASE))


def finish(submission: Submission, built: Built) -> bool:
    """Store how the build ended; False (and nothing is kept) if another worker has the lease by now.

    Raises NoRoom if the site has no room for the artifact.
    """
    if built.artifact is not None:
        artifacts.keep(submission, built.artifact)
    new_state = None
    try:
        new_state = _write(submission, built)
    finally:
        if built.artifact is not None and new_state != State.BUILT:
            submission.artifact.delete(save=False)
    return new_state is not None


@transaction.atomic
def _write(submission: Submission, built: Built) -> State | None:
    """Returns the new state; None if another worker has the lease by now."""
    # The author first, as uploads do: the limits hold, and no two transactions wait for each other.
    User.objects.select_for_update(no_key=True).get(pk=submission.bot.owner_id)
    current = _held(submission).select_for_update(no_key=True).first()
    if current is None:
        return None
    facts = {
        "build_log": escape_controls(built.log),
        "lease_until": None,
        "language": built.language or current.language,
    }
    reason = from_sandbox(built.reason) if built.artifact is None else _no_room(submission)
    if reason:
        current.move(states.REJECT, reason=reasons.no_build(reason), **facts)
        count_on_commit("builds", result="rejected")
        return State.REJECTED
    facts |= {name: getattr(submission, name) for name in ("artifact_digest", "artifact_bytes")}
    current.move(states.FINISH_BUILD, reason=NO_REASON, artifact=submission.artifact.name, **facts)
    qualification.start(current)
    count_on_commit("builds", result="built")
    return State.BUILT


def _no_room(submission: Submission) -> Reason | None:
    """Why the artifact exceeds the author's quota, or None. Raises NoRoom if the site itself is full."""
    if submission.bot.house:
        return None
    others = quota.of_others(submission.bot, submission.artifact_bytes)
    if others:
        raise NoRoom(others)
    return quota.of_account(submission.bot, submission.artifact_bytes, submission)


def fail(submission: Submission, why: Reason) -> bool:
    """Have the build retried, because the platform failed. False if another worker has the lease by now."""
    with transaction.atomic():
        current = _held(submission).select_for_update(no_key=True).first()
        if current is not None:
            _give_back(current, why)
    return current is not None


@transaction.atomic
def hand_back(submission: Submission, why: Reason, language: str) -> None:
    """Leave the build to other builders, for this one lacks the language. The attempt does not count."""
    current = _held(submission).select_for_update(no_key=True).first()
    if current is not None:
        current.move(
            states.RETRY_BUILD,
            attempt=current.attempt - 1,
            language=language,
            lease_until=None,
            reason=reasons.no_build_yet(why),
        )


def give_back_expired() -> int:
    """Give back every build whose lease expired, and notify workers of those that wait.

    Returns how many were given back.
    """
    expired = Submission.objects.filter(state=State.BUILDING, lease_until__lt=now())

    @transaction.atomic
    def give_back(pk: int) -> bool:
        submission = expired.select_for_update(skip_locked=True, no_key=True).filter(pk=pk).first()
        if submission is not None:
            count_on_commit("leases_lost", of="build")
            _give_back(submission, Reason("failure_worker"))
        return submission is not None

    given_back = for_each_isolated(list(expired.values_list("pk", flat=True)), give_back)
    if Submission.objects.filter(state=State.RECEIVED).exists():
        notify_on_commit("build")
    return given_back


def _held(submission: Submission) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=submission.pk, attempt=submission.attempt, state=State.BUILDING)


def _give_back(submission: Submission, why: Reason) -> None:
    count_on_commit("builds", result="failed")
    log.warning("building submission %s, attempt %s: %s", submission.pk, submission.attempt, describe(why))
    if submission.attempt >= ATTEMPTS:
        submission.move(states.REJECT, lease_until=None, reason=reasons.not_built(why, submission.attempt))
        return
    pause = min(timedelta(seconds=2**submission.attempt), LONGEST_PAUSE)
    submission.move(states.RETRY_BUILD, lease_until=now() + pause, reason=reasons.no_build_yet(why))
