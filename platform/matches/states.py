"""The states of a match, and the only ways to change one.

queued -> running -> finished
  |  ^       |
  |  +-------+          a lost or failed attempt is queued again; the third one makes it void
  v  |       |
 held        +-> void   a paused tournament's matches are held; a cancelled one's are void
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon import transitions

if TYPE_CHECKING:
    from matches.models import Match


class State(models.TextChoices):
    QUEUED = "queued", _("queued")
    HELD = "held", _("held")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    VOID = "void", _("void")


TRANSITIONS: transitions.Table = {
    State.QUEUED: frozenset({State.RUNNING, State.HELD, State.VOID}),
    State.HELD: frozenset({State.QUEUED, State.VOID}),
    State.RUNNING: frozenset({State.FINISHED, State.QUEUED, State.HELD, State.VOID}),
    State.FINISHED: frozenset(),
    State.VOID: frozenset(),
}
OVER = (State.FINISHED, State.VOID)


def move(match: "Match", wanted: State, **changes: Any) -> "Match":
    """Change the state of `match`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(TRANSITIONS, match, wanted, **changes)


def move_all(matches: "models.QuerySet[Match]", found: State, wanted: State, **changes: Any) -> int:
    """Change the state of all of `matches` that are `found`; how many. Raises ValueError if illegal."""
    if wanted not in TRANSITIONS[found]:
        raise ValueError(f"a match that is {found} cannot become {wanted}")
    return matches.filter(state=found).update(state=wanted, **changes)
