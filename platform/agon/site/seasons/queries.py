"""The board of a season, and its export.

Only tournaments count that are finished, and whose results everyone may see: so the board shows nothing that
is held back, to anyone.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Max

from agon.contest import season as rules
from agon.contest.season import Finisher, Place, Row
from agon.contest.text import escape_formula
from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.core.cached import cached
from agon.site.seasons.models import Season
from agon.site.tournaments import rights
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import recent_standings
from agon.site.tournaments.states import State

MOST_CHANGES = 100  # shown
FRESH = 60.0  # seconds; a change of what counts has a key of its own


class Change(NamedTuple):
    """An act that changed a season. old, new: the rule, each with kind, table and best; None if it stayed.

    added, removed: the tournaments that were put in and taken out, as far as the reader may know of them.
    """

    act: Act
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    added: list[Tournament]
    removed: list[Tournament]


@dataclass(frozen=True)
class Board:
    """counted: the tournaments that count, in order. rows: best first. names: of the competitors."""

    counted: list[Tournament]
    rows: list[Row]
    names: Mapping[int, str]


def counted(season: Season) -> list[Tournament]:
    """The tournaments that count, in the order of the season."""
    over = season.tournaments.filter(state=State.FINISHED, release=Tournament.Release.PUBLIC)
    tournaments = over.select_related("competition").annotate(last_act=Max("acts"))
    order = dict(season.entries.values_list("tournament", "number"))
    return sorted(tournaments, key=lambda tournament: order[tournament.pk])


def uncounted(season: Season, user: User | AnonymousUser) -> list[Tournament]:
    """The tournaments that do not count, or not yet, that `user` may know of, in the season's order."""
    seen = season.tournaments.filter(rights.visible(user)).exclude(
        state=State.FINISHED, release=Tournament.Release.PUBLIC
    )
    order = dict(season.entries.values_list("tournament", "number"))
    return sorted(seen.select_related("competition"), key=lambda tournament: order[tournament.pk])


def changes(season: Season, user: User | AnonymousUser) -> list[Change]:
    """What its organizers changed since it was made, the latest first."""
    acts = Act.objects.filter(
        competition=None,
        tournament=None,
        verb__in=(Verb.CREATE, Verb.CHANGE_COMPETITION),
        details__season=season.pk,
    )
    every = list(acts.select_related("actor").order_by("-pk")[: MOST_CHANGES + 1])
    named = {pk for act in every for pk in act.details["tournaments"]}
    seen = Tournament.objects.filter(rights.visible(user), pk__in=named).order_by("pk")
    tournaments = list(seen.select_related("competition"))

    def change(after: Act, before: Act) -> Change:
        rules = [{name: act.details[name] for name in ("kind", "table", "best")} for act in (before, after)]
        old, new = rules if rules[0] != rules[1] else (None, None)
        there, here = set(before.details["tournaments"]), set(after.details["tournaments"])
        return Change(
            after,
            old,
            new,
            [tournament for tournament in tournaments if tournament.pk in here - there],
            [tournament for tournament in tournaments if tournament.pk in there - here],
        )

    return [change(after, before) for after, before in pairwise(every)]


def board(season: Season) -> Board:
    """The board as of now, cached for all readers."""
    tournaments = counted(season)
    acts = "-".join(f"{tournament.pk}.{getattr(tournament, 'last_act', None)}" for tournament in tournaments)
    places = cached(
        f"season-{season.pk}-{acts}",
        lambda: [(tournament.pk, _places(tournament)) for tournament in tournaments],
        FRESH,
    )
    rows = rules.board(season.rule, dict(places))
    accounts = User.objects.filter(pk__in=[row.competitor for row in rows])
    return Board(tournaments, rows, {account.pk: account.shown_name for account in accounts})


def to_data(season: Season, board: Board) -> dict[str, Any]:
    """What the board follows from, and the board: for JSON. Numbers are exact, as text: "7/2"."""
    return {
        "title": season.title,
        "rule": {"kind": season.kind, "table": season.table, "best": season.best},
        "tournaments": [
            {"id": tournament.pk, "name": tournament.name, "competition": tournament.competition.slug}
            for tournament in board.counted
        ],
        "results": [
            {
                "competitor": row.competitor,
                "tournament": result.tournament,
                "place": result.place.first,
                "shared": result.place.shared,
                "entrants": result.place.entrants,
                "points": str(result.points),
                "counts": result.counts,
            }
            for row in board.rows
            for result in row.results
        ],
        "board": [
            {
                "rank": row.rank,
                "competitor": row.competitor,
                "name": board.names[row.competitor],
                "total": str(row.total),
            }
            for row in board.rows
        ],
    }


def to_csv(board: Board) -> str:
    """A line for each result, with the rank and the total of its competitor on each of them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = "rank competitor name total tournament tournament_name place shared entrants points counts"
    writer.writerow(columns.split())
    names = {tournament.pk: tournament.name for tournament in board.counted}
    for row in board.rows:
        for result in row.results:
            writer.writerow(
                [
                    *(row.rank, row.competitor, escape_formula(board.names[row.competitor]), row.total),
                    *(result.tournament, escape_formula(names[result.tournament])),
                    *(result.place.first, result.place.shared, result.place.entrants, result.points),
                    "yes" if result.counts else "no",
                ]
            )
    return text.getvalue()


def _places(tournament: Tournament) -> Sequence[Place]:
    owners = dict(
        tournament.entrants.filter(bot__house=False).values_list("number", "bot__owner")
    )  # house bots take no place
    return rules.places(
        Finisher(None if row.disqualified else owners.get(row.entrant), row.rank)
        for row in recent_standings(tournament)
    )
