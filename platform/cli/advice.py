"""Answers that a bot has printed and that stay in its own buffer: nothing else that is shown would tell.

For other faults the reason and standard error say more than this command could.
"""

from __future__ import annotations

from pathlib import Path

from contest.arena import Played
from contest.mistakes import Evidence
from contest.mistakes.silence import not_flushed
from sandbox.uploads.accept import BadUpload, read_path


def unflushed(match: Played, seat: int, path: Path, language: str, channel: str) -> str:
    """The line that the bot of this seat should flush, as a sentence; "" if its first fault was another one.

    path: of its source, of which only single files are looked at.
    """
    try:
        files = read_path(path).files
    except BadUpload:  # it was changed meanwhile
        return ""
    text = files[0].data.decode("utf-8", "backslashreplace") if len(files) == 1 else ""
    found = Evidence.of_match(language, text, channel, match.log, seat, "")
    advice = not_flushed(found) if found else None
    return advice.sentence if advice else ""
