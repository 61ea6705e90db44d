"""Is every match of the schedule in the archive, or its absence accounted for?

The schedule follows from the format, the number of entrants, the rounds, the seed and, for some formats, the
results. Each of its matches is in the archive, or the manifest says why not; nothing else is in the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contest import formats
from contest.archive import writer
from contest.archive.manifest import BadArchive, End, Fate, Manifest
from contest.archive.writer import disqualifying
from contest.formats import BadFormat, Pairing
from contest.points import POINTS, Result
from games.core.manifest import UnknownGame, load

_FILE = "manifest.json"


def check_header(manifest: Manifest) -> None:
    """Whether there can be such a contest at all. Raises BadArchive."""
    header = manifest.header
    try:
        info = load(header.game)
        if header.points not in POINTS:
            raise BadArchive(f"{_FILE}: points: unknown: {header.points!r}")
        if not manifest.matches and not header.seats:
            return
        if not info.min_seats <= header.seats <= info.max_seats:
            raise BadArchive(
                f"{_FILE}: seats: expected {info.min_seats} to {info.max_seats}, got {header.seats}"
            )
        if header.format == formats.SERIES:
            _series(manifest)
        else:
            formats.most_matches(header.plan)
    except (UnknownGame, BadFormat) as error:
        raise BadArchive(f"{_FILE}: {error}") from None


def follows_from_results(manifest: Manifest) -> bool:
    """Whether the schedule is known only with the results."""
    chosen = formats.FORMATS.get(manifest.header.format)
    return chosen is not None and chosen.needs_results


def stated(manifest: Manifest) -> list[Pairing]:
    """The matches that the manifest states, those in the archive and those absent, in order."""
    absent = (match.pairing for match in manifest.absent)
    return sorted([*manifest.matches, *absent], key=lambda pairing: pairing.index)


def schedule_of(manifest: Manifest, results: Mapping[int, Result]) -> Sequence[Pairing]:
    """The matches that this format, seed, entrants and results make, as far as the archive goes. The header
    is one that `check_header` accepts.

    results: by the index of the match.
    """
    header = manifest.header
    if not manifest.matches and not header.seats:
        return []
    if header.format == formats.SERIES:
        return _series(manifest)
    there = len(manifest.matches) + len(manifest.absent)
    out = disqualifying(header.game)
    schedule, history = writer.schedule_of(header.plan, results, there, out, header.absences)
    if history is None or manifest.end != End.FINISHED:
        return schedule
    return [*schedule, *(formats.next_round(header.plan, history, len(schedule)) or [])]


def differences(manifest: Manifest, schedule: Sequence[Pairing]) -> Iterator[str]:
    """What is in the archive, and not scheduled there; what is scheduled, and neither there nor absent."""
    for pairing in manifest.matches:
        if pairing not in schedule[pairing.index : pairing.index + 1]:
            yield f"matches/{pairing.index}: not the match that the format and the seed schedule there"
    if manifest.number >= 4:
        yield from _absences(manifest, schedule)


def _absences(manifest: Manifest, schedule: Sequence[Pairing]) -> Iterator[str]:
    there = {pairing.index for pairing in manifest.matches}
    stopped = {number for number, _ in manifest.header.stopped}
    for place, (pairing, state, _) in enumerate(manifest.absent):
        path = f"{_FILE}: absent[{place}]: match {pairing.index}"
        if pairing.index in there:
            yield f"{path}: is in the archive"
        elif pairing not in schedule[pairing.index : pairing.index + 1]:
            yield f"{path}: not the match that the format and the seed schedule there"
        elif manifest.end == End.FINISHED and state == Fate.UNPLAYED:
            yield f"{path}: unplayed, though the contest was finished"
        elif manifest.end == End.FINISHED and state == Fate.WITHDRAWN and stopped.isdisjoint(pairing.seats):
            yield f"{path}: withdrawn, though none of its entrants was stopped"
        there.add(pairing.index)
    for pairing in schedule:
        if pairing.index not in there:
            yield f"matches/{pairing.index}: missing: it is in the schedule, and {_FILE} does not say why not"


def _series(manifest: Manifest) -> Sequence[Pairing]:
    """One seating repeated, which only the matches themselves state."""
    seats = next((pairing.seats for pairing in stated(manifest) if pairing.seats), ())
    if seats and len(seats) != manifest.header.seats:
        raise BadArchive(f"{_FILE}: seats: expected {len(seats)}, got {manifest.header.seats}")
    return formats.series(seats, manifest.header.rounds)
