"""Making, changing and deleting seasons. All enter the audit log."""

from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils.translation import gettext as _

from agon.contest.season import Kind
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions.access import RUNS_ALL, may_create, run_by
from agon.site.core.db.name_keys import misleads
from agon.site.seasons.models import Season, SeasonTournament
from agon.site.tournaments import rights
from agon.site.tournaments.models import Tournament

MOST_TOURNAMENTS = 200
MOST_PLACES = 100  # of the table
MOST_POINTS = 1_000_000
LONGEST_TITLE = 120


class BadSeason(Exception):
    """The season cannot be like this; str(e) says why. field: of its form, such as "title"; "" for none."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class ChangedMeanwhile(BadSeason):
    """Another organizer has changed the season since."""

    def __init__(self) -> None:
        super().__init__("", _("Someone else has changed this meanwhile. Look at it again."))


class Wanted(NamedTuple):
    """What an organizer chooses."""

    title: str
    kind: str
    table: Sequence[int]
    best: int | None
    tournaments: Sequence[Tournament]


def may_make(user: User | AnonymousUser) -> bool:
    """Whether `user` may make seasons: organizers, of the site or of a competition."""
    return user.is_authenticated and (may_create(user) or run_by(user).exists())


def may_change(user: User | AnonymousUser, season: Season) -> bool:
    """Whether `user` may change this season: the one who made it, and organizers of all competitions.

    To have made it is not enough: one who no longer organizes anything no longer changes what they made.
    """
    if not user.is_authenticated:
        return False
    return user.has_perm(RUNS_ALL) or (season.organizer_id == user.pk and may_make(user))


@transaction.atomic
def create(by: User, wanted: Wanted) -> Season:
    """Raises BadSeason."""
    season = Season.objects.create(organizer=by, **_checked(by, wanted))
    _enter(season, wanted.tournaments)
    acts.record(Verb.CREATE, by, None, subject=season.title, details=_details(season, wanted.tournaments))
    return season


@transaction.atomic
def change(season: Season, by: User, wanted: Wanted, seen: int, reason: str) -> None:
    """Change all of a season. seen: the revision that the form was filled in with. Raises BadSeason."""
    _must_explain(reason)
    current = Season.objects.select_for_update(no_key=True).filter(pk=season.pk).first()
    if current is None or current.revision != seen:
        raise ChangedMeanwhile
    there = set(current.tournaments.values_list("pk", flat=True))
    for name, value in _checked(by, wanted, there).items():
        setattr(season, name, value)
    season.revision = seen + 1
    season.save()
    season.entries.all().delete()
    _enter(season, wanted.tournaments)
    acts.record(
        Verb.CHANGE_COMPETITION,
        by,
        None,
        subject=season.title,
        reason=reason,
        details=_details(season, wanted.tournaments),
    )


@transaction.atomic
def delete(season: Season, by: User, reason: str) -> None:
    """Nothing if it is gone. Its tournaments stay. Raises BadSeason."""
    _must_explain(reason)
    gone = Season.objects.select_for_update().filter(pk=season.pk).first()
    if gone is not None:
        details = _details(gone, list(gone.tournaments.order_by("pk")))
        gone.delete()
        acts.record(Verb.DELETE_SEASON, by, None, subject=season.title, reason=reason, details=details)


def _must_explain(reason: str) -> None:
    if not reason.strip():
        raise BadSeason("reason", _("Give a reason: entrants see it."))


def _checked(by: User, wanted: Wanted, there: set[int] | frozenset[int] = frozenset()) -> dict[str, object]:
    """The fields of the row. there: tournaments that are in the season already. Raises BadSeason."""
    title = " ".join(wanted.title.split())
    if not 1 <= len(title) <= LONGEST_TITLE or misleads(title):
        raise BadSeason(
            "title",
            _("Expected 1 to %(most)d visible characters, got %(got)d.")
            % {"most": LONGEST_TITLE, "got": len(title)},
        )
    if wanted.kind not in list(Kind):
        raise BadSeason("kind", _("There is no such rule."))
    table = list(wanted.table) if wanted.kind == Kind.TABLE else []
    if wanted.kind == Kind.TABLE:
        _check_table(table)
    if wanted.best is not None and not 1 <= wanted.best <= MOST_TOURNAMENTS:
        raise BadSeason(
            "best",
            _("Expected a number from 1 to %(most)d, got %(got)d.")
            % {"most": MOST_TOURNAMENTS, "got": wanted.best},
        )
    numbers = [tournament.pk for tournament in wanted.tournaments]
    if not 1 <= len(numbers) <= MOST_TOURNAMENTS or len(set(numbers)) != len(numbers):
        raise BadSeason(
            "tournaments",
            _("Expected 1 to %(most)d different tournaments, got %(got)d.")
            % {"most": MOST_TOURNAMENTS, "got": len(numbers)},
        )
    mine = Tournament.objects.filter(rights.visible(by), pk__in=numbers).values_list("pk", flat=True)
    if set(numbers) - set(mine) - there:
        raise BadSeason("tournaments", _("There is no such tournament."))
    return {"title": title, "kind": wanted.kind, "table": table, "best": wanted.best}


def _check_table(table: Sequence[int]) -> None:
    if not 1 <= len(table) <= MOST_PLACES:
        raise BadSeason(
            "table",
            _("Expected the points of 1 to %(most)d places, got %(got)d.")
            % {"most": MOST_PLACES, "got": len(table)},
        )
    if any(not 0 <= points <= MOST_POINTS for points in table) or sorted(table, reverse=True) != list(table):
        raise BadSeason(
            "table",
            _("Expected whole numbers from 0 to %(most)d, none larger than the one before.")
            % {"most": MOST_POINTS},
        )


def _enter(season: Season, tournaments: Sequence[Tournament]) -> None:
    SeasonTournament.objects.bulk_create(
        SeasonTournament(season=season, tournament=tournament, number=number)
        for number, tournament in enumerate(tournaments)
    )


def _details(season: Season, tournaments: Sequence[Tournament]) -> dict[str, object]:
    return {
        "season": season.pk,
        "kind": season.kind,
        "table": season.table,
        "best": season.best,
        "tournaments": [tournament.pk for tournament in tournaments],
    }
