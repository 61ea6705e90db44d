"""Standings of a few results at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from agon.contest.formats import History, Plan
from agon.contest.points import POINTS, Result
from agon.contest.standings import StandingsRow, standings_of
from agon.contest.tally import tally_of


def compute_standings(
    bots: Sequence[str],
    results: Iterable[Result],
    points: str,
    disqualifying: Collection[str] = (),
    stopped: Mapping[int, str] = MappingProxyType({}),
    plan: Plan | None = None,
    history: History | None = None,
) -> tuple[StandingsRow, ...]:
    """The table, best first; equal points share a rank and keep entry order.

    bots: names in entry order. results: in the order of the schedule. points: a key of POINTS. disqualifying:
    kinds of fault that remove a bot. stopped: the numbers of entrants that the site has stopped, with the
    reason. plan, history: of the tournament; without them points alone decide. Raises ValueError for an
    unknown points rule.
    """
    if points not in POINTS:
        raise ValueError(f"points: expected one of {', '.join(POINTS)}, got {points!r}")
    return standings_of(bots, tally_of(results, POINTS[points], disqualifying), stopped, plan, history)
