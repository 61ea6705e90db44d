"""What a program that is run for each move did to the game's file, for the game to judge."""

from __future__ import annotations

from agon.contest.readiness import text_of
from games.core.game import Json
from games.core.wording import quote
from sandbox.api import ProgramRun
from sandbox.reason import Reason

SHOWN = 40  # bytes of an answer that is too long


def file_change(before: bytes, ran: ProgramRun, most: int) -> Json:
    """How the program changed the file, for the game to judge. most: the longest move, in bytes."""
    if ran.file is None:
        return {"changed": str(Reason("it is gone, no longer a regular file, or far too large"))}
    if not ran.file.startswith(before):
        removed = Reason("what it held (%(count)s bytes) is no longer there", count=len(before))
        return {"changed": str(removed)}
    appended = ran.file[len(before) :]
    if len(appended) > most:
        start = quote(text_of(appended[:SHOWN]))
        excess = Reason(
            "%(count)s bytes were appended, which begin %(start)s; no move is longer than %(most)s",
            count=len(appended),
            start=start,
            most=most,
        )
        return {"changed": str(excess)}
    return {"appended": text_of(appended), "stdout": _printed(ran.stdout.strip(), most)}


def _printed(stdout: bytes, most: int) -> str:
    """What a program printed; cut visibly, so that the rest of a long answer is not just left out."""
    return text_of(stdout) if len(stdout) <= most else text_of(stdout[:most]) + "..."
