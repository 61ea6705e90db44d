"""Updates many rows to different values with one statement, much faster than Django's bulk_update."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models


def update_rows(
    model: type[models.Model], keys: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Set `columns` of the rows with these `keys`.

    rows: (*keys, *columns) of each row, as values that the database driver accepts.
    """
    if not rows:
        return
    table = model._meta.db_table
    given = (*keys, *columns)
    placeholders = f"({', '.join(['%s'] * len(given))})"
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH given ({', '.join(given)}) AS (VALUES {', '.join([placeholders] * len(rows))})"
            f" UPDATE {table} AS changed SET {', '.join(_assigned(model, name) for name in columns)}"
            f" FROM given WHERE {' AND '.join(f'changed.{name} = given.{name}' for name in keys)}",
            [value for row in rows for value in row],
        )


def _assigned(model: type[models.Model], name: str) -> str:
    """The assignment to a column. PostgreSQL takes JSON, and NULL-only columns, in VALUES for text: cast."""
    if connection.vendor != "postgresql":
        return f"{name} = given.{name}"
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return f"{name} = CAST(given.{name} AS {field.cast_db_type(connection)})"
