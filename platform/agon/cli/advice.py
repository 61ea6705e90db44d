"""Advice for a bot whose answers stay in its own output buffer, which no error message shows.

Other faults need no advice here: their reason and the bot's standard error say what is wrong.
"""

from pathlib import Path

from agon.advice.mistakes import Evidence
from agon.advice.mistakes.silence import not_flushed
from agon.advice.reasons import english
from agon.contest.arena import Played
from sandbox.uploads.accept import BadUpload, read_path


def flush_advice(match: Played, seat: int, path: Path, language: str, channel: str) -> str:
    """A sentence that says which line of its source the bot should flush; "" if that was not its first fault.

    seat: from 0. path: of the source; only a source of one file is examined.
    """
    try:
        files = read_path(path).files
    except BadUpload:  # the source was changed meanwhile
        return ""
    text = files[0].data.decode("utf-8", "backslashreplace") if len(files) == 1 else ""
    evidence = Evidence.of_match(language, text, channel, match.log, seat, "")
    advice = not_flushed(evidence) if evidence else None
    return english(advice.sentence) if advice else ""
