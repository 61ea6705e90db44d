"""Is every match of the schedule in the archive, or its absence accounted for?

The schedule follows from the format, the number of entrants, the rounds and the seed. Each of its matches is
in the archive, or the manifest says why not; nothing else is in the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest import formats
from contest.archive.manifest import BadArchive, End, Fate, Manifest
from contest.formats import BadFormat, Pairing
from contest.points import POINTS
from games.core.manifest import UnknownGame, load

_FILE = "manifest.json"


def schedule_of(manifest: Manifest) -> Sequence[Pairing]:
    """The matches that this format, seed and number of entrants make. Raises BadArchive."""
    header = manifest.header
    try:
        info = load(header.game)
        if header.points not in POINTS:
            raise BadArchive(f"{_FILE}: points: unknown: {header.points!r}")
        if not manifest.matches and not header.seats:
            return []
        if not info.min_seats <= header.seats <= info.max_seats:
            raise BadArchive(
                f"{_FILE}: seats: expected {info.min_seats} to {info.max_seats}, got {header.seats}"
            )
        if header.format == formats.SERIES:
            return _series(manifest)
        return formats.schedule(
            header.format, len(header.entrants), header.seats, header.rounds, header.seeds.of_seatings()
        )
    except (UnknownGame, BadFormat) as error:
        raise BadArchive(f"{_FILE}: {error}") from None


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
    stated = [*manifest.matches, *(absent.pairing for absent in manifest.absent)]
    seats = next((pairing.seats for pairing in stated if pairing.seats), ())
    if seats and len(seats) != manifest.header.seats:
        raise BadArchive(f"{_FILE}: seats: expected {len(seats)}, got {manifest.header.seats}")
    return formats.series(seats, manifest.header.rounds)
