"""A log line for each match that becomes void and each submission that is rejected, with the reason."""

import logging
from typing import Any

from django.db import transaction

from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.core.db.transitions import Transition, observe
from agon.site.core.texts.reasons import in_english
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.trials.models import Trial
from agon.site.trials.states import State as TrialState

log = logging.getLogger(__name__)


def watch() -> None:
    """Log from now on. Called once, when Django starts."""
    observe(Match, _match)
    observe(Submission, _submission)
    observe(Trial, _trial)


def _match(match: Any, transition: Transition) -> None:
    if transition.target == State.VOID:
        extra = {"match": match.pk, "attempt": match.attempt, "worker": match.worker}
        _say(logging.WARNING, f"match {match.pk} is void: {in_english(match.reason)}", extra)


def _submission(submission: Any, transition: Transition) -> None:
    if transition.target == SubmissionState.REJECTED:
        text = f"submission {submission.pk} is rejected: {in_english(submission.reason)}"
        _say(logging.INFO, text, {"submission": submission.pk})


def _trial(trial: Any, transition: Transition) -> None:
    if transition.target == TrialState.FAILED:
        _say(logging.WARNING, f"trial {trial.pk} failed: {in_english(trial.reason)}", {"trial": trial.pk})


def _say(level: int, text: str, extra: dict[str, Any]) -> None:
    transaction.on_commit(lambda: log.log(level, "%s", text, extra=extra))
