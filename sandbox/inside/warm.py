"""Python bots without the start of Python: forked from an interpreter that is already warm.

Theory of operation. The agent imports, before anything untrusted runs, those modules of the
standard library that the bot's files mention, and keeps the entry file compiled. The compiling is
done by a confined process that never runs the code, and the result is opaque bytes to the agent:
only forked bots, confined like any other, load it. A forked bot is what `python3 bot.py` would be:
it has its own __main__, argv, path, standard streams, and an exit that runs what is registered.
What a bot does to the interpreter happens in its own copy and ends with it.

A forked process pays for every page of memory that it writes to, and looking at an object of Python's
writes to it. So whatever is the same for all bots is done before, once, in the agent.
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

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from io import TextIOWrapper
    from types import CodeType
    from typing import NoReturn

# Modules that change nothing outside themselves when they are imported, and start no thread.
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
_hidden: list[object] = []  # modules of ours, which bots are not to find


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
    """Call when everything is imported: makes what every bot needs, once, and forks cheap."""
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    sys.path[:] = [entry for entry in sys.path if not entry.startswith("/agent")]
    for entry in [entry for entry in sys.path_importer_cache if entry.startswith("/agent")]:
        del sys.path_importer_cache[entry]
    if setup.python is not None:
        _make_streams()
        _become_main(f"{WORK}/{setup.python}")
    gc.collect()
    gc.freeze()


def _make_streams() -> None:
    """The standard streams of bots, made while 0, 1 and 2 are pipes, as theirs will be.

    Whether a descriptor can be sought is found out once, when a stream is made.
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
    """Look like the interpreter of a bot, which this process goes on being ours in."""
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
    """The code of a Python file as bytes. Run this only where its failure harms nobody."""
    return marshal.dumps(compile(source, f"{WORK}/{name}", "exec", dont_inherit=True))


def run(setup: Setup, args: list[str], code: CodeType | None) -> NoReturn:
    """Become the bot. Called in a forked child whose descriptors 0, 1 and 2 are the bot's."""
    assert setup.python is not None
    path = f"{WORK}/{setup.python}"
    status = 1
    try:
        sys.path.insert(0, WORK)  # not before: no process of ours may import what a bot has written
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
    """The entry file's code; None if it could not be compiled. Only in a process confined like a bot."""
    return marshal.loads(setup.code) if setup.code is not None else None


def _compiled_here(path: str) -> CodeType:
    """What fails in compiling is to fail in the bot."""
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
            error.__traceback__ = error.__traceback__.tb_next  # this function's own line
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
