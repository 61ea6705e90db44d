"""Runs a Python function (or class) as a bot: the program that is started beside the bot's file. Standard
library only.

Theory of operation. A game of channel `function` has an `adapter.py`. The platform combines three things:
this file, started with the bot's file as its argument; the adapter, importable as `agon_game`; and the
upload.

Processes:
- One, the bot's own.

Pipes:
- The referee's two pipes are moved to other descriptors before any line of the bot runs. What the bot prints
  goes to its standard error, and what it reads is empty, so neither can get between the referee's lines.

Trust:
- Nothing trusts this process. Whatever the bot does to it shows only in its lines, which the referee judges
  like those of a program in any other language.
- The bot's file is loaded like an imported module of its name. The adapter's `find(module, name)` finds in it
  what is to be called, and returns a function from the referee's line to the bot's. Then READY is sent, and
  every line is answered by one line.

Failure:
- A bot that cannot be used sends a line that says why instead of READY, and exits with status 1.
- A call that raises is answered by a line that describes the exception, which is no move. The traceback goes
  to standard error, where the bot's author finds it.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import ModuleType

TYPE_CHECKING = False  # importing typing would make every start more expensive
if TYPE_CHECKING:
    from collections.abc import Callable

ADAPTER = "agon_game"
MOST_CHARACTERS = 150


def main(path: str) -> int:
    """Play a match with the bot in the file `path`; returns the exit status."""
    lines_in, lines_out = _take_pipes()
    adapter = import_module(ADAPTER)
    try:
        module = _load(path)
    except BaseException as error:
        traceback.print_exc()
        return _refuse(lines_out, f"{path} {_describe(error)}")
    try:
        answer = adapter.find(module, module.__name__)
    except LookupError as error:
        return _refuse(lines_out, f"{path}: {error.args[0]}")
    os.write(lines_out, b"READY\n")
    _serve(answer, lines_in, lines_out)
    return 0


def _take_pipes() -> tuple[int, int]:
    """The referee's pipes, out of reach of print and input."""
    lines_in, lines_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines_in, lines_out


def _load(path: str) -> ModuleType:
    folder, file = os.path.split(os.path.abspath(path))
    sys.path[0] = folder
    name = file.removesuffix(".py")
    loader = SourceFileLoader(name, os.path.join(folder, file))
    module = ModuleType(name)
    module.__file__ = loader.path
    module.__loader__ = loader
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _serve(answer: Callable[[str], str], lines_in: int, lines_out: int) -> None:
    read, write, rest = os.read, os.write, b""
    while data := read(lines_in, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            try:
                words = answer(line.decode())
            except BaseException as error:
                traceback.print_exc()
                words = _describe(error)
            write(lines_out, _line(words))


def _refuse(lines_out: int, words: str) -> int:
    os.write(lines_out, _line(words))
    return 1


def _describe(error: BaseException) -> str:
    """A short description of an exception. One of the bot's own may raise another while it is described."""
    try:
        detail = f": {error}"
    except BaseException:
        detail = ""
    return f"raised {type(error).__name__}{detail}"[:MOST_CHARACTERS].removesuffix(": ")


def _line(words: str) -> bytes:
    shown = words if words.isprintable() else "".join(c if c.isprintable() else " " for c in words)
    return shown.encode("utf-8", "backslashreplace") + b"\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
