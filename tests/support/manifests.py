"""Manifests of archives that no matches were played for."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from agon.contest.archive import manifest_text
from agon.contest.archive.manifest import Absent, ArchivedAct, Digest, End, Header, Origin
from agon.contest.attempts import FailedAttempt
from agon.contest.formats import ScheduledMatch


@dataclass(frozen=True)
class Manifest:
    """manifest.json. matches: those in the archive, in order of play. files: all others, by path.

    results: the results digest. seeds: of `matches`. drawn: which of the header's draws each seed follows
    from, from 1; 0 for the contest's own salt and draw; () if that is so for all. failed: the attempts at
    each of `matches` that failed; () if there are none.
    """

    header: Header
    matches: tuple[ScheduledMatch, ...]
    files: Mapping[str, Digest]
    results: str
    seeds: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()
    failed: tuple[tuple[FailedAttempt, ...], ...] = ()
    absent: tuple[Absent, ...] = ()
    acts: tuple[ArchivedAct, ...] = ()
    end: End = End.FINISHED
    origin: Origin = field(default_factory=Origin)


def to_json(manifest: Manifest) -> str:
    """The text of manifest.json."""
    drawn = manifest.drawn or itertools.repeat(0)
    failed = manifest.failed or itertools.repeat(())
    played = zip(manifest.matches, manifest.seeds, drawn, failed, strict=False)
    matches = (
        manifest_text.match_line(scheduled, seed, "", number, attempts)
        for scheduled, seed, number, attempts in played
    )
    files = (manifest_text.file_line(path, digest) for path, digest in manifest.files.items())
    absent = map(manifest_text.absent_line, manifest.absent)
    head = manifest_text.head_of(manifest.header, manifest.origin, manifest.end, manifest.results)
    return "".join(manifest_text.pieces(head, manifest.header, absent, manifest.acts, matches, files))
