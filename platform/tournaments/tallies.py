"""What counts of a tournament's results: their sums, and what each part of the schedule brought.

**Parts.** The schedule is cut into PARTS equal ones. The sums of the leading parts, of which every match is
over, are kept. So a page reads only the matches after them, however many there are.

**What undoes a kept sum.** A match that is over gets another result only if an organizer's act replaces it,
which the key of the cache names, or if it was withdrawn and is restored, which lowers the number of withdrawn
matches among those summed up. Then everything is read again; so it is when another entrant is out, because
the points fall that its opponents had from it.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Max

from agon import recent as shared
from contest.archive.writer import disqualifying
from contest.points import POINTS, PointsRule
from contest.tally import Tally, tally_of
from matches.states import OVER
from matches.states import State as MatchState
from tournaments.models import Tournament
from tournaments.results import results

# Of what is kept most are fractions, which are pickled as text otherwise: ten times as slow to load.
copyreg.pickle(Fraction, lambda exact: (Fraction, (exact.numerator, exact.denominator)))

PARTS = 60
AT_ONCE = 5_000  # matches that are read at a time, about


class Part(NamedTuple):
    """What a part of the schedule brought that counts. points: by entrant."""

    matches: int
    points: dict[int, Fraction]


class Counted(NamedTuple):
    """tally: of all results. parts: in the order of the schedule. fallen: the entrants whose matches do not
    count.
    """

    tally: Tally = Tally()
    parts: tuple[Part, ...] = ()
    fallen: frozenset[int] = frozenset()


class _Rules(NamedTuple):
    points: PointsRule
    disqualifying: frozenset[str]
    stopped: frozenset[int]
    stand: bool  # the matches of those who are out count

    def fallen(self, tally: Tally) -> frozenset[int]:
        return frozenset() if self.stand else self.stopped.union(tally.out)


class _Kept(NamedTuple):
    """What is cached of the first matches, all of them over. withdrawn: how many of them were."""

    matches: int
    withdrawn: int
    counted: Counted


def count(tournament: Tournament) -> Counted:
    """What counts now."""
    rules = _rules(tournament)
    key = _key(tournament)
    kept = _valid(tournament, cache.get(key))
    found, to_keep = _read_on(tournament, rules, kept)
    if found.fallen != kept.counted.fallen and kept.matches:
        found, to_keep = _read_on(tournament, rules, _NOTHING)
    if to_keep.matches > kept.matches or found.fallen != kept.counted.fallen:
        cache.set(key, to_keep, shared.LONGEST)
    return found


_NOTHING = _Kept(0, 0, Counted())


def _rules(tournament: Tournament) -> _Rules:
    return _Rules(
        POINTS[tournament.competition.info.tournament.points],
        frozenset(disqualifying(tournament.competition.game)),
        frozenset(tournament.entrants.exclude(stopped="").values_list("number", flat=True)),
        tournament.chosen_format.needs_results,
    )


def _key(tournament: Tournament) -> str:
    """It names all that decides what a result is worth, and the latest act that may have replaced one."""
    info = tournament.competition.info
    kinds = "-".join(sorted(disqualifying(tournament.competition.game)))
    last_act = tournament.acts.aggregate(last=Max("pk"))["last"]
    width = _width(tournament)
    return f"sums-{tournament.pk}-{last_act}-{width}-{info.tournament.points}-{kinds}"


def _width(tournament: Tournament) -> int:
    """The number of matches of a part."""
    return max(1, -(-tournament.total // PARTS))


def _valid(tournament: Tournament, kept: _Kept | None) -> _Kept:
    return kept if kept and _withdrawn(tournament, kept.matches) == kept.withdrawn else _NOTHING


def _withdrawn(tournament: Tournament, matches: int) -> int:
    """How many of the first matches were withdrawn."""
    # With the condition on the index in the query a database goes through all of them.
    found = tournament.matches.filter(state=MatchState.WITHDRAWN).values_list("index", flat=True)
    return sum(index is not None and index < matches for index in found)


def _first_open(tournament: Tournament, since: int, scheduled: int) -> int:
    """The index of the first match, from this one on, that is not over or not yet scheduled."""
    left = tournament.matches.filter(index__gte=since).exclude(state__in=OVER)
    index = left.order_by("index").values_list("index", flat=True).first()
    return scheduled if index is None else index


def _scheduled(tournament: Tournament) -> int:
    """The number of matches that exist."""
    last = tournament.matches.aggregate(last=Max("index"))["last"]
    return 0 if last is None else int(last) + 1


def _read_on(tournament: Tournament, rules: _Rules, kept: _Kept) -> tuple[Counted, _Kept]:
    """Add what comes after the kept matches. Returns what counts, and what may be kept of it."""
    width = _width(tournament)
    scheduled = _scheduled(tournament)
    settled = _first_open(tournament, kept.matches, scheduled) // width * width
    withdrawn = _withdrawn(tournament, settled)
    tallies = list(_tallies(tournament, rules, kept.matches, scheduled))
    # Whether nothing was restored meanwhile.
    still = _first_open(tournament, kept.matches, scheduled) >= settled
    is_over = (settled - kept.matches) // width if still else 0
    over, rest = tallies[:is_over], tallies[is_over:]
    summed = _sum(kept.counted.tally, over)
    whole = _sum(summed, rest)
    fallen = rules.fallen(whole)
    parts = [_part(each, fallen) for each in tallies]
    before = kept.counted.parts
    to_keep = _Kept(
        kept.matches + is_over * width,
        withdrawn if is_over else kept.withdrawn,
        Counted(summed, (*before, *parts[:is_over]), fallen),
    )
    return Counted(whole, (*before, *parts), fallen), to_keep


def _tallies(tournament: Tournament, rules: _Rules, since: int, scheduled: int) -> Iterator[Tally]:
    """One for each part that was begun, from this match on."""
    width = _width(tournament)
    step = max(1, AT_ONCE // width) * width
    for first in range(since, scheduled, step):
        until = min(first + step, scheduled)
        found = results(tournament, first, until)
        for start in range(first, until, width):
            indexes = (index for index in range(start, min(start + width, until)) if index in found)
            yield tally_of((found[index] for index in indexes), rules.points, rules.disqualifying)


def _sum(tally: Tally, more: Iterable[Tally]) -> Tally:
    for each in more:
        tally += each
    return tally


def _part(tally: Tally, fallen: frozenset[int]) -> Part:
    counted = tally.without(fallen)
    points: dict[int, Fraction] = {}
    for seating, sums in counted.items():
        for entrant, earned in zip(seating.seats, sums.points, strict=True):
            points[entrant] = points.get(entrant, Fraction(0)) + earned
    return Part(sum(sums.matches for sums in counted.values()), points)
