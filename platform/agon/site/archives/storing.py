"""Makes the downloads of a tournament that is over, once, and keeps them in the storage.

An archive is signed, and its manifest and its list of digests come last: none of its bytes can be sent before
all of them are known. So a worker makes it once and stores it, instead of the site making it for each reader.
Then its digest is its ETag, any part of it can be sent at once and again, and a web process needs no memory
for it.

A download is made under a temporary name and replaces the former one when it is complete. Two workers that
make the same one waste time and nothing else. A download is discarded if an act changes the tournament while
it is being made, so that no archive mixes results from before and after a re-run was applied; and if the
account of an entrant's owner or of an actor is closed meanwhile, or a bot deleted, so that what is gone
does not come back with it. One that cannot be made is tried again later.
"""

import logging
import tempfile
from functools import partial
from typing import IO, NamedTuple

from django.core.files import File
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.text import slugify

from agon.site.accounts.models import User
from agon.site.archives import services, sources, tables
from agon.site.archives.models import Download, delete_with_file
from agon.site.archives.one_worker import make_alone
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.bots.states import BotState
from agon.site.core.content_names import sha256_of
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.states import OVER

Kind = Download.Kind
NAMES = {
    Kind.ARCHIVE: ("{}.zip", "application/zip"),
    Kind.CSV: ("{}.csv", "text/csv; charset=utf-8"),
    Kind.JSONL: ("{}.jsonl", "application/jsonl"),
    Kind.PARQUET: ("{}.parquet", "application/vnd.apache.parquet"),
    Kind.SOURCES: ("{}-sources.zip", "application/zip"),
}
_OUTDATED = -1  # in place of an act, so that a download is made again

log = logging.getLogger(__name__)


class Basis(NamedTuple):
    """What a download is made of. last_act: the last entry of the log.

    closed: the accounts that were closed, of actors and owners. deleted: the entrants whose bot was deleted.
    """

    last_act: int
    closed: frozenset[int]
    deleted: frozenset[int]


