"""The head-to-head matrix of a tournament: results of each pair of entrants, and estimated strengths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from django.core.cache import cache
from django.utils.translation import ngettext

from agon.contest.standings import StandingsRow
from agon.site.core.cached import is_kept
from agon.site.tournaments.cached import cache_key, cached
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.tallies import count
from agon.site.web.core.tables import as_csv
from agon.site.web.templatetags.pages import percent
from agon.statistics.strength import Cell, Certainty, Strength, Strengths, head_to_head, strengths
from games.core.wording import exact

HEAT = 10  # the darkest shade of a cell
FRESH = 15.0  # seconds: intervals take long to compute, and change little
MOST_AT_ONCE = 5000  # matches: computing takes about a second
Facts: TypeAlias = tuple[tuple[StandingsRow, ...], list[list[Cell]], Strengths]


class MatrixCell(NamedTuple):
    """A cell as the page shows it, formatted here because a template would be slow for so many.

    opponent: the bot's id. matches: 0 if the two did not meet. shade: 0 to HEAT. share: of the wins, in
    percent. label: for screen readers.
    """

    opponent: int
    matches: int
    shade: int
    share: str
    label: str


@dataclass(frozen=True)
class MatrixRow:
    """An entrant against all others, in the order of the columns."""

    entrant: Entrant
    rank: int
    strength: Strength
    cells: list[MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """The matrix as the page shows it."""

    rows: list[MatrixRow]
    columns: list[Entrant]


def matrix(tournament: Tournament, sort: str = "") -> Matrix:
    """The matrix of a tournament that was started, computed within the last FRESH seconds.

    sort: what orders the rows: "strength", the number of the entrant whose column decides, or "" for the
    standings.
    """
    entrants = list(tournament.entrants.select_related("bot"))
    table, cells, strengths = _facts(tournament)
    ranks = {row.entrant: row.rank for row in table}
    order = [row.entrant for row in table]
    chosen = int(sort) if sort.isdecimal() and int(sort[:9]) < len(entrants) else None
    rows = list(order)
    if sort == "strength":
        rows.sort(key=lambda entrant: -strengths.of[entrant].rating)
    elif chosen is not None:
        rows.sort(key=lambda entrant: -cells[entrant][chosen].share)
    return Matrix(
        [
            MatrixRow(
                entrants[row],
                ranks[row],
                strengths.of[row],
                [_matrix_cell(entrants[row], entrants[column], cells[row][column]) for column in order],
            )
            for row in rows
        ],
        [entrants[column] for column in order],
    )


def certainty_of(tournament: Tournament) -> str:
    """A sentence on how certain it is that the winner is the strongest; "" if there is no estimate."""
    names = [entrant.name for entrant in tournament.entrants.all()]
    _table, _cells, strengths = _facts(tournament)
    return certainty(strengths.certainty, names, strengths.resamples)


def certainty_if_quick(tournament: Tournament) -> str:
    """`certainty_of`; but "" while another request computes it, or if that would take more than a second.

    For a page that many open at once when a tournament ends.
    """
    key = cache_key(tournament, "matrix")
    if not is_kept(key) and (tournament.total > MOST_AT_ONCE or not cache.add(f"{key}-asked", True, 60)):
        return ""
    return certainty_of(tournament)


def to_csv(tournament: Tournament) -> str:
    """A CSV row for each pair that met: names, matches, and the share of wins of the first one, unrounded."""
    names = [entrant.name for entrant in tournament.entrants.all()]
    _table, cells, _found = _facts(tournament)
    met = (
        (name, opponent, cell.matches, cell.share)
        for name, row in zip(names, cells, strict=True)
        for opponent, cell in zip(names, row, strict=True)
        if cell.matches
    )
    return as_csv([("bot", "opponent", "matches", "share"), *met])


def certainty(certainty: Certainty | None, names: Sequence[str], resamples: int) -> str:
    """The sentence of `certainty_of`, from an estimate."""
    if certainty is None:
        return ""
    difference = round(certainty.difference.rating)
    values = {
        "winner": names[certainty.winner],
        "second": names[certainty.second],
        "difference": difference,
        "low": exact(math.floor(certainty.difference.low)),
        "high": exact(math.ceil(certainty.difference.high)),
        "percent": round(100 * certainty.wins),
        "resamples": resamples,
    }
    if certainty.is_separated:
        words = ngettext(
            "%(winner)s is stronger than %(second)s by %(difference)d point (95 %% interval %(low)s to "
            "%(high)s), and the strongest in %(percent)d %% of %(resamples)d resamples of the matches.",
            "%(winner)s is stronger than %(second)s by %(difference)d points (95 %% interval %(low)s to "
            "%(high)s), and the strongest in %(percent)d %% of %(resamples)d resamples of the matches.",
            difference,
        )
        return words % values
    words = ngettext(
        "These matches do not separate %(winner)s from %(second)s: the difference is %(difference)d point "
        "(95 %% interval %(low)s to %(high)s), and %(winner)s is the strongest in %(percent)d %% of "
        "%(resamples)d resamples of the matches.",
        "These matches do not separate %(winner)s from %(second)s: the difference is %(difference)d points "
        "(95 %% interval %(low)s to %(high)s), and %(winner)s is the strongest in %(percent)d %% of "
        "%(resamples)d resamples of the matches.",
        difference,
    )
    return words % values


def _facts(tournament: Tournament) -> Facts:
    return cached(tournament, "matrix", lambda: _compute(tournament), FRESH)


def _compute(tournament: Tournament) -> Facts:
    table = current_standings(tournament)
    counted = count(tournament)
    order = [row.entrant for row in table if not row.disqualified]
    standing = counted.tally.without(counted.fallen)
    return (
        table,
        head_to_head(len(table), counted.tally.played),
        strengths(len(table), standing, order),
    )


def _matrix_cell(entrant: Entrant, opponent: Entrant, cell: Cell) -> MatrixCell:
    share = percent(cell.share)
    words = ngettext(
        "%(bot)s against %(other)s: %(share)s of %(matches)s match",
        "%(bot)s against %(other)s: %(share)s of %(matches)s matches",
        cell.matches,
    )
    values = {"bot": entrant.name, "other": opponent.name, "share": share, "matches": cell.matches}
    return MatrixCell(opponent.bot_id, cell.matches, round(cell.share * HEAT), share, words % values)
