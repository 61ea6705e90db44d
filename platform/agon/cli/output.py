"""How commands print and fail: results go to stdout, everything else to stderr."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agon.contest.text import escape_controls

INTERNAL_ERROR = 1
BAD_ARGUMENTS = 2
NO_SANDBOX = 3
INTERRUPTED = 130


class CommandError(Exception):
    """End the command: str(e) goes to stderr, `code` is the exit code."""

    def __init__(self, message: str, code: int = BAD_ARGUMENTS) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def file_errors(what: str) -> Iterator[None]:
    """Within the block, a file that cannot be read or written ends the command: `what`, and why."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{what}: {error.strerror or error}") from None


class OutputFull(Exception):
    """Standard output cannot be written. unwritten: what was to be printed last."""

    def __init__(self, error: OSError, unwritten: str = "") -> None:
        super().__init__(f"standard output cannot be written: {error.strerror}")
        self.unwritten = unwritten


def prepare_output() -> None:
    """Make standard output take every character. Raises CommandError if it is closed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the process ends)
    if sys.stdout is None:
        raise CommandError("standard output is closed: expected a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def put(text: str) -> None:
    """Print to standard output at once, so that what cannot be printed can be said elsewhere."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFull(error, text) from error


def flush_output() -> None:
    """Write what was printed and is still in a buffer. Raises OutputFull."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFull(error) from error


def report_full(error: OutputFull) -> None:
    """Say on standard error that nothing can be printed, and what was to be printed."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())  # the buffer is written once more when the process ends
    os.close(nothing)
    say(str(error))
    if error.unwritten:
        say("this was to be printed:")
        print(error.unwritten, file=sys.stderr, flush=True)


def say(message: str) -> None:
    """Print a line to stderr."""
    print(f"agon: {escape_controls(message)}", file=sys.stderr, flush=True)


def show(text: str) -> None:
    """Print text that a site has sent to stdout: a terminal would obey its control characters."""
    put(escape_controls(text))


def print_json(document: Any) -> None:
    """Print the one document of --json to stdout."""
    put(json.dumps(document, indent=2, ensure_ascii=False))
