"""Runs a game's own code in a command: its prints go to stderr, and its exceptions become one line."""

import io
import os
import sys
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from traceback import walk_tb
from types import FrameType

import games
from agon.cli.output import CommandError, say
from games.core.errors import describe
from games.core.manifest import BadManifest, GameInfo, referee


def import_referee(info: GameInfo) -> None:
    """Import the game's referee before anything is played. Raises CommandError, BadManifest."""
    try:
        with stdout_to_stderr():
            referee(info)
    except BadManifest:
        raise
    except (Exception, SystemExit) as error:
        raise CommandError(f"{info.slug}: {describe(error, info.folder)}") from None


def describe_failure(error: BaseException) -> str:
    """One line for an exception that a game's code raised; the traceback says which game."""
    for frame, _ in reversed(list(walk_tb(error.__traceback__))):
        if game := _game_of(Path(frame.f_code.co_filename)):
            return f"{game.name}: {describe(error, game)}"
    return describe(error, Path(os.devnull))


def stdout_to_stderr() -> AbstractContextManager[object]:
    """Redirect what a game prints within the block to stderr, after a line that says where it prints."""
    return redirect_stdout(_GameOutput())


class _GameOutput(io.TextIOBase):
    """Takes the place of sys.stdout while a game's code runs."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def write(self, text: str) -> int:
        where = _place_in_game(sys._getframe(1))
        if where and where not in self._reported:
            self._reported.add(where)
            say(f"{where} prints to standard output, which is for results; it is shown here")
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _place_in_game(frame: FrameType | None) -> str:
    """`mine: referee.py, line 31`: the innermost line of a game; "" if there is none."""
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if game := _game_of(file):
            return f"{game.name}: {file.relative_to(game)}, line {frame.f_lineno},"
        frame = frame.f_back
    return ""


def _game_of(file: Path) -> Path | None:
    """The folder of the game that a file belongs to; None if it belongs to none."""
    for folder in games.__path__:
        if file.is_relative_to(folder) and file.parent != Path(folder):
            game = Path(folder, file.relative_to(folder).parts[0])
            return game if game.name != "core" else None
    return None
