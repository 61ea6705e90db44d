"""What a program that is run for each move did to the game's file, for the game to judge."""

from agon.contest.readiness import text_of
from games.core.game import Json
from games.core.reason import Reason
from games.core.wording import quote
from sandbox.api import ProgramRun

SHOWN = 40  # bytes of an answer that is too long


def file_change(before: bytes, ran: ProgramRun, most: int) -> Json:
    """How the program changed the file, for the game to judge. most: the longest move, in bytes."""
    if ran.file is None:
        return {"changed": Reason("file_is_gone").to_data()}
    if not ran.file.startswith(before):
        removed = Reason("file_held_is_gone", count=len(before))
        return {"changed": removed.to_data()}
    appended = ran.file[len(before) :]
    if len(appended) > most:
        start = quote(text_of(appended[:SHOWN]))
        excess = Reason("appended_too_long", count=len(appended), start=start, most=most)
        return {"changed": excess.to_data()}
    return {"appended": text_of(appended), "stdout": _printed(ran.stdout.strip(), most)}


def _printed(stdout: bytes, most: int) -> str:
    """What a program printed; cut visibly, so that the rest of a long answer is not just left out."""
    return text_of(stdout) if len(stdout) <= most else text_of(stdout[:most]) + "..."
