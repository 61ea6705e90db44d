"""Points to grades, and the files that take them to a spreadsheet, to Moodle and to Canvas.

Students go by their numbers, which come first where the reader lets them. No cell is a formula. A milestone
without a verdict is an empty cell, which is not 0.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from agon.contest.text import escape_controls, escape_formula

BOM = "\ufeff"  # by which spreadsheets know that a file is UTF-8
_CANVAS_ID = re.compile(r"\((\d+)\)$")  # Canvas takes a number at the end of a heading for one of its own ids

# Headings that Canvas takes for columns of its own, of students or of what it computes.
_OF_CANVAS = re.compile(
    r"student|id|sis (user|login) id|integration id|root account|section|notes"
    r"|(unposted )?(current|final) (score|grade|points)|override (score|grade|status)",
    re.IGNORECASE,
)
_OF_TABLE = re.compile(r"id|name|email|group|total|grade", re.IGNORECASE)  # headings of to_csv itself
_OF_MOODLE = re.compile(r"id number|email address", re.IGNORECASE)


class BadScale(ValueError):
    """Thresholds that are no scale."""


@dataclass(frozen=True)
class Threshold:
    """grade: of those who have at least `points`."""

    points: Decimal
    grade: str


@dataclass(frozen=True)
class Scale:
    """thresholds: from the best grade to the worst one."""

    thresholds: tuple[Threshold, ...]

    def __post_init__(self) -> None:
        for better, worse in zip(self.thresholds, self.thresholds[1:], strict=False):
            if worse.points >= better.points:
                raise BadScale(
                    f"points of {worse.grade}: expected less than {better.points:f}, got {worse.points:f}"
                )

    def grade(self, points: Decimal) -> str:
        """The grade for `points`; "" below the last threshold."""
        reached = (threshold.grade for threshold in self.thresholds if points >= threshold.points)
        return next(reached, "")


@dataclass(frozen=True)
class Item:
    """A milestone. points: the most that it gives."""

    title: str
    points: Decimal


@dataclass(frozen=True)
class Row:
    """A student. points: for each item, None without a verdict."""

    number: str
    name: str
    email: str
    group: str
    points: tuple[Decimal | None, ...]

    @property
    def total(self) -> Decimal:
        return sum((point for point in self.points if point is not None), Decimal(0))


def to_csv(items: Sequence[Item], rows: Iterable[Row], scale: Scale) -> str:
    """For spreadsheets: the points for each milestone, their sum, and its grade."""
    head = ["id", "name", "email", "group", *_headings(items, _OF_TABLE), "total", "grade"]
    lines = (
        [row.number, row.name, row.email, row.group, *row.points, row.total, scale.grade(row.total)]
        for row in rows
    )
    return BOM + _csv([head, *lines])


def to_moodle(items: Sequence[Item], rows: Iterable[Row]) -> str:
    """For *Import, CSV file* of Moodle's grades, which finds a student by *ID number* or *Email address*."""
    lines = ([row.number, row.email, *row.points] for row in rows)
    return BOM + _csv([["ID number", "Email address", *_headings(items, _OF_MOODLE)], *lines])


def to_canvas(items: Sequence[Item], rows: Iterable[Row]) -> str:
    """For *Import* of Canvas's gradebook, which finds a student by *SIS User ID*.

    Its first columns and their order are Canvas's.
    """
    without_ids = [replace(item, title=_CANVAS_ID.sub(r"[\1]", item.title)) for item in items]
    headings = _headings(without_ids, _OF_CANVAS)
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *headings]
    most: list[str | Decimal | None] = [
        "    Points Possible",
        "",
        "",
        "",
        "",
        *(item.points for item in items),
    ]
    lines = ([row.name, "", row.number, "", row.group, *row.points] for row in rows)
    return _csv([head, most, *lines])


def _headings(items: Sequence[Item], taken: re.Pattern[str]) -> list[str]:
    """The titles; equal ones get a number, because an import would take them for one column.

    taken: headings of other columns, with which these would be confused.
    """
    headings: list[str] = []
    for item in items:
        title = f"{item.title} (milestone)" if taken.fullmatch(item.title.strip()) else item.title
        title = _cell(title)
        heading, number = title, 2
        while heading in headings:
            heading, number = f"{title} {number}", number + 1
        headings.append(heading)
    return headings


def _csv(lines: Iterable[Sequence[str | Decimal | None]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def _cell(value: str | Decimal | None) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    return escape_formula(escape_controls(value or ""))
