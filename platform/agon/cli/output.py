"""How commands print and fail: results go to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
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


def say(message: str) -> None:
    """Print a line to stderr."""
    print(f"agon: {escape_controls(message)}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the one document of --json to stdout."""
    print(json.dumps(document, indent=2, ensure_ascii=False))
