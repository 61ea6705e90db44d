"""Starts Python bots without starting Python: they are forked from an interpreter that is already warm.

Theory of operation.

Processes:
- The agent. Before anything untrusted runs, it imports those modules of the standard library that the bot's
  files mention, and keeps the compiled entry file.
- A confined process that compiles the entry file and never runs it.
- Bots, forked from the agent or from the spawner. A forked bot behaves as `python3 bot.py` would: it has a
  __main__, argv, path and standard streams of its own, and its exit runs what was registered for it.

Pipes:
- The compiled code comes to the agent as opaque bytes. Standard streams are made once, over pipes.

Trust:
- Only forked bots, confined like all others, load the compiled code. What a bot does to the interpreter
  happens in its own copy and ends with it. Modules of our own are hidden from bots.

Failure:
- An entry file that does not compile fails in the bot, with Python's own message.

A forked process pays for every page of memory that it writes to, and merely reading a Python object writes to
it (its reference count). So everything that is the same for all bots is done once, in the agent.
"""

from __future__ import annotations

import _sitebuiltins
import atexit
import builtins
import gc
import marshal
import os
import re
import sys

from .setup import WORK, Setup

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from io import TextIOWrapper
    from types import CodeType
    from typing import NoReturn

# Modules that change nothing outside themselves when imported, and start no thread.
# fmt: off
_HARMLESS = frozenset((
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "errno",
    "fractions", "functools", "hashlib", "heapq", "importlib", "inspect", "io", "itertools", "json",
    "keyword", "locale", "logging", "math", "numbers", "operator", "os", "pathlib", "pprint", "queue",
    "random", "re", "select", "shutil", "signal", "socket", "statistics", "string", "struct", "subprocess",
    "sys", "tempfile", "textwrap", "threading", "time", "timeit", "traceback", "types", "typing",
    "unicodedata", "uuid", "warnings", "weakref", "zlib",
))
# fmt: on
_IMPORT = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([\w., \t]{1,200})", re.MULTILINE)


_streams: list[TextIOWrapper] = []
_hidden: list[object] = []  # modules of our own, which bots must not find


def preload(files: dict[str, bytes]) -> None:
    """Import the harmless standard modules that these Python files seem to import."""
    own = {name.removesuffix(".py") for name in files}
    for text in files.values():
        for match in _IMPORT.finditer(text):
            for word in re.split(rb"[ ,\t]+", match[1]):
                name = word.decode("ascii", "ignore").split(".")[0]
                if name in _HARMLESS and name not in own:
                    __import__(name)


def freeze_for_fork(setup: Setup) -> None:
    """Create what every bot needs, and make forks cheap. Call when everything is imported."""
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    sys.path[:] = [entry for entry in sys.path if not entry.startswith("/agent")]
    for entry in [entry for entry in sys.path_importer_cache if entry.startswith("/agent")]:
        del sys.path_importer_cache[entry]
    if setup.python is not None:
        if setup.packages:
            sys.path.append(setup.packages)
        _make_streams()
        _become_main(f"{WORK}/{setup.python}")
    gc.collect()
    gc.freeze()


def _make_streams() -> None:
    """Make the standard streams of bots while 0, 1 and 2 are pipes, as theirs will be.

    A stream determines only once, when it is made, whether its descriptor is seekable.
    """
    ends = os.pipe()
    kept = [os.dup(number) for number in (0, 1, 2)]
    for number, end in enumerate((ends[0], ends[1], ends[1])):
        os.dup2(end, number)
    for number, (mode, errors) in enumerate(
        (("r", "surrogateescape"), ("w", "surrogateescape"), ("w", "backslashreplace"))
    ):
        stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        _streams.append(stream)  # type: ignore[arg-type]
    _streams[2].reconfigure(line_buffering=True)
    for number, fd in enumerate(kept):
        os.dup2(fd, number)
    for fd in (*ends, *kept):
        os.close(fd)


def _become_main(path: str) -> None:
    """Make this interpreter look like that of a bot, although it is still ours."""
    for name in [name for name in sys.modules if name == "inside" or name.startswith("inside.")]:
        _hidden.append(sys.modules.pop(name))
    sys.stdin, sys.stdout, sys.stderr = _streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = _streams  # type: ignore[misc]
    main = type(sys)("__main__")
    main.__file__ = path
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    _hidden.append(sys.modules["__main__"])
    sys.modules["__main__"] = main


def compiled(source: bytes, name: str) -> bytes:
    """The code of a Python file as bytes. Call only in a process whose failure does no harm."""
    return marshal.dumps(compile(source, f"{WORK}/{name}", "exec", dont_inherit=True))


def run(setup: Setup, args: list[str], code: CodeType | None) -> NoReturn:
    """Run the bot and exit. Called in a forked child whose descriptors 0, 1 and 2 are the bot's."""
    assert setup.python is not None
    path = f"{WORK}/{setup.python}"
    status = 1
    try:
        sys.path.insert(0, WORK)  # not earlier: no process of our own may import what a bot has written
        sys.argv = [*setup.command[1:], *args]
        sys.orig_argv = ["python3", *sys.argv]
        status = _execute(code or _compiled_here(path))
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
        status = _flush(status)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def code(setup: Setup) -> CodeType | None:
    """The entry file's code; None if it did not compile. Call only in a process confined like a bot."""
    return marshal.loads(setup.code) if setup.code is not None else None


def _compiled_here(path: str) -> CodeType:
    """Compile the entry file, so that its error appears in the bot."""
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def _execute(code: CodeType) -> int:
    """Run the bot's code in __main__; its exit status, as Python itself would give it."""
    try:
        exec(code, sys.modules["__main__"].__dict__)  # noqa: S102 (this process is the bot's)
    except SystemExit as exit_:
        return _status(exit_.code)
    except BaseException as error:
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without this function
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _flush(status: int) -> int:
    for stream, failed in ((sys.stdout, 120), (sys.stderr, status)):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError):
            status = failed
    return status
