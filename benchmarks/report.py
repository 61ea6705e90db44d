"""Formats measured figures: lines for the terminal, and files in benchmarks/results for the documents."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Line

RESULTS = Path(__file__).parent / "results"
WORDS = {True: "met", False: "NOT MET", None: ""}
_TEXTS = re.compile(r"\[\n[^\[\]{}]*\n *\]")  # a list that holds no other, as indented JSON
COLUMNS = ("what", "measured", "middle half", "wanted", "met", "Agon", "beside it")


@dataclass(frozen=True)
class Table:
    """A table of figures as text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def machine() -> str:
    """The date, the machine, and its load before the run."""
    on = host()
    facts = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"{on['cores']} x {on['processor']}",
        f"Linux {on['kernel']}",
        f"Python {on['python']}",
        f"load before {os.getloadavg()[0]:.1f}",
    )
    return ", ".join(facts)


def host() -> dict[str, str | int]:
    """What figures depend on; not the host's name."""
    matched = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "cores": os.cpu_count() or 1,
        "processor": matched[1] if matched else platform.machine(),
        "kernel": platform.release().partition("-")[0],
        "python": platform.python_version(),
    }


def shown(line: Line) -> str:
    """One line for the terminal."""
    sides = " : ".join(filter(None, (line.ours, line.theirs)))
    figures = f"{line.figure:>9}  {line.spread:<17}{line.target:<11}{WORDS[line.met]:<9}"
    return f"{figures}{line.what}{f'  ({sides})' if sides else ''}"


def table(lines: Sequence[Line]) -> Table:
    rows = [
        (line.what, line.figure, line.spread, line.target, WORDS[line.met], line.ours, line.theirs)
        for line in lines
    ]
    return Table(COLUMNS, rows)


def summary(lines: Sequence[Line]) -> str:
    wanted = [line for line in lines if line.met is not None]
    return f"{sum(bool(line.met) for line in wanted)} of {len(wanted)} targets met."


def save(
    name: str,
    command: str,
    conditions: str,
    tables: Mapping[str, Table],
    targets: Sequence[Mapping[str, str]] = (),
) -> None:
    """Keep the figures of a run in benchmarks/results, in place of those of an earlier one.

    targets: what, measured, wanted; where they are not a column of the tables.
    """
    commit = ["git", "rev-parse", "--short=8", "HEAD"]
    result: dict[str, object] = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": subprocess.run(commit, capture_output=True, text=True, check=True).stdout.strip(),
        "host": host(),
        "command": command,
        "conditions": conditions,
        "tables": {
            key: {"columns": columns_and_rows.columns, "rows": columns_and_rows.rows}
            for key, columns_and_rows in tables.items()
        },
    }
    if targets:
        result["targets"] = targets
    (RESULTS / f"{name}.json").write_text(_one_line_for_each_row(result), encoding="utf-8")


def _one_line_for_each_row(result: object) -> str:
    text = json.dumps(result, indent=2, ensure_ascii=False)
    return (
        _TEXTS.sub(lambda row: re.sub(r"\n *", " ", row[0]).replace("[ ", "[").replace(" ]", "]"), text)
        + "\n"
    )
