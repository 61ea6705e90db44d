"""Is every match of the schedule in the archive, or its absence accounted for?

The schedule follows from the format, the number of entrants, the rounds and the seed. Each of its matches is
in the archive, or the manifest says why not; nothing else is in the archive.

A schedule of a million matches takes a third of a GiB, so it is made anew for each check, and compared match
by match: indexes rise in it and in the manifest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import zip_longest

from agon.contest import formats
from agon.contest.archive.manifest import BadArchive, End, Fate
from agon.contest.archive.manifest_reader import Stated
from agon.contest.archive.writer import disqualifying
from agon.contest.formats import BadFormat, ScheduledMatch
from agon.contest.points import POINTS, Result
from agon.contest.standings import history_of
from games.core.manifest import UnknownGame, load

_FILE = "manifest.json"


@dataclass(frozen=True)
class Schedule:
    """The matches that should be there, from index 0 on. make: makes them anew. matches: how many."""

    make: Callable[[], Iterator[ScheduledMatch]]
    matches: int


def schedule_of(manifest: Stated) -> Schedule:
    """The matches that this format, seed and number of entrants make. Raises BadArchive."""
    header = manifest.header
    try:
        info = load(header.game)
        if header.points not in POINTS:
            raise BadArchive(f"{_FILE}: points: unknown: {header.points!r}")
        if not info.min_seats <= header.seats <= info.max_seats:
            raise BadArchive(
                f"{_FILE}: seats: expected {info.min_seats} to {info.max_seats}, got {header.seats}"
            )
        plan = header.plan
        if plan is None:
            return _series(manifest)
        matches = formats.most_matches(plan)
        if formats.FORMATS[plan.format].needs_results:
            return _those_stated(manifest)
        return Schedule(partial(formats.in_order, plan), matches)
    except (UnknownGame, BadFormat) as error:
        raise BadArchive(f"{_FILE}: {error}") from None


def differences(manifest: Stated, schedule: Schedule) -> Iterator[str]:
    """Differences: matches that are not scheduled, and scheduled ones that are neither present nor absent."""
    ledger = manifest.ledger
    played = (match.scheduled for match in ledger.played())
    for scheduled, right in _beside(played, schedule.make()):
        if scheduled != right:
            yield f"matches/{scheduled.index}: not the match that the format and the seed schedule there"
    yield from _absent(manifest, schedule)
    there = merge(
        (match.scheduled.index for match in ledger.played()), (absent.index for absent, _ in ledger.absent())
    )
    stated = next(there, None)
    for scheduled in schedule.make():
        while stated is not None and stated < scheduled.index:
            stated = next(there, None)
        if stated != scheduled.index:
            folder = f"matches/{scheduled.index}"
            yield f"{folder}: missing: it is in the schedule, and {_FILE} does not say why not"


def _absent(manifest: Stated, schedule: Schedule) -> Iterator[str]:
    """Differences of the matches that the manifest says are not there."""
    stopped = {number for number, _ in manifest.header.stopped}
    stopped |= {departure.entrant for departure in manifest.header.departures}
    is_finished = manifest.end == End.FINISHED
    absent = manifest.ledger.absent()
    right = _beside((scheduled for scheduled, _ in manifest.ledger.absent()), schedule.make())
    played = _beside(
        (scheduled for scheduled, _ in manifest.ledger.absent()),
        (match.scheduled for match in manifest.ledger.played()),
    )
    for place, ((scheduled, state), (_, planned), (_, there)) in enumerate(
        zip(absent, right, played, strict=True)
    ):
        path = f"{_FILE}: absent[{place}]: match {scheduled.index}"
        if there is not None:
            yield f"{path}: is in the archive"
        elif scheduled != planned:
            yield f"{path}: not the match that the format and the seed schedule there"
        elif is_finished and state == Fate.UNPLAYED:
            yield f"{path}: unplayed, though the contest was finished"
        elif is_finished and state == Fate.WITHDRAWN and stopped.isdisjoint(scheduled.seats):
            yield f"{path}: withdrawn, though none of its entrants was stopped"


def _beside(
    matches: Iterable[ScheduledMatch], others: Iterator[ScheduledMatch]
) -> Iterator[tuple[ScheduledMatch, ScheduledMatch | None]]:
    """Each match with the one of `others` that has its index, if any; the indexes of both rise."""
    other = next(others, None)
    for match in matches:
        while other is not None and other.index < match.index:
            other = next(others, None)
        yield match, other if other is not None and other.index == match.index else None


def _those_stated(manifest: Stated) -> Schedule:
    """The matches that the manifest states, where they depend on results; `rounds` checks them afterwards."""
    schedule = Schedule(partial(_all_stated, manifest), manifest.ledger.matches + manifest.ledger.absences)
    if any(scheduled.index != place for place, scheduled in enumerate(schedule.make())):
        raise BadArchive(f"{_FILE}: matches: expected each index from 0 to {schedule.matches - 1} once")
    return schedule


def _all_stated(manifest: Stated) -> Iterator[ScheduledMatch]:
    return merge(
        (match.scheduled for match in manifest.ledger.played()),
        (scheduled for scheduled, _ in manifest.ledger.absent()),
        key=lambda scheduled: scheduled.index,
    )


def rounds(manifest: Stated, schedule: Schedule, results: Mapping[int, Result]) -> Iterator[str]:
    """If the format needs results: differences between the matches and those that the results lead to.

    schedule: what `schedule_of` gave. results: of all matches of the archive, by index.
    """
    plan = manifest.header.plan
    if plan is None or not formats.FORMATS[plan.format].needs_results:
        return
    if any(manifest.ledger.lost()):
        return  # what its result led to is not known
    out = disqualifying(manifest.header.game)
    made, history = history_of(plan, results, schedule.matches, out, manifest.header.departures)
    for stated, expected in zip_longest(schedule.make(), made):
        if stated != expected:
            index = (stated or expected).index
            yield f"matches/{index}: not the match that the results before it lead to"
            return
    if manifest.end == End.FINISHED and formats.next_round(plan, history, len(made)):
        yield f"{_FILE}: end: finished, though the format schedules another round"


def _series(manifest: Stated) -> Schedule:
    """One seating repeated, which only the matches themselves state."""
    stated = (scheduled.seats for scheduled in _all_stated(manifest))
    seats = next(filter(None, stated), ())
    if seats and len(seats) != manifest.header.seats:
        raise BadArchive(f"{_FILE}: seats: expected {len(seats)}, got {manifest.header.seats}")
    scheduled = formats.series(seats, manifest.header.rounds)
    return Schedule(lambda: iter(scheduled), len(scheduled))
