"""The results of a tournament as tables: a row for each seat of each match that was played.

Rows are read from the database a part at a time. A seed is text, since many readers keep only 53 bits of a
number; scores and points are exact text, such as "7/2", which spreadsheets take for a date. So each is there
as a number, too.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import IO, Any, NamedTuple

from django.db.models import Q

from agon.contest.points import PointsRule, Result
from agon.contest.text import escape_formula
from agon.site.archives import parquet
from agon.site.matches.models import Fault, Seat
from agon.site.matches.states import State
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.models import Tournament

_MATCHES = 500  # whose rows are read at once


class SeatRow(NamedTuple):
    """match: its index in the schedule, as in the archive. id: its number on the site.

    seat: from 0. seconds: of the whole match. The fields from `tournament` on were added after 1.0: ids on
    the site, the name of the bot's author as it is now, and the scores and points as numbers.
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
    tournament: int
    author: str
    author_id: int
    bot_id: int
    submission_id: int
    score_number: float
    points_number: float


def rows(tournament: Tournament) -> Iterator[SeatRow]:
    """The rows of the finished matches, in the order of the schedule."""
    rule = rules_of(tournament).points
    for first in range(0, tournament.scheduled, _MATCHES):
        part = Q(match__index__gte=first, match__index__lt=first + _MATCHES)
        yield from _rows_of_part(tournament, part, rule)


def _rows_of_part(tournament: Tournament, part: Q, rule: PointsRule) -> Iterator[SeatRow]:
    """The rows of a part of the schedule, read without model instances, since there may be very many."""
    played = Seat.objects.filter(part, match__tournament=tournament, match__state=State.FINISHED)
    faults: dict[int, list[str]] = defaultdict(list)
    kinds = Fault.objects.filter(seat__in=played).order_by("pk").values_list("seat", "kind")
    for seat, kind in kinds:
        faults[seat].append(kind)
    fields = [f"match__{name}" for name in ("index", "round", "pk", "seed", "seconds", "finished_at")]
    fields += ["pk", "number", "name", "submission__digest", "submission", "submission__bot"]
    fields += [f"submission__bot__owner{field}" for field in ("", "__username", "__closed")]
    fields += ["score", "rank"]
    rows = played.order_by("match__index", "number").values_list(*fields)
    for (index, round, pk, seed, seconds, ended), seats in groupby(rows, key=lambda row: row[:6]):
        seated = [row[6:] for row in seats]
        points = rule.of(_result(seated))
        for row, earned in zip(seated, points, strict=True):
            seat, number, name, digest, submission, bot, owner, author, closed, score, rank = row
            yield SeatRow(
                match=index,
                round=round,
                id=pk,
                seed=str(seed),
                seat=number,
                bot=name,
                submission=digest,
                score=score,
                rank=rank,
                points=str(earned),
                faults=" ".join(faults.get(seat, ())),
                seconds=seconds or 0.0,
                finished_at=ended.isoformat(timespec="seconds"),
                tournament=tournament.pk,
                author=author if closed is None else "",
                author_id=owner,
                bot_id=bot,
                submission_id=submission,
                score_number=float(Fraction(score)),
                points_number=float(earned),
            )


def _result(seated: Sequence[tuple[Any, ...]]) -> Result:
    """The part of the result that points depend on."""
    scores = tuple(Fraction(score) for *_, score, _ in seated)
    return Result(tuple(range(len(seated))), scores, tuple(rank for *_, rank in seated))


def write_jsonl(file: IO[bytes], rows: Iterable[SeatRow]) -> None:
    """Write a line of JSON for each row."""
    for row in rows:
        file.write(json.dumps(row._asdict()).encode() + b"\n")


def read_jsonl(file: IO[bytes]) -> Iterator[SeatRow]:
    """The rows that `write_jsonl` has written."""
    file.seek(0)
    for line in file:
        yield SeatRow(**json.loads(line))


def write_csv(file: IO[bytes], rows: Iterable[SeatRow]) -> None:
    """Write a CSV file. Names are escaped against spreadsheet formulas, because authors chose them."""
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SeatRow._fields)
    for row in rows:
        writer.writerow(row._replace(bot=escape_formula(row.bot), author=escape_formula(row.author)))
    text.detach()


def write_parquet(file: IO[bytes], rows: Iterable[SeatRow]) -> None:
    """Write a Parquet file, batch by batch, so that the rows are never all in memory."""
    parquet.write(file, SeatRow, rows)
