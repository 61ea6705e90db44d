"""The states of a tournament, and the only way to change one.

draft -> running <-> paused
  |         |  \\       |
  |         |   +-> cancelled
  |         v        ^
  |      finished    |
  +------------------+
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.db import transitions

if TYPE_CHECKING:
    from tournaments.models import Tournament


class State(models.TextChoices):
    DRAFT = "draft", _("draft")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")


TRANSITIONS: transitions.Table = {
    State.DRAFT: frozenset({State.RUNNING, State.CANCELLED}),
    State.RUNNING: frozenset({State.PAUSED, State.FINISHED, State.CANCELLED}),
    State.PAUSED: frozenset({State.RUNNING, State.CANCELLED}),
    State.FINISHED: frozenset(),
    State.CANCELLED: frozenset(),
}
OVER = (State.FINISHED, State.CANCELLED)


def move(tournament: "Tournament", wanted: State, **changes: Any) -> "Tournament":
    """Change the state of `tournament`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(TRANSITIONS, tournament, wanted, **changes)
