"""Stores how a match ended: files in the storage, seats and faults in the database; and reads what counts of
it.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from contest.arena import Played
from contest.points import Result
from games.core import record as records
from games.core.faults import FaultKind
from matches.models import Fault, Match, Seat, record_path, stderr_path

# One statement for all seats. What Django makes of the same (bulk_update) takes longer than all else of it.
_FILL_SEAT = f"""
    UPDATE {Seat._meta.db_table} SET score = %s, rank = %s, won = %s, stderr = %s
    WHERE match_id = %s AND number = %s
"""


@dataclass
class Stored:
    """Names of files in the storage."""

    record: str = ""
    files: str = ""
    stderr: dict[int, str] = field(default_factory=dict)  # by seat; no file where nothing was written

    def delete(self) -> None:
        for name in filter(None, (self.record, self.files, *self.stderr.values())):
            default_storage.delete(name)


def store(match: Match, played: Played) -> Stored:
    """Put the record, and the other output of the match, into the storage, compressed."""
    stored = Stored()
    try:
        stored.record = _save(record_path(match, "json.gz"), records.to_json(played.record).encode())
        if played.files:
            stored.files = _save(record_path(match, "files.json.gz"), json.dumps(played.files).encode())
        for number, stderr in enumerate(played.stderr):
            if stderr:
                seat = Seat(match=match, number=number)
                stored.stderr[number] = _save(stderr_path(seat, ""), stderr)
    except BaseException:
        stored.delete()
        raise
    return stored


def facts(played: Played, stored: Stored) -> dict[str, Any]:
    """The fields of a match that tell how it ended."""
    record = played.record
    return {
        "record": stored.record,
        "files": stored.files,
        "summary": record.summary,
        "steps": 1 + max((exchange.step for exchange in record.exchanges), default=-1),
        "seconds": record.seconds,
    }


def write_seats(match: Match, played: Played, stored: Stored) -> None:
    """Fill in the seats of a match and their faults; inside the transaction that finishes the match."""
    record = played.record
    alone = record.ranks.count(1) == 1
    rows = [
        (score, rank, alone and rank == 1, stored.stderr.get(number, ""), match.pk, number)
        for number, (score, rank) in enumerate(zip(record.scores, record.ranks, strict=True))
    ]
    with connection.cursor() as cursor:
        cursor.executemany(_FILL_SEAT, rows)
    if record.faults:
        seats = list(match.seats.order_by("number"))
        Fault.objects.bulk_create(
            Fault(seat=seats[fault.seat], kind=fault.kind, step=fault.step, reason=fault.reason)
            for fault in record.faults
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


def _save(name: str, data: bytes) -> str:
    return default_storage.save(name, ContentFile(gzip.compress(data, 6, mtime=0)))
