"""The race for points: how many points each of the best entrants had after each part of the tournament."""

import csv
import io
from collections import defaultdict
from fractions import Fraction
from itertools import accumulate

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agon.web.charts import COLORS, Point, Series, lines
from contest.points import POINTS
from tournaments.matrix import plain
from tournaments.models import Tournament
from tournaments.recent import recent
from tournaments.results import results
from tournaments.standings import fallen_entrants, recent_standings

STEPS = 60  # points of a line, at most

Race = list[tuple[str, list[tuple[int, float]]]]


def race(tournament: Tournament) -> Race:
    """(name, [(matches of the tournament, points)]) of the first COLORS entrants, the leader first."""
    return recent(tournament, "race", lambda: _computed(tournament))


def to_csv(tournament: Tournament) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["bot", "matches", "points"])
    for name, found in race(tournament):
        writer.writerows((plain(name), matches, points) for matches, points in found)
    return text.getvalue()


def chart(tournament: Tournament) -> SafeString:
    series = [Series(name, [Point(x, y) for x, y in found]) for name, found in race(tournament)]
    return lines(
        _("Points of the first %(n)s") % {"n": len(series)},
        _("The points that each of them had after so many matches of the tournament."),
        series,
        _matches,
        lambda points: f"{points:g}",
    )


def _matches(number: float) -> str:
    return ngettext("%(n)s match", "%(n)s matches", round(number)) % {"n": round(number)}


def _computed(tournament: Tournament) -> Race:
    if tournament.chosen_format.rank is not None:  # points do not decide
        return []
    rule = POINTS[tournament.competition.info.tournament.points]
    table = recent_standings(tournament)
    out = fallen_entrants(tournament, table)
    earned: dict[int, list[Fraction]] = defaultdict(list)
    order = [row for row in table if not row.disqualified][:COLORS]
    played = [each for _, each in sorted(results(tournament).items()) if not out & {*each.seats}]
    for result in played:
        gained: dict[int, Fraction] = defaultdict(Fraction)
        for entrant, points in zip(result.seats, rule.of(result), strict=True):
            gained[entrant] += points
        for row in order:
            earned[row.entrant].append(gained[row.entrant])
    every = max(1, -(-len(played) // STEPS))
    found: Race = []
    for row in order:
        sums = [Fraction(), *accumulate(earned[row.entrant])]
        places = sorted({*range(0, len(sums), every), len(sums) - 1})
        found.append((row.bot, [(place, float(sums[place])) for place in places]))
    return found if played else []
