"""Makes the matches of competitions as data: once a night, for everyone, file by file.

There are three files for each month (matches, seats, records), one of the ratings, and a manifest with the
SHA-256 of each, which is signed where the site has a key. A month of which nothing has changed is not made
again. The files of a night are staged until all of them are there, and then replace the former ones in one
transaction, so the manifest always describes the files beside it. A worker that dies loses the file that it
was making; the next one goes on behind those that are staged. With too little room on a disk nothing is made.

Of a competition whose matches are not for everyone there is no export, and one of before is removed. A reader
is also refused an export with matches of a tournament whose results were taken back since; it is made again.
"""

import gzip
import hashlib
import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files import File
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from agon.contest.archive.signature import DATA_NAMESPACE
from agon.site.archives import export_rows, keys, parquet
from agon.site.archives.export_rows import ExportedSeat, MatchRow, RatingRow
from agon.site.archives.models import Export, ExportFile, delete_with_file
from agon.site.archives.one_worker import NoRoom, make_alone
from agon.site.competitions.models import Competition
from agon.site.core import disk_space
from agon.site.core.content_names import sha256_of
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments.match_access import may_see_records
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import unreleased_to

NIGHT = timedelta(hours=2)  # after midnight of the site's zone: until then the day before is not begun
FORMAT = 1
MANIFEST, SIGNATURE, RATINGS = "manifest.json", "manifest.json.sig", "ratings.parquet"
TABLES: dict[str, parquet.Columns] = {"matches": MatchRow, "seats": ExportedSeat, "ratings": RatingRow}

Write = Callable[[IO[bytes]], int]
log = logging.getLogger(__name__)


def night() -> date:
    """The day whose export is due: it has all matches that ended before this day began."""
    return timezone.localtime(timezone.now() - NIGHT).date()


def due() -> QuerySet[Competition]:
    """Competitions without an export of this night that have one already, or matches to export."""
    day = night()
    made = Export.objects.filter(competition=OuterRef("pk"))
    played = Match.objects.filter(
        competition=OuterRef("pk"), state=State.FINISHED, finished_at__lt=_beginning(day)
    )
    missing = Competition.objects.filter(~Exists(made.filter(day__gte=day)))
    return missing.filter(Exists(made) | Exists(played)).order_by("pk")


def make_next() -> bool:
    """Make the export of one competition; False if there is none to make."""
    return any(
        make_alone(
            f"making-export-{competition.pk}", f"the export of {competition.slug}", partial(make, competition)
        )
        for competition in due()
    )


def make(competition: Competition) -> None:
    """Make the export of this night. Raises NoRoom; what is staged then is kept for the next try."""
    day = night()
    if not may_see_records(AnonymousUser(), competition):
        _replace(competition, day, [], [])
        return
    until = _beginning(day)
    files = []
    for month in export_rows.months(competition, until):
        for name, write in (
            (f"matches-{month.name}.parquet", _table(MatchRow, export_rows.match_rows(competition, month))),
            (f"seats-{month.name}.parquet", _table(ExportedSeat, export_rows.seat_rows(competition, month))),
            (f"records-{month.name}.jsonl.gz", partial(_records, competition, month)),
        ):
            files.append(_staged(competition, name, month.basis, write))
    if files:
        ratings = _table(RatingRow, export_rows.rating_rows(competition))
        files.append(_staged(competition, RATINGS, day.isoformat(), ratings))
        files += _manifest(competition, day, until, files)
    _replace(competition, day, files, export_rows.tournaments(competition, until))


def files_of(competition: Competition) -> tuple[date | None, list[ExportFile]]:
    """The day of the export, and its files, as everyone may have them now; (None, []) if there is none."""
    export = Export.objects.filter(competition=competition).first()
    if export is None or not may_see_records(AnonymousUser(), competition):
        return None, []
    hidden = Tournament.objects.filter(unreleased_to(AnonymousUser()), pk__in=export.tournaments)
    if hidden.exists():
        Export.objects.filter(pk=export.pk).update(day=None)  # it is made again, without them
        return None, []
    files = list(competition.export_files.filter(staged=False))
    return (export.day, files) if files else (None, [])


def is_lost(file: ExportFile) -> bool:
    """Whether the storage has lost a file, or a part of it. Then it is made again."""
    try:
        lost = file.file.size != file.size
    except FileNotFoundError:
        lost = True
    if lost:
        log.error("%s is lost: it is made again", file.file.name)
        Export.objects.filter(competition=file.competition_id).update(day=None)
        delete_with_file(file)
    return lost


def _beginning(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


def _staged(competition: Competition, name: str, basis: str, write: Write) -> ExportFile:
    """The file of this name with this basis: one that is there already, or a new one."""
    there = list(competition.export_files.filter(name=name))
    basis = f"{FORMAT}-{basis}"
    for export_file in there:
        if export_file.basis == basis:
            return export_file
    if shortage := disk_space.shortage():
        raise NoRoom(str(shortage))
    with tempfile.TemporaryFile() as file:
        rows = write(file)
        file.seek(0)
        made = ExportFile(competition=competition, name=name, basis=basis, sha256=sha256_of(file), rows=rows)
        made.size = file.tell()
        for export_file in there:
            if export_file.staged:
                delete_with_file(export_file)
        file.seek(0)
        made.file.save(name, File(file), save=False)
        made.save()
    return made


def _manifest(
    competition: Competition, day: date, until: datetime, files: list[ExportFile]
) -> list[ExportFile]:
    """The manifest and its signature; without a key no signature."""
    key = keys.signing_key()
    about: dict[str, Any] = {
        "format": FORMAT,
        "site": settings.SITE_URL,
        "competition": competition.slug,
        "game": competition.game,
        "day": day.isoformat(),
        "until": until.isoformat(),
        "schemas": {name: parquet.described(columns) for name, columns in TABLES.items()},
        "files": [
            {
                "name": export_file.name,
                "rows": export_file.rows,
                "size": export_file.size,
                "sha256": export_file.sha256,
            }
            for export_file in files
        ],
    }
    if key is not None:
        keys.remember(key)
        about |= {"key": key.fingerprint, "keys": keys.address()}
    data = json.dumps(about, indent=2).encode() + b"\n"
    contents = {MANIFEST: data}
    if key is not None:
        contents[SIGNATURE] = key.sign(hashlib.sha512(data).digest(), DATA_NAMESPACE)
    basis = hashlib.sha256(data).hexdigest()
    return [_staged(competition, name, basis, partial(_bytes, text)) for name, text in contents.items()]


@transaction.atomic
def _replace(competition: Competition, day: date, files: list[ExportFile], tournaments: list[int]) -> None:
    """Let these files be the export; all others are removed."""
    Export.objects.update_or_create(
        competition=competition, defaults={"day": day, "tournaments": tournaments}
    )
    for other in competition.export_files.exclude(pk__in=[export_file.pk for export_file in files]):
        delete_with_file(other)
    competition.export_files.filter(staged=True).update(staged=False)


def _table(columns: parquet.Columns, rows: Iterable[tuple[Any, ...]]) -> Write:
    def write(file: IO[bytes]) -> int:
        written = 0

        def counted() -> Iterator[tuple[Any, ...]]:
            nonlocal written
            for row in rows:
                written += 1
                yield row

        parquet.write(file, columns, counted())
        return written

    return write


def _records(competition: Competition, month: export_rows.Month, file: IO[bytes]) -> int:
    written = 0
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as lines:
        for line in export_rows.record_lines(competition, month):
            lines.write(line)
            written += 1
    return written


def _bytes(data: bytes, file: IO[bytes]) -> int:
    file.write(data)
    return 1
