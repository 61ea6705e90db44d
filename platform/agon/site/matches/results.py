"""Stores how a match ended, and reads its result."""

import json
import time
import zlib
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from typing import NamedTuple

from django.db import connection

from agon.contest.arena import Played
from agon.contest.points import Result
from agon.site.core.counting import count_on_commit
from agon.site.core.db.bulk import update_rows
from agon.site.core.db.leases import now
from agon.site.matches.models import Fault, Match, Recording, Seat, Stderr
from games.core import record as records
from games.core import timing
from games.core.faults import FaultKind
from games.core.match_log import MatchLog


class Packed(NamedTuple):
    """The data of a match that is stored, compressed. stderr: by seat, without seats that wrote nothing.

    stderr_at: likewise, the offsets in it at which the asks begin.
    """

    record: bytes
    times: bytes
    files: bytes
    stderr: dict[int, bytes]
    stderr_at: dict[int, bytes]


def pack(played: Played) -> Packed:
    """Compress the data to store. Call it before the transaction, which others may wait for."""
    return Packed(
        record=zlib.compress(records.to_json(played.log.record).encode()),
        times=zlib.compress(timing.to_json(played.log.timing).encode()),
        files=zlib.compress(json.dumps(played.files).encode()) if played.files else b"",
        stderr={seat: zlib.compress(stderr) for seat, stderr in enumerate(played.stderr) if stderr},
        stderr_at={
            seat: zlib.compress(json.dumps(at).encode())
            for seat, at in enumerate(played.stderr_at)
            if played.stderr[seat]
        },
    )


class Ended(NamedTuple):
    """A match that was played to its end here. at: when, in monotonic seconds of this process.

    environment: the digest of what it was played in (agon.site.fleet.environments), "" if that is not known.
    """

    match: Match
    played: Played
    packed: Packed
    at: float
    environment: str = ""


def just_ended(match: Match, played: Played, environment: str = "") -> Ended:
    """The end of a match that has ended just now."""
    return Ended(match, played, pack(played), time.monotonic(), environment)


def write(results: Sequence[Ended]) -> None:
    """Write recordings, seats, faults and times; inside the transaction that finishes these matches."""
    adapt, adapt_json = connection.ops.adapt_datetimefield_value, connection.ops.adapt_json_value
    rows = []
    current, clock = now(), time.monotonic()
    for result in results:
        log = result.played.log
        finished = current - timedelta(seconds=clock - result.at)
        started = finished - timedelta(seconds=result.played.seconds)
        steps = 1 + max((exchange.step for exchange in log.exchanges), default=-1)
        facts = (adapt_json(log.summary, None), steps, log.seconds, adapt(started), adapt(finished))
        rows.append((result.match.pk, *facts, result.environment))
    columns = ["summary", "steps", "seconds", "started", "finished_at", "environment"]
    update_rows(Match, ["id"], columns, rows)
    seats = [row for result in results for row in _seat_rows(result)]
    columns = ["score", "rank", "won", "slowest", "stored_bytes"]
    update_rows(Seat, ["match_id", "number"], columns, seats)
    Recording.objects.bulk_create(
        Recording(match=match, record=packed.record, times=packed.times, files=packed.files)
        for match, _, packed, *_ in results
    )
    _write_faults_and_stderr(
        [result for result in results if result.played.log.faults or result.packed.stderr]
    )


def _seat_rows(ended: Ended) -> list[tuple[object, ...]]:
    log, packed = ended.played.log, ended.packed
    share = (len(packed.record) + len(packed.times) + len(packed.files)) // len(log.scores)
    has_one_winner = log.ranks.count(1) == 1
    slowest = _slowest(log, ended.match.competition.info.limits.turn_ms)
    rows: list[tuple[object, ...]] = []
    for number, (score, rank) in enumerate(zip(log.scores, log.ranks, strict=True)):
        stored = share + len(packed.stderr.get(number, b"")) + len(packed.stderr_at.get(number, b""))
        is_winner = has_one_winner and rank == 1
        rows.append((ended.match.pk, number, score, rank, is_winner, slowest.get(number), stored))
    return rows


def _write_faults_and_stderr(results: Sequence[Ended]) -> None:
    """Write faults, and what bots wrote to standard error."""
    if not results:
        return
    rows = Seat.objects.filter(match__in=[result.match.pk for result in results])
    seats = {(match, number): pk for pk, match, number in rows.values_list("pk", "match", "number")}
    Fault.objects.bulk_create(
        Fault(seat_id=seats[match.pk, fault.seat], kind=fault.kind, step=fault.step, reason=fault.reason)
        for match, played, *_ in results
        for fault in played.log.faults
    )
    for match, played, *_ in results:
        for fault in played.log.faults:
            count_on_commit("faults", game=match.competition.game, kind=str(fault.kind))
    Stderr.objects.bulk_create(
        Stderr(seat_id=seats[match.pk, number], data=data, asks=packed.stderr_at.get(number, b""))
        for match, _, packed, *_ in results
        for number, data in packed.stderr.items()
    )


def _slowest(log: MatchLog, turn_ms: int) -> dict[int, float]:
    """The charged time of each seat's slowest answer, as a share of the limit, by seat."""
    slowest: dict[int, float] = {}
    for exchange in log.exchanges:
        if exchange.charged_us is not None:
            slowest[exchange.seat] = max(
                slowest.get(exchange.seat, 0.0), exchange.charged_us / (1000 * turn_ms)
            )
    return slowest


def result_for(match: Match, entrants: Sequence[int]) -> Result:
    """The result of a finished match whose seats were taken by these entrants (numbers, by seat).

    It equals the one in the record. Queries only for seats and faults that were not prefetched.
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
        seed=match.seed,
    )
