"""Which worker plays differently from the others? Pure; agon.site.fleet.watching feeds it and acts on the
answer.

A worker whose core is slow or shared, or whose host is broken, decides matches: bots that think long lose by
time-outs there, and others find less within their time. The rule compares each worker with all others:

1. Three things are compared: the time of an answer, how often a bot won, and how often it timed out. Times
   are the sensitive one: they show in every match, the others only where a bot comes near its limit.
2. Workers are compared within the matches of one submission, and these comparisons are added up. So a worker
   that happened to play slower, weaker or less reliable bots does not differ.
3. The time of a seat is the first decile of its answers. What interrupts an answer, on any host, raises some
   of them and lasts longer than a match; a slow worker raises all. The logarithm is taken, less the median of
   the same submission in the same seat, and the mean over the seats is the match's. These are compared by
   ranks (the aligned rank test of Hodges and Lehmann 1962), which assumes nothing about how times are
   distributed. Successive matches of a worker are correlated, which raises the variance. The factor is
   estimated, as for the mean of any correlated series.
4. The worker's times are divided by TOLERANCE first. So the test asks whether it is slower by more than that,
   since with enough matches no two cores are alike. A faster worker costs no bot anything.
5. Wins and time-outs: the exact conditional test of Cochran-Mantel-Haenszel tables (Birch 1964), since
   time-outs are too few for a normal approximation. Wins are tested in both directions. One seat of each
   match counts, chosen by the match's number alone: matches are independent, seats of one match are not.
6. The rule is applied again and again to data of which a part is new: to the latest matches, of two WINDOWS.
   Look k may raise a false alarm with a probability of ALPHA / (k (k + 1)), divided equally among its tests
   (Bonferroni). These add up to ALPHA, so the probability of any false alarm, however long a competition
   runs, is at most that. No independence of looks or tests is assumed.
7. A bot can find out on which core it runs, and be slow, lose or time out there. So a difference counts only
   if it remains when the bots of any one author are left out: their times and time-outs, or, for wins, their
   matches, because a bot that loses on purpose lets others win.

Of several workers that differ the one with the smallest probability is named. The others are compared again
without it.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from operator import mul
from statistics import fmean, median
from typing import NamedTuple

ALPHA = 0.01
TOLERANCE = 1.1
LEAST_MATCHES = 20  # matches of a worker that can be compared, before it is judged
# Latest matches that are compared: few to notice soon, many to notice small differences.
WINDOWS = (500, 2000)
LAGS = 20  # a disturbance of a host is assumed to last for at most so many matches of a worker


class Kind(StrEnum):
    """In what a worker differs from the others."""

    SLOWER = "slower"
    TIMEOUTS = "timeouts"
    WINS_MORE = "wins more"
    WINS_LESS = "wins less"


class SeatSeen(NamedTuple):
    """What happened in one seat. seconds: typical_seconds() of its answers; None to leave them out.

    author: of the bot; None for a house bot, which is trusted.
    """

    bot: Hashable
    seconds: float | None
    won: bool
    timed_out: bool
    author: Hashable | None = None


class MatchSeen(NamedTuple):
    """A finished match. number: grows with time."""

    number: int
    worker: str
    seats: tuple[SeatSeen, ...]

    @property
    def drawn(self) -> SeatSeen:
        """The seat whose win and time-out count."""
        return self.seats[self.number % len(self.seats)]


@dataclass(frozen=True)
class Finding:
    """How one worker differs from the others.

    own, others: the factor by which its answers take longer, and 1; or how often the event happened in its
    matches, and how often it was expected. matches: its matches that were compared. chance: the probability
    of such a difference by accident.
    """

    worker: str
    kind: Kind
    own: float
    others: float
    matches: tuple[int, ...]
    chance: float


def allowed_chance(look: int, workers: int) -> float:
    """The largest chance of a finding that counts. look: from 1. workers: how many are compared."""
    return ALPHA / (look * (look + 1)) / (len(WINDOWS) * workers * len(Kind))


def typical_seconds(answers: Sequence[float]) -> float | None:
    """The first decile of the times of a seat's answers; None if there are none."""
    return sorted(answers)[(len(answers) - 1) // 10] if answers else None


def find_odd_worker(matches: Iterable[MatchSeen], look: int) -> Finding | None:
    """The worker that differs most from the others, if one differs. look: which look this is, from 1."""
    in_order = sorted(matches, key=lambda match: match.number)
    windows = {min(window, len(in_order)) for window in WINDOWS}
    findings = [(finding, window) for window in windows for finding in _compare(in_order[-window:], look)]
    findings.sort(key=lambda pair: (pair[0].chance, pair[0].worker))
    return next(
        (finding for finding, window in findings if not _is_of_one_author(finding, in_order[-window:], look)),
        None,
    )


def _is_of_one_author(finding: Finding, matches: Sequence[MatchSeen], look: int) -> bool:
    """Whether the finding disappears when the bots of a single author are left out."""
    authors = {seat.author for match in matches for seat in match.seats} - {None}
    return any(
        (finding.worker, finding.kind)
        not in {
            (again.worker, again.kind)
            for again in _compare(_without_author(author, matches, finding.kind), look)
        }
        for author in authors
    )


def _without_author(author: Hashable, matches: Iterable[MatchSeen], kind: Kind) -> list[MatchSeen]:
    """The matches without what the author's bots can have faked."""
    if kind in (Kind.WINS_MORE, Kind.WINS_LESS):
        return [match for match in matches if all(seat.author != author for seat in match.seats)]
    return [
        match._replace(
            seats=tuple(
                seat._replace(seconds=None, timed_out=False) if seat.author == author else seat
                for seat in match.seats
            )
        )
        for match in matches
    ]


def _compare(matches: Sequence[MatchSeen], look: int) -> list[Finding]:
    """The differences that are significant. matches: in the order of time."""
    workers = sorted({match.worker for match in matches})
    if len(workers) < 2:
        return []
    findings = [*_compare_times(workers, matches)]
    for worker in workers:
        findings += _compare_counts(worker, matches)
    allowed = allowed_chance(look, len(workers))
    return [finding for finding in findings if finding.chance <= allowed]


def _compare_times(workers: Sequence[str], matches: Sequence[MatchSeen]) -> Iterator[Finding]:
    slowness = _slowness(matches)
    timed = [match for match in matches if match.number in slowness]
    by_worker = {
        worker: [match_seen.number for match_seen in timed if match_seen.worker == worker]
        for worker in workers
    }
    variance_factor = _variance_factor([[slowness[number] for number in own] for own in by_worker.values()])
    for worker, own in by_worker.items():
        values = [slowness[number] for number in own]
        others = [slowness[match_seen.number] for match_seen in timed if match_seen.worker != worker]
        if len(own) >= LEAST_MATCHES and others:
            chance = _chance_of_ranks(
                [value - math.log(TOLERANCE) for value in values], others, variance_factor
            )
            factor = math.exp(median(values) - median(others))
            yield Finding(worker, Kind.SLOWER, factor, 1.0, tuple(own), chance)


def _slowness(matches: Iterable[MatchSeen]) -> dict[int, float]:
    """How slow each match was: the mean over its seats of log(time) less the median of the same bot and seat.

    Matches without a submission that another worker also played are left out.
    """
    times: dict[tuple[Hashable, int], list[tuple[str, int, float]]] = defaultdict(list)
    for match in matches:
        for place, seat in enumerate(match.seats):
            if seat.seconds:
                times[seat.bot, place].append((match.worker, match.number, math.log(seat.seconds)))
    by_match: dict[int, list[float]] = defaultdict(list)
    for group in times.values():
        if len({worker for worker, _, _ in group}) > 1:
            usual = median(time for _, _, time in group)
            for _, number, time in group:
                by_match[number].append(time - usual)
    return {number: fmean(differences) for number, differences in by_match.items()}


def _variance_factor(series: Sequence[Sequence[float]]) -> float:
    """The factor by which the variance of a worker's mean exceeds that of independent matches; at least 1.

    series: of each worker, in the order of time. Their ranks' correlations over LAGS matches are added up.
    """
    ranks = iter(_midranks([value for of_worker in series for value in of_worker])[0])
    of_workers = [
        own for own in ([*islice(ranks, len(of_worker))] for of_worker in series) if len(own) > LAGS
    ]
    variance = products = 0.0
    for own in of_workers:
        middle = fmean(own)
        centered = [rank - middle for rank in own]
        variance += sum(map(mul, centered, centered))
        products += sum(sum(map(mul, centered, centered[lag:])) for lag in range(1, LAGS + 1))
    if not variance:
        return 1.0
    # A correlation within a series of n that was centered is too small by 1 / n.
    bias = LAGS * len(of_workers) / sum(map(len, of_workers))
    return max(1.0, 1 + 2 * (products / variance + bias))


def _chance_of_ranks(own: Sequence[float], others: Sequence[float], variance_factor: float) -> float:
    """The probability of ranks as high as the worker's, by the rank sum test.

    variance_factor: as _variance_factor returns it.
    """
    size = len(own) + len(others)
    ranks, ties = _midranks([*own, *others])
    above = sum(ranks[: len(own)]) - len(own) * (size + 1) / 2
    variance = len(own) * len(others) * (size**3 - size - ties) / (12 * size * (size - 1))
    return 1.0 if variance <= 0 else math.erfc(above / math.sqrt(2 * variance * variance_factor)) / 2


def _midranks(values: Sequence[float]) -> tuple[list[float], int]:
    """The rank of each value, shared by equal ones; and the sum of t^3 - t over groups of t equal ones."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    ties = start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    return ranks, ties


class _Stratum(NamedTuple):
    """The sampled seats of one bot: in matches of the worker, and of all others."""

    own: list[SeatSeen]
    others: list[SeatSeen]


def _compare_counts(worker: str, matches: Sequence[MatchSeen]) -> Iterator[Finding]:
    by_bot: dict[Hashable, _Stratum] = defaultdict(lambda: _Stratum([], []))
    for match in matches:
        by_bot[match.drawn.bot][match.worker != worker].append(match.drawn)
    strata = [stratum for stratum in by_bot.values() if stratum.own and stratum.others]
    compared = {bot for bot, stratum in by_bot.items() if stratum.own and stratum.others}
    own = tuple(match.number for match in matches if match.worker == worker and match.drawn.bot in compared)
    if len(own) < LEAST_MATCHES:
        return
    timeouts = _count(strata, lambda seat: seat.timed_out)
    yield Finding(worker, Kind.TIMEOUTS, timeouts.own, timeouts.expected, own, timeouts.or_more)
    wins = _count(strata, lambda seat: seat.won)
    yield Finding(worker, Kind.WINS_MORE, wins.own, wins.expected, own, wins.or_more)
    yield Finding(worker, Kind.WINS_LESS, wins.own, wins.expected, own, wins.or_less)


class _Count(NamedTuple):
    """How often an event happened in a worker's matches; the chances of at least, and at most, so often."""

    own: int
    expected: float
    or_more: float
    or_less: float


def _count(strata: Collection[_Stratum], happened: Callable[[SeatSeen], bool]) -> _Count:
    """Compare counts, given how often it happened to each bot on all workers (sums of hypergeometrics)."""
    chances = [1.0]
    own, expected = 0, 0.0
    for stratum in strata:
        here = sum(map(happened, stratum.own))
        often = here + sum(map(happened, stratum.others))
        size = len(stratum.own) + len(stratum.others)
        own += here
        expected += often * len(stratum.own) / size
        if 0 < often < size:
            chances = _convolve(chances, _hypergeometric(size, often, len(stratum.own)))
        else:  # it happened never or always: the number is certain
            chances = [0.0] * (often and len(stratum.own)) + chances
    return _Count(own, expected, min(1.0, sum(chances[own:])), min(1.0, sum(chances[: own + 1])))


def _hypergeometric(size: int, often: int, drawn: int) -> list[float]:
    """The chance of each number, from 0, of the `often` marked ones among `drawn` of `size`."""
    ways = math.comb(size, drawn)
    least = max(0, drawn + often - size)
    chances = [
        math.comb(often, n) * math.comb(size - often, drawn - n) / ways
        for n in range(least, min(often, drawn) + 1)
    ]
    return [0.0] * least + chances


def _convolve(first: Sequence[float], second: Sequence[float]) -> list[float]:
    total = [0.0] * (len(first) + len(second) - 1)
    for at, chance in enumerate(first):
        if chance:
            for by, factor in enumerate(second):
                total[at + by] += chance * factor
    return total
