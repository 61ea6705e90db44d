"""People and results of a competition on another site, as its export has them: tables of text.

Nothing computes with them, they name no account and no bot of this site, and they were not checked here.
Their page says so. A private one has names, and is for those who run the competition.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.competitions.models import Competition, CompetitionDraft, PastTable

MOST_TABLES = 200
MOST_COLUMNS = 80
MOST_ROWS = 20_000
LONGEST = 300  # characters of a cell, a title and a source


class BadTable(ValueError):
    """A table that cannot be stored; str(e) says what was expected, and what was got."""


class Table(NamedTuple):
    """source: the address of the site that says so. columns: their headings."""

    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_private: bool = False


def cell(value: object) -> str:
    """A value as the text of a cell: one line, without control characters."""
    return escape_controls(" ".join(str(value).split()))[:LONGEST].rstrip()


def to_json(table: Table) -> dict[str, object]:
    return {**table._asdict(), "columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def from_json(value: object) -> Table:
    """The table that `value`, which a stranger wrote, describes. Raises BadTable."""
    if not isinstance(value, dict) or set(value) != set(Table._fields):
        raise BadTable(_("Expected a table with the fields %(names)s.") % {"names": ", ".join(Table._fields)})
    columns, rows, is_private = value["columns"], value["rows"], value["is_private"]
    if not isinstance(is_private, bool) or not isinstance(rows, list):
        raise BadTable(_("Expected a list of rows, and whether they are private."))
    if not _is_row(columns) or not 1 <= len(columns) <= MOST_COLUMNS or len(rows) > MOST_ROWS:
        words = _("Expected 1 to %(columns)d headings and at most %(rows)d rows.")
        raise BadTable(words % {"columns": MOST_COLUMNS, "rows": MOST_ROWS})
    if not _is_row([value["title"], value["source"]]):
        words = _("Expected a title and a source, each of at most %(most)d characters.")
        raise BadTable(words % {"most": LONGEST})
    for number, row in enumerate(rows, 1):
        if not _is_row(row) or len(row) != len(columns):
            words = _("Row %(number)d of a table: expected %(columns)d texts of at most %(most)d characters.")
            raise BadTable(words % {"number": number, "columns": len(columns), "most": LONGEST})
    return Table(value["title"], value["source"], tuple(columns), tuple(map(tuple, rows)), is_private)


def store(tables: Sequence[Table], draft: CompetitionDraft) -> None:
    """Keep imported tables with a draft, until it becomes a competition."""
    PastTable.objects.bulk_create(
        PastTable(draft=draft, number=number, **to_json(table)) for number, table in enumerate(tables)
    )


def take_over(draft: CompetitionDraft, competition: Competition) -> None:
    """Give the tables of a draft to the competition that it has become."""
    PastTable.objects.filter(draft=draft).update(draft=None, competition=competition)


def tables_of(competition: Competition) -> list[Table]:
    """All that were imported, in their order."""
    return list(map(_table, competition.past.all()))


def shown(competition: Competition, may_run: bool) -> QuerySet[PastTable]:
    """Those that a reader may see."""
    return competition.past.all() if may_run else competition.past.filter(is_private=False)


def _table(stored: PastTable) -> Table:
    rows: Iterable[list[str]] = stored.rows
    return Table(
        stored.title, stored.source, tuple(stored.columns), tuple(map(tuple, rows)), stored.is_private
    )


def _is_row(value: object) -> bool:
    """Whether `value` is a list of cells, as `cell` makes them."""
    return isinstance(value, list) and all(
        isinstance(cell_text, str) and cell_text == cell(cell_text) for cell_text in value
    )
