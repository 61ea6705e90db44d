"""Changing the state of a row, in one way for every state machine.

A state machine is a table {state: the states that may follow}. A change is checked against the row as it is
in the database now (locked: `select_for_update` on PostgreSQL, the IMMEDIATE transaction on SQLite), never
against the copy in hand, so that of two processes that want to change the same row the second sees what the
first has done.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import models, transaction

Row = TypeVar("Row", bound=models.Model)
Table = Mapping[str, frozenset[str]]


class IllegalTransition(Exception):
    """The row is in a state from which the wanted one cannot be reached. `found` is the state it is in."""

    def __init__(self, row: models.Model, found: str, wanted: str) -> None:
        super().__init__(f"{row._meta.verbose_name} {row.pk} is {found}, it cannot become {wanted}")
        self.found = found
        self.wanted = wanted


@transaction.atomic
def move(table: Table, row: Row, wanted: str, **changes: Any) -> Row:
    """Move `row` to the state `wanted` and set `changes` with it. The row as it now is;
    `row` is changed likewise.

    Raises IllegalTransition where `table` does not allow it.
    """
    current = type(row)._default_manager.select_for_update().get(pk=row.pk)
    found = current.state  # type: ignore[attr-defined]
    if wanted not in table[found]:
        raise IllegalTransition(row, found, wanted)
    for name, value in {**changes, "state": wanted}.items():
        setattr(current, name, value)
        setattr(row, name, value)
    current.save(update_fields=["state", *changes])
    return current
