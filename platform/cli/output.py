"""What the commands print: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from contest.text import escape_controls

if TYPE_CHECKING:
    from rich.progress import Progress

BAD_ARGUMENTS = 2
NO_SANDBOX = 3
INTERRUPTED = 130
_WIDE = 1000  # columns where nobody's terminal sets a limit


class Stop(Exception):
    """End the command: str(e) goes to stderr, `code` is the exit code."""

    def __init__(self, words: str, code: int = BAD_ARGUMENTS) -> None:
        super().__init__(words)
        self.code = code


def say(words: str) -> None:
    """A line on stderr."""
    print(f"agon: {escape_controls(words)}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """The one document of --json."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table for people; whatever bots wrote into it is shown, not interpreted."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, justify="left")
    for row in rows:
        table.add_row(*(Text(escape_controls(str(cell))) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    with console.capture() as printed:
        console.print(table)
    print("\n".join(line.rstrip() for line in printed.get().splitlines()))


def progress() -> Progress:
    """A progress bar on stderr, silent where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
