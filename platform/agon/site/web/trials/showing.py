"""The content of a trial's page: how it ended, what went wrong, what to do, and what the program wrote."""

import json
import zlib
from typing import Any, NamedTuple

from agon.advice import debug_lines
from agon.advice.mistakes import Evidence, explain
from agon.advice.mistakes.evidence import faulty_exchange
from agon.contest.text import escape_controls
from agon.site.core.texts.reasons import describe
from agon.site.matches import records, transcript
from agon.site.matches.models import Seat
from agon.site.trials import services
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.trials.tables import house_opponents
from games.core.match_log import MatchLog
from games.core.record import BadRecord

DOUBTS = 2  # shown: one mistake repeats itself in every answer
STDERR_SHOWN = 8 << 10  # bytes


class ResultRow(NamedTuple):
    """A row of the result. rank: 1 is best."""

    name: str
    rank: int
    score: str
    own: bool


def log_of(trial: Trial) -> MatchLog | None:
    """The match log; None before the end, or if the game has changed since and cannot replay the match."""
    if trial.state != State.FINISHED:
        return None
    try:
        return records.replay(zlib.decompress(trial.record), zlib.decompress(trial.times))
    except (zlib.error, BadRecord):
        return None


def debug_pieces(trial: Trial, log: MatchLog) -> list[debug_lines.Piece]:
    """The program's standard error, by frame."""
    try:
        stderr = zlib.decompress(trial.stderr) if trial.stderr else b""
        asks = json.loads(zlib.decompress(trial.stderr_asks)) if trial.stderr_asks else []
    except (zlib.error, ValueError):
        return []
    return debug_lines.pieces(log, trial.seat, stderr, asks)


def context(trial: Trial) -> dict[str, Any]:
    """The template context for the trial."""
    log, seat = log_of(trial), trial.seat
    fault = (
        next((recorded_fault for recorded_fault in log.faults if recorded_fault.seat == seat), None)
        if log
        else None
    )
    exchange = faulty_exchange(log, fault) if log and fault else None
    stderr = _stderr(trial)
    evidence = _evidence(trial, log, stderr)
    advice = explain(evidence) if evidence else None
    return {
        "trial": trial,
        "competition": trial.competition,
        "places": _result_rows(log, seat) if log else [],
        "won": log is not None and log.ranks[seat] == 1 and log.ranks.count(1) == 1,
        "tied_for_first": log is not None and log.ranks[seat] == 1 and log.ranks.count(1) > 1,
        "beaten": services.beaten(trial) if log else 0,
        "house": len(house_opponents(trial.competition)) if log else 0,
        "fault": fault,
        "reason": describe(fault.reason) if fault else trial.reason,
        "advice": describe(advice.sentence) if advice else "",
        "line": advice.line if advice else 0,
        "before": _before(trial) if log else None,
        "doubts": transcript.doubts(log, seat)[:DOUBTS] if log else [],
        "exchange": transcript.exchange_view(log, exchange) if log and exchange else None,
        "stderr": escape_controls(stderr[:STDERR_SHOWN]),
        "stderr_cut": len(stderr) > STDERR_SHOWN,
    }


def _before(trial: Trial) -> Seat | None:
    """How the match ended from this seat that the trial plays again; None if it plays none again."""
    seats = Seat.objects.filter(match=trial.again_id, number=trial.seat).select_related("match")
    return seats.first() if trial.again_id is not None else None


def _result_rows(log: MatchLog, own: int) -> list[ResultRow]:
    rows = [
        ResultRow(seat.name, rank, score, number == own)
        for number, (seat, rank, score) in enumerate(zip(log.seats, log.ranks, log.scores, strict=True))
    ]
    return sorted(rows, key=lambda row: row.rank)


def _stderr(trial: Trial) -> str:
    try:
        return zlib.decompress(trial.stderr).decode("utf-8", "backslashreplace") if trial.stderr else ""
    except zlib.error:
        return ""


def _evidence(trial: Trial, log: MatchLog | None, stderr: str) -> Evidence | None:
    channel = trial.competition.info.channel
    if trial.state == State.REJECTED:
        return Evidence.of_build(trial.language, trial.text, channel, trial.reason, trial.build_log)
    if log is None:
        return None
    return Evidence.of_match(trial.language, trial.text, channel, log, trial.seat, stderr)
