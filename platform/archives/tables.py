"""The results of a tournament as tables: a row for each seat of each match of the schedule.

Rows are read from the database a few at a time. A seed is text, since many readers keep only 53 bits of a
number; scores and points are exact text, such as "7/2".
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, NamedTuple

from arro3 import io as arrow_io
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema

from archives.contents import with_seats
from contest.points import POINTS
from matches import results
from matches.models import Match
from matches.states import State
from tournaments.models import Tournament

_ROWS = 10_000  # in a batch of Parquet
_FORMULA = ("=", "+", "-", "@", "\t")


class Row(NamedTuple):
    """match: its index in the schedule, as in the archive. id: its number on the site.

    seat: from 0. seconds: of the whole match.
    """

    match: int
    round: int
    id: int
    seed: str
    seat: int
    bot: str
    submission: str
    score: str
    rank: int
    points: str
    faults: str
    seconds: float
    finished_at: str


_TYPES = {int: DataType.int64(), str: DataType.utf8(), float: DataType.float64()}
_SCHEMA = Schema([Field(name, _TYPES[kind], nullable=False) for name, kind in Row.__annotations__.items()])


def rows(tournament: Tournament) -> Iterator[Row]:
    """The rows of the finished matches, in the order of the schedule."""
    rule = POINTS[tournament.competition.info.tournament.points]
    for match in with_seats(tournament.matches.filter(state=State.FINISHED).order_by("index")):
        seats = match.seats.all()
        points = rule.of(results.counted(match, range(len(seats))))
        for seat, earned in zip(seats, points, strict=True):
            yield Row(
                match=match.index,
                round=match.round,
                id=match.pk,
                seed=str(match.seed),
                seat=seat.number,
                bot=seat.name,
                submission=seat.submission.digest,
                score=seat.score,
                rank=seat.final_rank,
                points=str(earned),
                faults=" ".join(fault.kind for fault in seat.faults.all()),
                seconds=match.seconds or 0.0,
                finished_at=_time(match),
            )


def write_csv(file: IO[bytes], found: Iterable[Row]) -> None:
    """Words that a spreadsheet would take for a formula get an apostrophe: bots' authors chose them."""
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in found:
        writer.writerow(row._replace(bot=f"'{row.bot}" if row.bot.startswith(_FORMULA) else row.bot))
    text.detach()


def write_jsonl(file: IO[bytes], found: Iterable[Row]) -> None:
    for row in found:
        file.write(json.dumps(row._asdict()).encode() + b"\n")


def write_parquet(file: IO[bytes], found: Iterable[Row]) -> None:
    arrow_io.write_parquet(RecordBatchReader.from_batches(_SCHEMA, _batches(iter(found))), file)


def _batches(found: Iterator[Row]) -> Iterator[RecordBatch]:
    while batch := list(islice(found, _ROWS)):
        columns = zip(*batch, strict=True)
        kinds = Row.__annotations__.values()
        arrays = [Array(column, _TYPES[kind]) for column, kind in zip(columns, kinds, strict=True)]
        yield RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def _time(match: Match) -> str:
    return match.ended.isoformat(timespec="seconds")
