"""The sources of a tournament's entrants, as uploaded, for tournaments whose organizer opens them."""

from typing import IO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from agon.contest.archive.writer import safe_name
from agon.site.bots.sources import data_of
from agon.site.bots.states import BotState
from agon.site.tournaments.models import Tournament

_DATE = (1980, 1, 1, 0, 0, 0)


def write_zip(file: IO[bytes], tournament: Tournament) -> None:
    """Write a folder for each entrant, with its upload; those of deleted bots are left out."""
    with ZipFile(file, "w", ZIP_STORED) as out:
        for entrant in tournament.entrants.select_related("submission", "bot"):
            submission = entrant.frozen
            if not submission.source or entrant.bot.state == BotState.DELETED:
                continue
            name = f"{entrant.number}-{safe_name(entrant.name)}/{safe_name(submission.filename)}"
            try:
                out.writestr(ZipInfo(name, _DATE), data_of(submission))
            except FileNotFoundError:
                continue
