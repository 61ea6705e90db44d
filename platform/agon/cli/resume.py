"""Continues a contest in the folder of an interrupted run with `--save`: its complete matches are kept.

A run that was interrupted has written a manifest; one that was killed has left UNFINISHED, which describes
the contest in the same way. Both name the game, format, settings, seed and entrants with their digests, so
that only the same contest is continued. A match is kept if all its files exist, its record replays to itself,
and the record has the seed and the bots that are scheduled there. Any other match is played again.
"""

from contextlib import closing
from pathlib import Path

from agon.contest.archive.ledger import Ledger
from agon.contest.archive.manifest import BadArchive, Header
from agon.contest.archive.manifest_reader import read_manifest
from agon.contest.archive.writer import MANIFEST, RECORD, TIMES, UNFINISHED, safe_name
from agon.contest.arena import Played
from agon.contest.formats import ScheduledMatch
from games.core import timing
from games.core.match_log import timed
from games.core.record import BadRecord
from games.core.replay import check

_PIECE = 1 << 20


def header_in(folder: Path) -> Header | None:
    """The header of the contest in this folder; None if there is none."""
    for name in (UNFINISHED, MANIFEST):
        path = folder / name
        if path.is_file():
            try:
                with open(path, "rb") as file, closing(Ledger()) as ledger:
                    return read_manifest(iter(lambda: file.read(_PIECE), b""), ledger).header
            except BadArchive:
                return None
    return None


def saved_match(folder: Path, header: Header, scheduled: ScheduledMatch, seed: int) -> Played | None:
    """The scheduled match as the folder holds it; None if it is not complete and has to be played."""
    match = folder / "matches" / str(scheduled.index)
    try:
        checked = check((match / RECORD).read_bytes())
        log = timed(checked.log, timing.from_json((match / TIMES).read_bytes()))
        stderr = tuple(
            (match / f"{seat}-{safe_name(bot.name)}.stderr").read_bytes()
            for seat, bot in enumerate(log.seats)
        )
    except (OSError, BadRecord, ValueError):
        return None
    seated = tuple(header.entrants[entrant] for entrant in scheduled.seats)
    if checked.differences or (log.game, log.seed, log.seats) != (header.game, seed, seated):
        return None
    return Played(log, stderr, checked.files, log.seconds)
