"""The rules by which a match gives points to its seats. Each game's contest has one, by its name.

A rule is one file here, or in the folder AGON_FORMATS, that defines RULE (agon.contest.points.base).
"""

from agon.contest.added import modules, with_added
from agon.contest.points.base import PointsRule, Result
from games.core.manifest import BadManifest, GameInfo

__all__ = ["POINTS", "PointsRule", "Result", "rule_of"]

__path__ = with_added(__path__)
POINTS: dict[str, PointsRule] = {
    module.RULE.name: module.RULE for module in modules(__name__, __path__) if hasattr(module, "RULE")
}


def rule_of(info: GameInfo) -> PointsRule:
    """The rule of the game's original contest. Raises BadManifest."""
    if info.tournament.points not in POINTS:
        expected = ", ".join(POINTS)
        raise BadManifest(f"{info.slug}/game.toml: tournament.points: expected one of {expected}")
    return POINTS[info.tournament.points]
