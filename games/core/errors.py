"""An exception raised by a game's code, described for its author: where it was raised, and its message."""

import traceback
from pathlib import Path

from games.core.toml_fields import BadManifest


def describe(error: BaseException, folder: Path) -> str:
    """`referee.py, line 31, in play: ZeroDivisionError: division by zero (seed 0, after 3 steps)`.

    The location is the innermost frame below the game's `folder`, if there is one.
    """
    notes = "; ".join(getattr(error, "__notes__", ()))
    return f"{_location(error, folder)}{_message(error)}{f' ({notes})' if notes else ''}"


def ends_the_process(error: BaseException, folder: Path) -> bool:
    """Whether it is an interrupt or an exit from outside, and no failure of the game in the folder.

    A game fails by any other exception, too: panics of libraries in Rust, for one, are no Exception.
    """
    if isinstance(error, SystemExit):
        return not _exits_by_itself(error, folder)
    return isinstance(error, KeyboardInterrupt)


def _exits_by_itself(error: SystemExit, folder: Path) -> bool:
    """Whether the game in the folder has called sys.exit() or the like; not if a signal's handler has."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if files and "_sitebuiltins" in files[-1]:  # exit() and quit()
        files.pop()
    return bool(files) and Path(files[-1]).resolve().is_relative_to(folder.resolve())


def _message(error: BaseException) -> str:
    if isinstance(error, BadManifest):
        return str(error)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {message}"


def _location(error: BaseException, folder: Path) -> str:
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or '').name}, line {error.lineno}: "
    inside = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve().is_relative_to(folder.resolve())
    ]
    return (
        f"{Path(inside[-1].filename).name}, line {inside[-1].lineno}, in {inside[-1].name}: "
        if inside
        else ""
    )
