"""Stores how a match ended: files in the storage, seats and faults in the database; and reads what counts of
it.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from contest.arena import Played
from contest.points import Result
from games.core import record as records
from games.core.faults import FaultKind
from matches.models import Fault, Match, Seat, record_path, stderr_path


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


def write(match: Match, played: Played, stored: Stored) -> None:
    """Fill in the match, its seats and faults; inside the transaction that finishes the match."""
    record = played.record
    match.record, match.files, match.summary = stored.record, stored.files, record.summary
    match.steps = 1 + max((exchange.step for exchange in record.exchanges), default=-1)
    match.seconds = record.seconds
    match.save(update_fields=["record", "files", "summary", "steps", "seconds"])
    seats = list(match.seats.order_by("number"))
    alone = record.ranks.count(1) == 1
    for seat, score, rank in zip(seats, record.scores, record.ranks, strict=True):
        seat.score, seat.rank, seat.won = score, rank, alone and rank == 1
        seat.stderr = stored.stderr.get(seat.number, "")
    Seat.objects.bulk_update(seats, ["score", "rank", "won", "stderr"])
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
