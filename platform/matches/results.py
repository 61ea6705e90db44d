"""Stores how a match ended, and reads what counts of it."""

import json
import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from contest.arena import Played
from contest.points import Result
from games.core import record as records
from games.core import timing
from games.core.faults import FaultKind
from matches.models import Fault, Match, Recording, Seat, Stderr


class Packed(NamedTuple):
    """What is kept of a match, compressed. stderr: by seat; none where nothing was written."""

    record: bytes
    times: bytes
    files: bytes
    stderr: dict[int, bytes]


def pack(played: Played) -> Packed:
    """Compress what is kept; before the transaction, which others may wait for."""
    return Packed(
        record=zlib.compress(records.to_json(played.log.record).encode()),
        times=zlib.compress(timing.to_json(played.log.timing).encode()),
        files=zlib.compress(json.dumps(played.files).encode()) if played.files else b"",
        stderr={seat: zlib.compress(stderr) for seat, stderr in enumerate(played.stderr) if stderr},
    )


def write(match: Match, played: Played, packed: Packed) -> None:
    """Fill in the match, its seats and faults; inside the transaction that finishes the match."""
    log = played.log
    match.summary = log.summary
    match.steps = 1 + max((exchange.step for exchange in log.exchanges), default=-1)
    match.seconds = log.seconds
    match.save(update_fields=["summary", "steps", "seconds"])
    seats = list(match.seats.order_by("number"))
    alone = log.ranks.count(1) == 1
    for seat, score, rank in zip(seats, log.scores, log.ranks, strict=True):
        seat.score, seat.rank, seat.won = score, rank, alone and rank == 1
    Seat.objects.bulk_update(seats, ["score", "rank", "won"])
    Fault.objects.bulk_create(
        Fault(seat=seats[fault.seat], kind=fault.kind, step=fault.step, reason=fault.reason)
        for fault in log.faults
    )
    Recording.objects.create(match=match, record=packed.record, times=packed.times, files=packed.files)
    Stderr.objects.bulk_create(Stderr(seat=seats[seat], data=data) for seat, data in packed.stderr.items())


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
