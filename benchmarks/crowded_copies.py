"""Copies finished matches inside PostgreSQL until a crowded site has a million, for benchmarks/crowded.py.

Copies have the competition, seats, results and faults of their originals, numbers of their own, and times
evenly spread over DAYS. Each has a recording in a pack, as matches of more than a day ago have. The texts in
packs are those of the game's real matches, the same in each pack: what reading one takes is real, and how
much room packs take is not (benchmarks/packs.py measures that).
"""

from __future__ import annotations

import bz2
import itertools
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from agon.site.matches import results
from agon.site.matches.models import Match, Pack
from agon.site.matches.pack_format import MOST_RECORDINGS, PARTS, Encoded, Item, divided, encode
from benchmarks.crowded_bots import Game, Place

DAYS = 300
TABLES = ("matches_match", "matches_seat", "matches_fault")


class _Made(NamedTuple):
    """A table's original rows. last: the largest id before there were copies."""

    columns: Sequence[str]
    last: int


def copy(places: Sequence[Place], count: int) -> None:
    """Add copies of all finished ladder matches without a recording until there are at least this many.

    The user of the database has to be a superuser: what points to what is known, and not checked again.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        made = {table: _made(table) for table in TABLES}
        cursor.execute(
            "CREATE TEMP TABLE old_match ON COMMIT DROP AS SELECT m.*, row_number() OVER (ORDER BY id) AS n"
            " FROM matches_match m LEFT JOIN matches_recording r ON r.match_id = m.id"
            " WHERE state = 'finished' AND kind = 'ladder' AND r.match_id IS NULL"
        )
        cursor.execute(
            "CREATE TEMP TABLE old_seat ON COMMIT DROP AS SELECT s.*, row_number() OVER (ORDER BY s.id) AS n,"
            " m.n AS match_n FROM matches_seat s JOIN old_match m ON m.id = s.match_id"
        )
        cursor.execute(
            "CREATE TEMP TABLE old_fault ON COMMIT DROP AS SELECT f.*, s.n AS seat_n,"
            " row_number() OVER (ORDER BY f.id) AS n"
            " FROM matches_fault f JOIN old_seat s ON s.id = f.seat_id"
        )
        sizes = {table: _one(f"SELECT count(*) FROM old_{table[8:]}") for table in TABLES}
        rounds = -(-count // sizes["matches_match"])
        numbers = {table: f"{made[table].last} + (turn - 1) * {sizes[table]} + old.{{}}" for table in TABLES}
        replaced = {
            "matches_match": {
                "id": numbers["matches_match"].format("n"),
                "finished_at": _moment(rounds, sizes["matches_match"], "interval '1 second'"),
                "started": _moment(rounds, sizes["matches_match"], "interval '2 seconds'"),
                "created": _moment(rounds, sizes["matches_match"], "interval '3 seconds'"),
            },
            "matches_seat": {
                "id": numbers["matches_seat"].format("n"),
                "match_id": numbers["matches_match"].format("match_n"),
            },
            "matches_fault": {
                "id": numbers["matches_fault"].format("n"),
                "seat_id": numbers["matches_seat"].format("seat_n"),
            },
        }
        for table in TABLES:
            columns = made[table].columns
            chosen = ", ".join(replaced[table].get(name, f'old."{name}"') for name in columns)
            names = ", ".join(f'"{name}"' for name in columns)
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT {chosen}"
                f" FROM generate_series(1, {rounds}) AS turn, old_{table[8:]} AS old ORDER BY turn, old.n"
            )
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")
    _pack(places, made["matches_match"].last)


def _moment(rounds: int, size: int, before: str) -> str:
    """SQL: when a copy happened, so that copies are as old as their numbers say, and settled."""
    share = f"((turn - 1) * {size} + old.n)::float8 / {rounds * size}"
    return f"now() - interval '2 days' - {before} - (1 - {share}) * interval '{DAYS} days'"


def _made(table: str) -> _Made:
    with connection.cursor() as cursor:
        description = connection.introspection.get_table_description(cursor, table)
    return _Made([column.name for column in description], _one(f"SELECT max(id) FROM {table}"))


def _one(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def _pack(places: Sequence[Place], after: int) -> None:
    """Put recordings of all matches with larger numbers into packs."""
    matches = defaultdict(list)
    for competition, match in (
        Match.objects.filter(pk__gt=after).order_by("pk").values_list("competition", "pk").iterator()
    ):
        matches[competition].append(match)
    full: dict[str, Sequence[Item]] = {}
    for place in places:
        slug = place.game.info.slug
        if slug not in full:
            full[slug] = next(divided(list(itertools.islice(_items(place.game), MOST_RECORDINGS))))
        Pack.objects.bulk_create(_packs(place.competition.pk, matches[place.competition.pk], full[slug]), 50)


def _items(game: Game) -> Iterator[Item]:
    """The texts of the game's real matches, again and again."""
    stored = [results.pack(played) for _, played in game.played]
    for number, recording in enumerate(itertools.cycle(stored)):
        packed = (getattr(recording, part, b"") for part in PARTS)
        yield Item(number, *(zlib.decompress(text) if text else b"" for text in packed))


def _packs(competition: int, matches: Sequence[int], items: Sequence[Item]) -> Iterator[Pack]:
    whole = encode(items)
    for begin in range(0, len(matches), len(items)):
        part = matches[begin : begin + len(items)]
        encoded = whole if len(part) == len(items) else encode(items[: len(part)])
        yield Pack(competition_id=competition, first=part[0], **_of(encoded, part)._asdict())


def _of(encoded: Encoded, matches: Sequence[int]) -> Encoded:
    """The same texts for other matches."""
    about = json.loads(bz2.decompress(encoded.contents)) | {"matches": matches}
    return encoded._replace(contents=bz2.compress(json.dumps(about).encode()))
