"""Formats measured figures: lines for the terminal, tables for docs/explanations/performance.md."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Line

PAGE = Path(__file__).parent.parent / "docs" / "explanations" / "performance.md"
WORDS = {True: "met", False: "NOT MET", None: ""}


def machine() -> str:
    """The date, the machine, and its load before the run."""
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    facts = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"{os.cpu_count()} x {found[1] if found else platform.machine()}",
        f"Linux {platform.release()}",
        f"Python {platform.python_version()}",
        f"load before {os.getloadavg()[0]:.1f}",
    )
    return ", ".join(facts)


def shown(line: Line) -> str:
    """One line for the terminal."""
    sides = " : ".join(filter(None, (line.ours, line.theirs)))
    figures = f"{line.figure:>9}  {line.spread:<17}{line.target:<11}{WORDS[line.met]:<9}"
    return f"{figures}{line.what}{f'  ({sides})' if sides else ''}"


def table(lines: Sequence[Line]) -> str:
    """A Markdown table."""
    rows = ["| | measured | middle half | wanted | | Agon | beside it |", "|---|---|---|---|---|---|---|"]
    for line in lines:
        cells = (
            line.what,
            line.figure,
            line.spread,
            line.target,
            WORDS[line.met],
            line.ours,
            line.theirs,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def summary(lines: Sequence[Line]) -> str:
    wanted = [line for line in lines if line.met is not None]
    return f"{sum(bool(line.met) for line in wanted)} of {len(wanted)} targets met."


def rewrite(name: str, text: str) -> None:
    """Replace the text between the markers with this name in docs/explanations/performance.md."""
    page = PAGE.read_text()
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{PAGE.name}: expected the marks {begin} and {end}")
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
