"""State machines: a row changes its state by a named transition, and in no other way.

The transitions of a model are listed in its app's states.py. Each names the states that it may start from and
the one that it leads to. A transition is checked against the row as it is in the database now (locked:
`select_for_update` on PostgreSQL, the IMMEDIATE transaction on SQLite), never against the copy in hand. Of
two processes that want to change the same row, the second one sees what the first one did. Locks are taken
with `no_key=True`: otherwise a row that refers to a locked one waits for it, and cancelling a tournament,
which locks the tournament before its matches, deadlocks with a result, which locks a match first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from django.db import models, transaction


@dataclass(frozen=True)
class Transition:
    """The change `name` leads from any of the states `sources` to the state `target`."""

    name: str
    sources: frozenset[str]
    target: str


def transition(name: str, *sources: str, to: str) -> Transition:
    return Transition(name, frozenset(sources), to)


Observer = Callable[[Any, Transition], None]
_observers: dict[type[models.Model], list[Observer]] = {}


def observe(model: type[models.Model], observer: Observer) -> None:
    """Call `observer` with each row that `move` moves, in its transaction; not with those of `move_all`."""
    _observers.setdefault(model, []).append(observer)


class IllegalTransition(Exception):
    """The row is in the state `actual`, from which `transition` does not start."""

    def __init__(self, row: models.Model, actual: str, transition: Transition) -> None:
        super().__init__(f"{row._meta.verbose_name} {row.pk} is {actual}: cannot {transition.name} it")
        self.actual = actual
        self.transition = transition


class Stateful(models.Model):
    """A model with a `state`, which only `move` and `move_all` change."""

    state: str

    class Meta:
        abstract = True

    @transaction.atomic
    def move(self, transition: Transition, **changes: Any) -> Self:
        """Make a transition, and write the fields `changes` with it. Returns the row as it now is.

        `self` is changed likewise. Raises IllegalTransition.
        """
        current = type(self)._default_manager.select_for_update(no_key=True).get(pk=self.pk)
        current.move_locked(transition, **changes)
        self._set(transition, changes)
        return current

    def move_locked(self, transition: Transition, **changes: Any) -> None:
        """The same for a row that the caller has locked and then read in the current transaction.

        Raises IllegalTransition.
        """
        if self.state not in transition.sources:
            raise IllegalTransition(self, self.state, transition)
        self._set(transition, changes)
        row: models.Model = self
        row.save(update_fields=["state", *changes])
        for observer in _observers.get(type(self), ()):
            observer(self, transition)

    def _set(self, transition: Transition, changes: dict[str, Any]) -> None:
        for name, value in {**changes, "state": transition.target}.items():
            setattr(self, name, value)


def move_all(rows: models.QuerySet[Any], transition: Transition, **changes: Any) -> int:
    """Make a transition with all of `rows` that are in one of its sources. Returns how many were moved."""
    to_move = rows.filter(state__in=transition.sources)
    return to_move.update(state=transition.target, **changes)
