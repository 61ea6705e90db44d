"""Prints tables and progress bars.

rich is imported in the functions that use it: importing it takes a third of the time of `agon games --json`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agon.cli.output import put
from agon.contest.text import escape_controls

if TYPE_CHECKING:
    from rich.progress import Progress

_WIDE = 1000  # columns, if stdout is not a terminal, so that no line is wrapped


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table to stdout. Text of bots in the cells is shown as it is, not interpreted as markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, justify="left")
    for row in rows:
        table.add_row(*(Text(escape_controls(str(cell))) for cell in row))
    is_terminal, printed = sys.stdout.isatty(), io.StringIO()
    Console(file=printed, force_terminal=is_terminal, width=None if is_terminal else _WIDE).print(table)
    put("\n".join(line.rstrip() for line in printed.getvalue().splitlines()))


def progress() -> Progress:
    """A progress bar on stderr; shows nothing if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
