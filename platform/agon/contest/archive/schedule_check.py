"""Is every match of the schedule in the archive, or its absence accounted for?

The schedule follows from the format, the number of entrants, the rounds and the seed. Each of its matches is
in the archive, or the manifest says why not; nothing else is in the archive.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from agon.contest import formats
from agon.contest.archive.manifest import BadArchive, End, Fate, Manifest
from agon.contest.archive.writer import disqualifying
from agon.contest.formats import BadFormat, Outcome, ScheduledMatch
from agon.contest.points import POINTS, Result
from agon.contest.standings import history_of
from games.core.manifest import UnknownGame, load

_FILE = "manifest.json"


def schedule_of(manifest: Manifest) -> Sequence[ScheduledMatch]:
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
        formats.most_matches(plan)
        if formats.FORMATS[plan.format].needs_results:
            return _stated(manifest)
        return formats.replay(plan, lambda scheduled: Outcome(scheduled.seats), formats.most_matches(plan))[0]
    except (UnknownGame, BadFormat) as error:
        raise BadArchive(f"{_FILE}: {error}") from None


def differences(manifest: Manifest, schedule: Sequence[ScheduledMatch]) -> Iterator[str]:
    """Differences: matches that are not scheduled, and scheduled ones that are neither present nor absent."""
    for scheduled in manifest.matches:
        if scheduled not in schedule[scheduled.index : scheduled.index + 1]:
            yield f"matches/{scheduled.index}: not the match that the format and the seed schedule there"
    there = {scheduled.index for scheduled in manifest.matches}
    stopped = {number for number, _ in manifest.header.stopped}
    stopped |= {departure.entrant for departure in manifest.header.departures}
    for place, (scheduled, state, *_) in enumerate(manifest.absent):
        path = f"{_FILE}: absent[{place}]: match {scheduled.index}"
        if scheduled.index in there:
            yield f"{path}: is in the archive"
        elif scheduled not in schedule[scheduled.index : scheduled.index + 1]:
            yield f"{path}: not the match that the format and the seed schedule there"
        elif manifest.end == End.FINISHED and state == Fate.UNPLAYED:
            yield f"{path}: unplayed, though the contest was finished"
        elif manifest.end == End.FINISHED and state == Fate.WITHDRAWN and stopped.isdisjoint(scheduled.seats):
            yield f"{path}: withdrawn, though none of its entrants was stopped"
        there.add(scheduled.index)
    for scheduled in schedule:
        if scheduled.index not in there:
            folder = f"matches/{scheduled.index}"
            yield f"{folder}: missing: it is in the schedule, and {_FILE} does not say why not"


def _stated(manifest: Manifest) -> Sequence[ScheduledMatch]:
    """The matches that the manifest states, where they depend on results; `rounds` checks them afterwards."""
    stated = [*manifest.matches, *(absent.scheduled for absent in manifest.absent)]
    stated.sort(key=lambda scheduled: scheduled.index)
    if any(scheduled.index != place for place, scheduled in enumerate(stated)):
        raise BadArchive(f"{_FILE}: matches: expected each index from 0 to {len(stated) - 1} once")
    return stated


def rounds(
    manifest: Manifest, schedule: Sequence[ScheduledMatch], results: Mapping[int, Result]
) -> Iterator[str]:
    """If the format needs results: differences between the matches and those that the results lead to.

    schedule: what `schedule_of` gave. results: of all matches of the archive, by index.
    """
    plan = manifest.header.plan
    if plan is None or not formats.FORMATS[plan.format].needs_results:
        return
    if any(absent.state == Fate.LOST for absent in manifest.absent):
        return  # what its result led to is not known
    out = disqualifying(manifest.header.game)
    made, history = history_of(plan, results, len(schedule), out, manifest.header.departures)
    for stated, found in zip_longest(schedule, made):
        if stated != found:
            index = (stated or found).index
            yield f"matches/{index}: not the match that the results before it lead to"
            return
    if manifest.end == End.FINISHED and formats.next_round(plan, history, len(made)):
        yield f"{_FILE}: end: finished, though the format schedules another round"


def _series(manifest: Manifest) -> Sequence[ScheduledMatch]:
    """One seating repeated, which only the matches themselves state."""
    stated = [*manifest.matches, *(absent.scheduled for absent in manifest.absent)]
    seats = next((scheduled.seats for scheduled in stated if scheduled.seats), ())
    if seats and len(seats) != manifest.header.seats:
        raise BadArchive(f"{_FILE}: seats: expected {len(seats)}, got {manifest.header.seats}")
    return formats.series(seats, manifest.header.rounds)
