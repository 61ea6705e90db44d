"""The rules by which the results of a tournament count: those that its game had at the start.

A later version of the game may give other points, or disqualify for other faults. That changes nothing that
was decided before it was installed.
"""

from typing import Any, NamedTuple

from agon.contest.archive.writer import disqualifying
from agon.contest.points import POINTS, PointsRule, rule_of
from agon.site.tournaments.models import Tournament
from games.core.faults import FaultKind


class GameRules(NamedTuple):
    """The rule for points, and the kinds of fault that disqualify a bot."""

    points: PointsRule
    disqualifying: frozenset[FaultKind]


def rules_of(tournament: Tournament) -> GameRules:
    """The rules from its start; the game's own before that, and where an older Agon did not keep them.

    Raises BadManifest.
    """
    if tournament.points in POINTS and tournament.disqualifying is not None:
        return GameRules(POINTS[tournament.points], frozenset(map(FaultKind, tournament.disqualifying)))
    return _rules_now(tournament)


def at_the_start(tournament: Tournament) -> dict[str, Any]:
    """The fields that keep the rules that its game has now."""
    rules = _rules_now(tournament)
    return {"points": rules.points.name, "disqualifying": sorted(rules.disqualifying)}


def _rules_now(tournament: Tournament) -> GameRules:
    return GameRules(rule_of(tournament.competition.info), disqualifying(tournament.competition.game))
