"""Python bots without the start of Python: forked from an interpreter that is already warm.

Theory of operation. The agent imports, before anything untrusted runs, those modules of the
standard library that the bot's files mention, and keeps the entry file compiled. The compiling is
done by a confined process that never runs the code, and the result is opaque bytes to the agent:
only forked bots, confined like any other, load it. A forked bot then becomes what `python3 bot.py`
would be: its own __main__, argv, path, standard streams, and an exit that runs what is registered.
What a bot does to the interpreter happens in its own copy and ends with it.
"""

import atexit
import builtins
import gc
import io
import marshal
import os
import re
import sys
import threading
import types
from typing import NoReturn

from inside.setup import WORK, Setup

# Modules that change nothing outside themselves when they are imported, and start no thread.
# fmt: off
_HARMLESS = frozenset((
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "errno",
    "fractions", "functools", "hashlib", "heapq", "inspect", "io", "itertools", "json", "keyword",
    "locale", "logging", "math", "numbers", "operator", "os", "pathlib", "pprint", "queue", "random",
    "re", "select", "shutil", "signal", "socket", "statistics", "string", "struct", "subprocess", "sys",
    "tempfile", "textwrap", "threading", "time", "timeit", "traceback", "types", "typing", "unicodedata",
    "uuid", "warnings", "weakref", "zlib",
))
# fmt: on
_IMPORT = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([\w., \t]{1,200})", re.MULTILINE)


def preload(files: dict[str, bytes]) -> None:
    """Import the harmless standard modules that these Python files seem to import."""
    own = {name.removesuffix(".py").split("/")[0] for name in files}
    for text in files.values():
        for match in _IMPORT.finditer(text):
            for word in re.split(rb"[ ,\t]+", match[1]):
                name = word.decode("ascii", "ignore").split(".")[0]
                if name in _HARMLESS and name not in own:
                    __import__(name)
    if not own.isdisjoint(sys.stdlib_module_names):
        return  # a file of the bot's has a standard module's name: leave the order of imports alone
    for name in ("random", "collections", "math", "traceback"):
        __import__(name)


def settle() -> None:
    """Call once everything is imported: a fork then copies fewer pages."""
    gc.collect()
    gc.freeze()


def compiled(source: bytes, name: str) -> bytes:
    """The code of a Python file as bytes. Run this only where its failure harms nobody."""
    return marshal.dumps(compile(source, f"{WORK}/{name}", "exec", dont_inherit=True))


def run(setup: Setup, args: list[str]) -> NoReturn:
    """Become the bot. Called in a forked child whose descriptors 0, 1 and 2 are the bot's."""
    assert setup.python is not None
    path = f"{WORK}/{setup.python}"
    status = 1
    try:
        _become_main(path, [setup.python, *args])
        status = _execute(_code(setup, path))
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        status = _flush(status)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        os._exit(status)


def _become_main(path: str, argv: list[str]) -> None:
    for name in [name for name in sys.modules if name == "inside" or name.startswith("inside.")]:
        del sys.modules[name]
    sys.path[:] = [os.path.dirname(path), *(entry for entry in sys.path if entry != "/agent.zip")]
    sys.path_importer_cache.clear()
    sys.argv = argv
    sys.orig_argv = ["python3", *argv]
    sys.stdin = sys.__stdin__ = _stream(0, "r", "surrogateescape")
    sys.stdout = sys.__stdout__ = _stream(1, "w", "surrogateescape")
    sys.stderr = sys.__stderr__ = _stream(2, "w", "backslashreplace")
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main


def _stream(fd: int, mode: str, errors: str) -> io.TextIOWrapper:
    stream = open(fd, mode, encoding="utf-8", errors=errors, closefd=False, buffering=-1)  # noqa: SIM115
    assert isinstance(stream, io.TextIOWrapper)
    if fd == 2:
        stream.reconfigure(line_buffering=True)
    return stream


def _code(setup: Setup, path: str) -> types.CodeType:
    if setup.code is not None:
        code = marshal.loads(setup.code)
        assert isinstance(code, types.CodeType)
        return code
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def _execute(code: types.CodeType) -> int:
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
