"""Advice for the author of a rejected version: `agon.advice` applied to the stored source and match."""

from typing import NamedTuple

from agon.advice.mistakes import Evidence, explain
from agon.site.bots import reasons
from agon.site.bots.models import Submission
from agon.site.bots.sources import contents, source_of
from agon.site.bots.states import State
from agon.site.core.texts.reasons import describe
from agon.site.matches import records, transcript
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from games.core.record import BadRecord
from sandbox.uploads.accept import BadUpload

LONGEST = 1 << 20  # bytes of a program for which there is advice
_MOST_DOUBTS = 2  # shown: one mistake repeats itself in every answer


def of_rejection(submission: Submission, qualification: Match | None) -> str:
    """Advice for a version that was rejected because of its own mistake; "" if there is none to give.

    Advice refers to a line of the program's only file, so programs of several files get none, nor do
    those of more than LONGEST bytes.
    """
    if submission.state != State.REJECTED or submission.reason.code not in (reasons.NO_BUILD, reasons.FAULT):
        return ""
    uploaded = contents(submission)
    if uploaded is None or uploaded.files != 1 or uploaded.size > LONGEST:
        return ""
    try:
        [file] = source_of(submission).files
        text = file.data.decode("utf-8", "backslashreplace")
        evidence = _evidence(submission, qualification, text)
    except (OSError, ValueError, BadUpload, BadRecord):  # the program or the record is lost
        return ""
    advice = explain(evidence) if evidence else None
    return describe(advice.sentence) if advice else ""


class Doubts(NamedTuple):
    """Answers that were no faults and are probably mistaken: what about them, and the first one itself."""

    words: list[str]
    answer: transcript.ExchangeView


def about_answers(submission: Submission, qualification: Match) -> Doubts | None:
    """Doubts about the answers of a version in its qualification match; None if there are none."""
    seat = qualification.seats.filter(submission=submission).order_by("number").first()
    if seat is None or qualification.state != MatchState.FINISHED:
        return None
    try:
        log = records.log(qualification)
    except (OSError, ValueError, BadRecord):  # the record is lost
        return None
    answers = transcript.doubtful_answers(log, seat.number)
    return Doubts([words for words, _ in answers[:_MOST_DOUBTS]], answers[0][1]) if answers else None


def _evidence(submission: Submission, match: Match | None, text: str) -> Evidence | None:
    channel = submission.bot.competition.info.channel
    if submission.reason.code == reasons.NO_BUILD:
        return Evidence.of_build(
            submission.language, text, channel, submission.reason, submission.build_log, submission.pasted
        )
    seat = match and match.seats.filter(submission=submission).order_by("number").first()
    if match is None or not seat:
        return None
    stderr = records.stderr(seat).decode("utf-8", "backslashreplace")
    return Evidence.of_match(submission.language, text, channel, records.log(match), seat.number, stderr)
