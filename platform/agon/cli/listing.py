"""Prints the items of a list: as a table, as one JSON document, or the chosen fields of each."""

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from agon.cli.output import CommandError, print_json
from agon.cli.terminal import print_table
from agon.contest.text import escape_formula

_FORMAT = re.compile(r"(json|csv)\(([\w.,\s]+)\)")

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="`json(id,state)`: these fields of each, as a line of JSON. `csv(id,state)`: as CSV.",
    ),
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1_000_000, help="At most so many.")]


def print_items(
    items: Iterable[Mapping[str, Any]], columns: Sequence[str], limit: int, as_json: bool, format: str | None
) -> None:
    """Print at most `limit` items. columns: of the table; a dot leads into an object: `row.rating`."""
    shown = islice(items, limit)
    if format is not None:
        _print_fields(shown, format)
    elif as_json:
        print_json(list(shown))
    else:
        rows = [[_text(field(item, column)) for column in columns] for item in shown]
        print_table([column.rpartition(".")[2] for column in columns], rows)


def field(item: Any, path: str) -> Any:
    """The value at `path`; None if there is none."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item


def _print_fields(items: Iterator[Mapping[str, Any]], format: str) -> None:
    given = _FORMAT.fullmatch(format.strip())
    if given is None:
        raise CommandError(f'--format: expected "json(FIELD,...)" or "csv(FIELD,...)", got {format!r}')
    names = [name.strip() for name in given[2].split(",") if name.strip()]
    if given[1] == "json":
        for item in items:
            print(json.dumps({name: field(item, name) for name in names}, ensure_ascii=False))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([escape_formula(_text(field(item, name))) for name in names] for item in items)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
