"""Sums up a tournament's results, and caches the sums of the parts of its schedule that are over.

- Parts: the schedule is cut into PARTS equal parts. The sums of the leading parts, in which every match is
  over, are cached, so that a page reads only the matches after them, however many there are.
- Invalidation: a match that is over gets another result only if an organizer's act replaces it (the key
  contains the latest act), or if it was withdrawn and is restored (the number of withdrawn matches among
  those summed up is then lower). In both cases all matches are read again; and also when another entrant is
  disqualified, because its opponents lose the points that they won against it.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Max

from agon.contest.points import PointsRule
from agon.contest.tally import Tally, tally_of
from agon.site.core import cached as shared
from agon.site.matches.states import OVER
from agon.site.matches.states import State as MatchState
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.results import results
from games.core.faults import FaultKind

PARTS = 60
AT_ONCE = 5_000  # matches that are read at a time, about


class Part(NamedTuple):
    """A part of the schedule: the number of matches that count, and the points from them by entrant."""

    matches: int
    points: dict[int, Fraction]


class Counted(NamedTuple):
    """The sums. tally: of all results. parts: in the order of the schedule.

    fallen: the entrants whose matches do not count.
    """

    tally: Tally = Tally()
    parts: tuple[Part, ...] = ()
    fallen: frozenset[int] = frozenset()


class _Rules(NamedTuple):
    """The rules for which results count, and for how much."""

    points: PointsRule
    disqualifying: frozenset[FaultKind]
    stopped: frozenset[int]
    results_stand: bool  # matches of disqualified entrants still count

    def fallen(self, tally: Tally) -> frozenset[int]:
        return frozenset() if self.results_stand else self.stopped.union(tally.out)


class _Kept(NamedTuple):
    """The cached sums of the first `matches` matches, which are over; `withdrawn` of them were withdrawn."""

    matches: int
    withdrawn: int
    counted: Counted


def count(tournament: Tournament) -> Counted:
    """The sums of all results so far. Reads only the matches after those whose sums are cached."""
    rules = _rules(tournament)
    key = _key(tournament)
    cached = _valid(tournament, cache.get(key))
    counted, to_keep = _extend(tournament, rules, cached)
    if counted.fallen != cached.counted.fallen and cached.matches:
        counted, to_keep = _extend(tournament, rules, _NOTHING)
    if to_keep.matches > cached.matches or counted.fallen != cached.counted.fallen:
        cache.set(key, to_keep, shared.LONGEST)
    return counted


_NOTHING = _Kept(0, 0, Counted())


def _rules(tournament: Tournament) -> _Rules:
    return _Rules(
        *rules_of(tournament),
        frozenset(tournament.entrants.exclude(stopped="").values_list("number", flat=True)),
        tournament.chosen_format.needs_results,
    )


def _key(tournament: Tournament) -> str:
    """The key contains all that decides what a result is worth, and the latest act, which may replace one."""
    points, disqualifying = rules_of(tournament)
    kinds = "-".join(sorted(disqualifying))
    last_act = tournament.acts.aggregate(last=Max("pk"))["last"]
    width = _width(tournament)
    return f"sums-{tournament.pk}-{last_act}-{width}-{points.name}-{kinds}"


def _width(tournament: Tournament) -> int:
    """The number of matches of a part."""
    return max(1, -(-tournament.total // PARTS))


def _valid(tournament: Tournament, cached: _Kept | None) -> _Kept:
    return cached if cached and _withdrawn(tournament, cached.matches) == cached.withdrawn else _NOTHING


def _withdrawn(tournament: Tournament, matches: int) -> int:
    """The number of withdrawn matches among the first `matches` of the schedule."""
    # With a condition on the index in the query, a database would go through all of them.
    indexes = tournament.matches.filter(state=MatchState.WITHDRAWN).values_list("index", flat=True)
    return sum(index is not None and index < matches for index in indexes)


def _first_open(tournament: Tournament, since: int, scheduled: int) -> int:
    """The index of the first match, from this one on, that is not over or not yet scheduled."""
    left = tournament.matches.filter(index__gte=since).exclude(state__in=OVER)
    index = left.order_by("index").values_list("index", flat=True).first()
    return scheduled if index is None else index


def _scheduled(tournament: Tournament) -> int:
    """The number of matches that exist."""
    last = tournament.matches.aggregate(last=Max("index"))["last"]
    return 0 if last is None else int(last) + 1


def _extend(tournament: Tournament, rules: _Rules, cached: _Kept) -> tuple[Counted, _Kept]:
    """Add the matches after the cached ones. Returns all sums, and those that may be cached."""
    width = _width(tournament)
    scheduled = _scheduled(tournament)
    settled = _first_open(tournament, cached.matches, scheduled) // width * width
    withdrawn = _withdrawn(tournament, settled)
    tallies = list(_tallies(tournament, rules, cached.matches, scheduled))
    # A withdrawn match may have been restored while we were reading.
    unchanged = _first_open(tournament, cached.matches, scheduled) >= settled
    parts_over = (settled - cached.matches) // width if unchanged else 0
    over, rest = tallies[:parts_over], tallies[parts_over:]
    summed = _sum(cached.counted.tally, over)
    whole = _sum(summed, rest)
    fallen = rules.fallen(whole)
    parts = [_part(tally, fallen) for tally in tallies]
    before = cached.counted.parts
    to_keep = _Kept(
        cached.matches + parts_over * width,
        withdrawn if parts_over else cached.withdrawn,
        Counted(summed, (*before, *parts[:parts_over]), fallen),
    )
    return Counted(whole, (*before, *parts), fallen), to_keep


def _tallies(tournament: Tournament, rules: _Rules, since: int, scheduled: int) -> Iterator[Tally]:
    """A tally for each part that has begun, from the match `since` on."""
    width = _width(tournament)
    step = max(1, AT_ONCE // width) * width
    for first in range(since, scheduled, step):
        until = min(first + step, scheduled)
        outcomes = results(tournament, first, until)
        for start in range(first, until, width):
            indexes = (index for index in range(start, min(start + width, until)) if index in outcomes)
            yield tally_of((outcomes[index] for index in indexes), rules.points, rules.disqualifying)


def _sum(tally: Tally, more: Iterable[Tally]) -> Tally:
    for part in more:
        tally += part
    return tally


def _part(tally: Tally, fallen: frozenset[int]) -> Part:
    counted = tally.without(fallen)
    points: dict[int, Fraction] = {}
    for seating, sums in counted.items():
        for entrant, earned in zip(seating.seats, sums.points, strict=True):
            points[entrant] = points.get(entrant, Fraction(0)) + earned
    return Part(sum(sums.matches for sums in counted.values()), points)
