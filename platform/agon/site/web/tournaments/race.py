"""The race for points: how many points each leading entrant had after each part of the schedule.

It is empty for formats in which points do not decide the ranks.
"""

from fractions import Fraction
from itertools import accumulate

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agon.site.core.texts import numbers
from agon.site.tournaments.cached import cached
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import recent_standings
from agon.site.tournaments.tallies import count
from agon.site.web.core.charts import COLORS, Point, Series, lines
from agon.site.web.core.tables import as_csv

Race = list[tuple[str, list[tuple[int, float]]]]


def race(tournament: Tournament) -> Race:
    """[(name, [(matches played so far, points)])] of the first COLORS entrants, the leader first."""
    return cached(tournament, "race", lambda: _compute(tournament))


def to_csv(tournament: Tournament) -> str:
    """The race as CSV: a row for each entrant and part."""
    rows = ((name, matches, points) for name, curve in race(tournament) for matches, points in curve)
    return as_csv([("bot", "matches", "points"), *rows])


def chart(tournament: Tournament) -> SafeString:
    """The race as an SVG line chart."""
    series = [Series(name, [Point(x, y) for x, y in curve]) for name, curve in race(tournament)]
    return lines(
        _("Points of the first %(n)s") % {"n": len(series)},
        _("The points that each of them had after so many matches of the tournament."),
        series,
        _matches_label,
        lambda points: numbers.decimal(points, "g"),
    )


def _matches_label(number: float) -> str:
    return ngettext("%(n)s match", "%(n)s matches", round(number)) % {"n": round(number)}


def _compute(tournament: Tournament) -> Race:
    if tournament.chosen_format.rank is not None:  # points do not decide
        return []
    order = [row for row in recent_standings(tournament) if not row.disqualified][:COLORS]
    parts = [part for part in count(tournament).parts if part.matches]
    if not parts:
        return []
    played = [0, *accumulate(part.matches for part in parts)]
    result: Race = []
    for row in order:
        sums = accumulate((part.points.get(row.entrant, Fraction()) for part in parts), initial=Fraction())
        result.append((row.bot, list(zip(played, map(float, sums), strict=True))))
    return result