def due() -> QuerySet[Tournament]:
    """Tournaments that are over and whose archive is missing, or older than what was done to them."""
    current = Download.objects.filter(
        tournament=OuterRef("pk"), kind=Kind.ARCHIVE, last_act__gte=OuterRef("acted")
    )
    over = Tournament.objects.filter(state__in=OVER, started__isnull=False)
    last = Act.objects.filter(tournament=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    acted = over.annotate(acted=Coalesce(Subquery(last), Value(0)))
    return acted.filter(~Exists(current)).order_by(F("finished_at").desc(nulls_last=True))


def make_next() -> bool:
    """Make the downloads of one tournament; False if there is none to make."""
    return any(
        make_alone(
            f"making-downloads-{tournament.pk}",
            f"the archive of tournament {tournament.pk}",
            partial(make, tournament),
        )
        for tournament in due()
    )


def make(tournament: Tournament) -> None:
    """Make all downloads of a tournament that is over; the archive last, since it says that all are there."""
    basis = _basis(tournament)
    tournament.refresh_from_db()  # which includes the effects of all acts up to the last one
    with tempfile.TemporaryFile() as lines:
        tables.write_jsonl(lines, tables.rows(tournament))
        _store(tournament, Kind.JSONL, lines, basis)
        for kind, write in ((Kind.CSV, tables.write_csv), (Kind.PARQUET, tables.write_parquet)):
            with tempfile.TemporaryFile() as file:
                write(file, tables.read_jsonl(lines))
                _store(tournament, kind, file, basis)
    current_kinds = [Kind.JSONL, Kind.CSV, Kind.PARQUET, Kind.ARCHIVE]
    if tournament.sources_open:
        current_kinds.append(Kind.SOURCES)
        with tempfile.TemporaryFile() as file:
            sources.write_zip(file, tournament)
            _store(tournament, Kind.SOURCES, file, basis)
    with tempfile.TemporaryFile() as file:
        services.write_tournament(file, tournament)
        _store(tournament, Kind.ARCHIVE, file, basis)
    for download in tournament.downloads.filter(last_act__lte=basis.last_act).exclude(kind__in=current_kinds):
        delete_with_file(download)


def _basis(tournament: Tournament) -> Basis:
    named = Q(pk__in=tournament.acts.values("actor")) | Q(pk__in=tournament.entrants.values("bot__owner"))
    closed = User.objects.filter(named, closed__isnull=False).values_list("pk", flat=True)
    deleted = tournament.entrants.filter(bot__state=BotState.DELETED).values_list("pk", flat=True)
    last: int = tournament.acts.aggregate(last=Coalesce(Max("pk"), Value(0)))["last"]
    return Basis(last, frozenset(closed), frozenset(deleted))


def predates_closing(download: Download) -> bool:
    """Whether the sources were closed since it was made: it may contain what is no longer public."""
    later = Act.objects.filter(tournament=download.tournament_id, pk__gt=download.last_act)
    return later.filter(verb=Verb.SOURCES_CLOSED).exists()


def is_lost(download: Download) -> bool:
    """Whether the storage has lost its file, or a part of that. Then it is made again."""
    try:
        lost = download.file.size != download.size
    except FileNotFoundError:
        lost = True
    if lost:
        log.error("%s is lost: it is made again", download.file.name)
        _outdate(Download.objects.filter(tournament=download.tournament_id))
        delete_with_file(download)
    return lost


@transaction.atomic
def forget_programs(bot: int) -> None:
    """Remove the sources of all tournaments that it played in; they are made again without its programs.

    Call it in the transaction that deletes the bot, or that erases a program of it.
    """
    _lock(Q(pk__in=Entrant.objects.filter(bot=bot).values("tournament")))
    for download in Download.objects.filter(kind=Kind.SOURCES, tournament__entrants__bot=bot):
        _outdate(Download.objects.filter(tournament=download.tournament_id))
        delete_with_file(download)


@transaction.atomic
def forget_person(user: int) -> None:
    """Have the downloads that name a user made again; call it in the transaction that closes the account."""
    acted = Act.objects.filter(actor=user, tournament__isnull=False).values("tournament")
    entered = Entrant.objects.filter(bot__owner=user).values("tournament")
    _lock(Q(pk__in=acted) | Q(pk__in=entered))
    _outdate(Download.objects.filter(Q(tournament__in=acted) | Q(tournament__in=entered)))


def _lock(which: Q) -> None:
    """Lock those of these tournaments that are over: no download is stored until the transaction ends."""
    over = Tournament.objects.select_for_update(no_key=True).filter(which, state__in=OVER)
    list(over.order_by("pk").values_list("pk"))


def filename(tournament: Tournament, kind: Kind) -> str:
    """The name under which browsers save the download."""
    stem = f"{slugify(tournament.name) or 'tournament'}-{tournament.pk}"
    return NAMES[kind][0].format(stem)


def _outdate(downloads: QuerySet[Download]) -> None:
    """Mark the archives among them as outdated, so that all downloads of their tournaments are made again."""
    downloads.filter(kind=Kind.ARCHIVE).update(last_act=_OUTDATED)


@transaction.atomic
def _store(tournament: Tournament, kind: Kind, file: IO[bytes], basis: Basis) -> None:
    file.seek(0)
    sha256 = sha256_of(file)
    size = file.tell()
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if _basis(tournament) != basis:
        return  # part of it may be from before that change, and part from after it: it is made again
    former = tournament.downloads.filter(kind=kind).first()
    if former is not None and former.sha256 == sha256:
        former.last_act = basis.last_act
        former.save(update_fields=["last_act", "made"])
        return
    if former is not None:
        delete_with_file(former)
    download = Download(tournament=tournament, kind=kind, sha256=sha256, size=size, last_act=basis.last_act)
    file.seek(0)
    download.file.save(filename(tournament, kind), File(file), save=False)
    download.save()
