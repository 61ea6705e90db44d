"""Building submissions: received -> building -> built, or rejected with the log.

As with matches (matches.leases) a worker claims the next submission with a lease and an attempt number, and
only the present holder is heard. A build that the platform could not carry out is tried again, later and
later, and never rejects a bot; its page says what the matter is.
"""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from agon.adapters import adapter_of
from agon.leases import LEASE, now, renewing
from bots import artifacts, qualification, states
from bots.models import Submission
from bots.sources import source_of
from bots.states import State
from games.core.manifest import load
from matches.hints import hint
from sandbox import build as sandbox_build
from sandbox.api import Sandbox, SandboxError
from sandbox.build import Built
from sandbox.uploads import BadUpload

LONGEST_PAUSE = timedelta(minutes=10)  # between two attempts

log = logging.getLogger(__name__)


def build_next(sandbox: Sandbox) -> bool:
    """Build the submission that waits the longest; False if there is none."""
    submission = claim()
    if submission is None:
        return False
    try:
        with renewing(lambda: renew(submission)):
            adapter = adapter_of(load(submission.bot.competition.game))
            built = sandbox_build.build(source_of(submission), sandbox, settings.AGON_ARTIFACTS, adapter)
        finish(submission, built)
    except BadUpload as error:  # taken by an older version of the rules for uploads
        finish(submission, Built(artifact=None, log="", reason=str(error), language=""))
    except (SandboxError, OSError) as error:
        fail(submission, str(error))
    except Exception as error:
        log.exception("submission %s could not be built", submission.pk)
        fail(submission, repr(error))
    return True


def claim() -> Submission | None:
    """The submission to build now, people's before house bots, with its lease; None if none waits."""
    due = Q(lease_until=None) | Q(lease_until__lt=now())
    waiting = Submission.objects.filter(due, state=State.RECEIVED).order_by("bot__house", "id")
    while waiting.exists():
        with transaction.atomic():
            submission = waiting.select_for_update(skip_locked=True, of=("self",)).first()
            if submission is None:
                break
            return states.move(
                submission, State.BUILDING, attempt=submission.attempt + 1, lease_until=now() + LEASE
            )
    return None


def renew(submission: Submission) -> bool:
    """Put off the end of the lease; False if the build is no longer the caller's."""
    return bool(_held(submission).update(lease_until=now() + LEASE))


def finish(submission: Submission, built: Built) -> bool:
    """Write down how the build ended; False if it was no longer the caller's."""
    if built.artifact is not None:
        artifacts.keep(submission, built.artifact)
    with transaction.atomic():
        current = _held(submission).select_for_update().first()
        if current is None:
            return False
        facts = {"build_log": built.log, "lease_until": None, "language": built.language or current.language}
        if built.artifact is None:
            states.move(current, State.REJECTED, reason=built.reason, **facts)
        else:
            facts |= {"artifact": submission.artifact.name, "artifact_digest": submission.artifact_digest}
            states.move(current, State.BUILT, reason="", **facts)
            qualification.start(current)
    return True


def fail(submission: Submission, why: str) -> bool:
    """The platform could not build it: try again later. False if it was no longer the caller's."""
    with transaction.atomic():
        current = _held(submission).select_for_update().first()
        if current is not None:
            _give_back(current, why)
    return current is not None


def sweep() -> int:
    """Give back every build whose lease has expired, and hint at what waits; how many were given back."""
    expired = Submission.objects.filter(state=State.BUILDING, lease_until__lt=now())
    given_back = 0
    for pk in list(expired.values_list("pk", flat=True)):
        with transaction.atomic():
            submission = expired.select_for_update(skip_locked=True).filter(pk=pk).first()
            if submission is not None:
                _give_back(submission, "the worker that built it was lost")
                given_back += 1
    if Submission.objects.filter(state=State.RECEIVED).exists():
        hint("build")
    return given_back


def _held(submission: Submission):
    return Submission.objects.filter(pk=submission.pk, attempt=submission.attempt, state=State.BUILDING)


def _give_back(submission: Submission, why: str) -> None:
    log.warning("building submission %s, attempt %s: %s", submission.pk, submission.attempt, why)
    pause = min(timedelta(seconds=2**submission.attempt), LONGEST_PAUSE)
    note = _("The platform could not build it and will try again: %(why)s") % {"why": why}
    states.move(submission, State.RECEIVED, lease_until=now() + pause, reason=note)
