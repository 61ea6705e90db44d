"""Stores how a match ended, and reads what counts of it."""

import json
import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from django.db import connection

from contest.arena import Played
from contest.points import Result
from games.core import record as records
from games.core import timing
from games.core.faults import FaultKind
from matches.models import Fault, Match, Recording, Seat, Stderr

# One statement for all seats. What Django makes of the same (bulk_update) takes longer than all else of it.
_FILL_SEAT = f"""
    UPDATE {Seat._meta.db_table} SET score = %s, rank = %s, won = %s
    WHERE match_id = %s AND number = %s
"""


class Packed(NamedTuple):
    """What is kept of a match, compressed. stderr: by seat; none where nothing was written.

    stderr_at: likewise, where in it each ask begins.
    """

    record: bytes
    times: bytes
    files: bytes
    stderr: dict[int, bytes]
    stderr_at: dict[int, bytes]


def pack(played: Played) -> Packed:
    """Compress what is kept; before the transaction, which others may wait for."""
    return Packed(
        record=zlib.compress(records.to_json(played.log.record).encode()),
        times=zlib.compress(timing.to_json(played.log.timing).encode()),
        files=zlib.compress(json.dumps(played.files).encode()) if played.files else b"",
        stderr={seat: zlib.compress(stderr) for seat, stderr in enumerate(played.stderr) if stderr},
        stderr_at={seat: zlib.compress(json.dumps(at).encode()) for seat, at in enumerate(played.stderr_at)},
    )


def facts(played: Played) -> dict[str, Any]:
    """The fields of a match that tell how it ended."""
    log = played.log
    return {
        "summary": log.summary,
        "steps": 1 + max((exchange.step for exchange in log.exchanges), default=-1),
        "seconds": log.seconds,
    }


def write(match: Match, played: Played, packed: Packed) -> None:
    """Write the recording, the seats and their faults; inside the transaction that finishes the match."""
    log = played.log
    alone = log.ranks.count(1) == 1
    rows = [
        (score, rank, alone and rank == 1, match.pk, number)
        for number, (score, rank) in enumerate(zip(log.scores, log.ranks, strict=True))
    ]
    with connection.cursor() as cursor:
        cursor.executemany(_FILL_SEAT, rows)
    Recording.objects.create(match=match, record=packed.record, times=packed.times, files=packed.files)
    if not log.faults and not packed.stderr:
        return
    seats = list(match.seats.order_by("number"))
    Fault.objects.bulk_create(
        Fault(seat=seats[fault.seat], kind=fault.kind, step=fault.step, reason=fault.reason)
        for fault in log.faults
    )
    Stderr.objects.bulk_create(
        Stderr(seat=seats[seat], data=data, asks=packed.stderr_at.get(seat, b""))
        for seat, data in packed.stderr.items()
    )


def counted(match: Match, entrants: Sequence[int]) -> Result:
    """What counts of a finished match whose seats were taken by these entrants (numbers, by seat).

    It equals what the record says. Queries only for seats and faults that were not prefetched.
    """
    seats = match.seats.all()
    faults = sorted((fault for seat in seats for fault in seat.faults.all()), key=lambda fault: fault.pk)
    return Result(
        seats=tuple(entrants),
        scores=tuple(Fraction(seat.score) for seat in seats),
        ranks=tuple(seat.final_rank for seat in seats),
        faults=tuple(
            records.RecordedFault(fault.seat.number, FaultKind(fault.kind), fault.step, fault.reason)
            for fault in faults
        ),
    )
