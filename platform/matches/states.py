"""The states of a match, and the only ways to change one.

queued -> running -> finished
  |  ^       |
  |  +-------+          a lost or failed attempt is queued again; the third one makes it void
  v  |       |
 held        +-> void   a paused tournament's matches are held

Each of queued, held and running may also become `withdrawn`: it will not be played, which nobody's failure
is. Its tournament was cancelled, or one of its bots has left play (pipeline.leaving_play). A withdrawn match
of a tournament is queued or held again if its bot is let play again.
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.db import transitions

if TYPE_CHECKING:
    from matches.models import Match


class State(models.TextChoices):
    QUEUED = "queued", _("queued")
    HELD = "held", _("held")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    VOID = "void", _("void")
    WITHDRAWN = "withdrawn", _("withdrawn")


TRANSITIONS: transitions.Table = {
    State.QUEUED: frozenset({State.RUNNING, State.HELD, State.WITHDRAWN}),
    State.HELD: frozenset({State.QUEUED, State.WITHDRAWN}),
    State.RUNNING: frozenset({State.FINISHED, State.QUEUED, State.HELD, State.VOID, State.WITHDRAWN}),
    State.FINISHED: frozenset(),
    State.VOID: frozenset(),
    State.WITHDRAWN: frozenset({State.QUEUED, State.HELD}),
}
OVER = (State.FINISHED, State.VOID, State.WITHDRAWN)


def move(match: "Match", wanted: State, **changes: Any) -> "Match":
    """Change the state of `match`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(TRANSITIONS, match, wanted, **changes)


def move_all(matches: "models.QuerySet[Match]", found: State, wanted: State, **changes: Any) -> int:
    """Change the state of all of `matches` that are `found`; how many. Raises ValueError if illegal."""
    if wanted not in TRANSITIONS[found]:
        raise ValueError(f"a match that is {found} cannot become {wanted}")
    return matches.filter(state=found).update(state=wanted, **changes)
