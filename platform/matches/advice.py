"""Advice for the author of a rejected version: contest.mistakes, with what the site knows."""

from django.utils import translation

from agon.db.reasons import StoredReason, foreign
from bots import reasons
from bots.models import Submission
from bots.sources import source_of
from bots.states import State
from contest.mistakes import Evidence, explain
from games.core.record import BadRecord
from matches import records
from matches.models import Match
from sandbox.uploads.accept import BadUpload


def of_rejection(found: Submission, qualification: Match | None) -> StoredReason | None:
    """Advice for a version that was rejected for a mistake of its own; None where there is none to give.

    A line is a line of the program's file, so programs of several files get none.
    """
    if found.state != State.REJECTED or found.reason.kind not in (reasons.BUILD, reasons.FAULT):
        return None
    try:
        files = source_of(found).files
        if len(files) != 1:
            return None
        text = files[0].data.decode("utf-8", "backslashreplace")
        evidence = _evidence(found, qualification, text)
    except (OSError, ValueError, BadUpload, BadRecord):  # the program or the record is lost
        return None
    advice = explain(evidence) if evidence else None
    return foreign(advice.sentence) if advice else None


def _evidence(found: Submission, match: Match | None, text: str) -> Evidence | None:
    channel = found.bot.competition.info.channel
    if found.reason.kind == reasons.BUILD:
        with translation.override("en"):  # rules know the sentences as they are written
            reason = str(found.reason)
        return Evidence.of_build(found.language, text, channel, reason, found.build_log)
    seat = match and match.seats.filter(submission=found).order_by("number").first()
    if match is None or not seat:
        return None
    stderr = records.stderr(seat).decode("utf-8", "backslashreplace")
    return Evidence.of_match(found.language, text, channel, records.log(match), seat.number, stderr)
