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
- No other process trusts this one. All that the bot can change is its lines, which the referee judges like
  those of a program in any other language.
- The bot's file is loaded like an imported module of its name. The adapter's `find(module, name)` finds in it
  what to call, and returns a function that turns a line of the referee into the bot's line. Then
  READY is sent, and every line is answered by one line.
- An adapter may define `called(module, name)`, which returns what is called, and ARGUMENTS, the number of its
  arguments. Then a bot that cannot be called with that many is refused.

Failure:
- A bot that cannot be used sends a line that says why instead of READY, and exits with status 1.
- A call that raises is answered by a line that describes the exception, which is no move.
- A LookupError of the adapter has what it expected, and perhaps the name and the number of arguments of the
  function that it did not find, and then perhaps the names of those among which it cannot choose.
- The traceback goes to standard error, where the bot's author finds it. It begins in the author's own code.
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
    from collections.abc import Callable, Iterable
    from types import TracebackType

ENTRY = "agon_adapter.py"  # the name of this file beside a bot
ADAPTER = "agon_game"
# Lines that hold no move are fields with a separator, which no field contains. In a line that refuses the
# bot, the name of its file precedes them.
SEPARATOR = "\t"
RAISED = "raised\t"  # a description of the exception, the file and the line, "" if unknown
CALLED = "called"  # the function's name, how many arguments it is called with, how it is defined
MISSING = "missing"  # the arguments of the adapter's LookupError
MOST_CHARACTERS = 90  # of the description of an exception
MOST_RETURNED = 50  # of a returned value that is no move
_AT, _DIGITS = " at 0x", 8  # what precedes an object's address in a repr; the fewest digits of an address
_CO_VARARGS = 0x04  # inspect.CO_VARARGS
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def main(path: str) -> int:
    """Play a match with the bot in the file `path`; returns the exit status."""
    lines_in, lines_out = _take_pipes()
    adapter = import_module(ADAPTER)
    try:
        module = _load(path)
    except BaseException as error:
        return _refuse(lines_out, path, *_report(error, adapter))
    try:
        answer = adapter.find(module, module.__name__)
    except LookupError as error:
        return _refuse(lines_out, path, MISSING, *map(str, error.args))
    if wrong := _wrong_arguments(adapter, module):
        return _refuse(lines_out, path, CALLED, *wrong)
    os.write(lines_out, b"READY\n")
    _serve(answer, adapter, lines_in, lines_out)
    return 0


def _take_pipes() -> tuple[int, int]:
    """Move the referee's pipes out of reach of print and input; returns them."""
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


def _wrong_arguments(adapter: ModuleType, module: ModuleType) -> tuple[str, str, str] | None:
    """The fields of CALLED if the bot's function cannot be called as the adapter calls it."""
    count = getattr(adapter, "ARGUMENTS", None)
    if count is None:
        return None
    function = adapter.called(module, module.__name__)
    code = getattr(function, "__code__", None)
    if code is None:  # a class, or an object that can be called: only a call shows
        return None
    given = count + hasattr(function, "__self__")
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    by_name = [name for name in names[code.co_argcount :] if name not in (function.__kwdefaults__ or {})]
    positional, endless = names[: code.co_argcount], code.co_flags & _CO_VARARGS
    least = len(positional) - len(function.__defaults__ or ())
    if by_name or given < least or (given > len(positional) and not endless):
        rest = [f"*{code.co_varnames[len(names)]}"] if endless else ["*"] if by_name else []
        defined = f"{code.co_name}({', '.join(positional + rest + by_name)})"
        return code.co_name, str(count), defined
    return None


def _serve(answer: Callable[[str], str], adapter: ModuleType, lines_in: int, lines_out: int) -> None:
    read, write, rest = os.read, os.write, b""
    while data := read(lines_in, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            try:
                words = answer(line.decode())
                if _AT in words:
                    words = _without_addresses(words)
                if words.startswith("returned "):
                    words = _cut(words, MOST_RETURNED)
                words = _printable(words)
            except BaseException as error:
                words = _joined(_report(error, adapter))
            write(lines_out, words.encode("utf-8", "backslashreplace") + b"\n")


def _refuse(lines_out: int, *fields: str) -> int:
    os.write(lines_out, _joined(fields).encode("utf-8", "backslashreplace") + b"\n")
    return 1


def _report(error: BaseException, adapter: ModuleType) -> tuple[str, str, str, str]:
    """Print the traceback of an exception without frames of ours; returns the fields of RAISED."""
    ours = (_report.__code__.co_filename, str(adapter.__file__), "<frozen importlib")
    own = error.__traceback__
    while own is not None and _file(own).startswith(ours):
        own = own.tb_next
    try:  # noqa: SIM105 (contextlib is not loaded here)
        traceback.print_exception(type(error), error, own)
    except BaseException:  # the bot has closed its standard error, or has raised something unprintable
        pass
    return ("raised", _describe(error), *_place(own))


def _file(frame: TracebackType) -> str:
    return frame.tb_frame.f_code.co_filename


def _describe(error: BaseException) -> str:
    """A short description of an exception. Describing one of the bot's own classes may raise another."""
    try:
        detail = f": {error}"
    except BaseException:
        detail = ""
    words = f"{type(error).__name__}{detail}".removesuffix(": ")
    return _without_middle(_without_addresses(words), MOST_CHARACTERS)


def _without_addresses(text: str) -> str:
    """`<object object at 0x7f8547e38790>` without the place, which would differ between equal matches."""
    first, *parts = text.split(_AT)
    for part in parts:
        rest = part.lstrip("0123456789abcdef")
        first += rest if len(part) - len(rest) >= _DIGITS else _AT + part
    return first


def _cut(text: str, most: int) -> str:
    """At most `most` characters of a text, up to a word where there is one, and how much was cut."""
    if len(text) <= most:
        return text
    kept = text[:most].rpartition(" ")[0]
    kept = kept if len(kept) > most // 2 else text[:most]
    return f"{kept}... ({len(text) - len(kept)} more characters)"


def _without_middle(text: str, most: int) -> str:
    """At most `most` characters of both ends of a text: how an exception ends is often the point."""
    if len(text) <= most:
        return text
    room = most - len(" ... ")
    start, end = text[: room // 2], text[-(room - room // 2) :]
    return f"{start.rpartition(' ')[0] or start} ... {end.partition(' ')[2] or end}"


def _place(own: TracebackType | None) -> tuple[str, str]:
    """The innermost line of the bot's files that led to an exception; "" if there is none."""
    place = "", ""
    while own is not None:
        if _file(own).startswith(_FOLDER):
            place = _file(own).removeprefix(_FOLDER), str(own.tb_lineno)
        own = own.tb_next
    return place


def _printable(words: str) -> str:
    return words if words.isprintable() else "".join(c if c.isprintable() else " " for c in words)


def _joined(fields: Iterable[str]) -> str:
    return SEPARATOR.join(map(_printable, fields))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
