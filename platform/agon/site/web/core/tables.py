"""Tables as files for spreadsheets and programs."""

import csv
import io
from collections.abc import Iterable

from agon.contest.text import escape_formula


def as_csv(rows: Iterable[Iterable[object]], line_end: str = "\n") -> str:
    """The rows as CSV. A text that a spreadsheet would compute stays a text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerows(
        [escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return text.getvalue()
