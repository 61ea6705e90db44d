"""The states of a submission, and the only way to change one.

    received -> building -> built -> qualifying -> active -> replaced
                   |                     |
                   +---> rejected <------+

`building -> received` and `qualifying -> built` are the platform's failures: tried again, no fault of the
bot.
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon import transitions

if TYPE_CHECKING:
    from bots.models import Submission


class State(models.TextChoices):
    RECEIVED = "received", _("received")
    BUILDING = "building", _("building")
    BUILT = "built", _("built")
    QUALIFYING = "qualifying", _("qualifying")
    ACTIVE = "active", _("active")
    REJECTED = "rejected", _("rejected")
    REPLACED = "replaced", _("replaced")


TRANSITIONS: transitions.Table = {
    State.RECEIVED: frozenset({State.BUILDING}),
    State.BUILDING: frozenset({State.BUILT, State.REJECTED, State.RECEIVED}),
    State.BUILT: frozenset({State.QUALIFYING}),
    # Straight to replaced: a newer submission of the same bot became active while this one was being tried.
    State.QUALIFYING: frozenset({State.ACTIVE, State.REJECTED, State.REPLACED, State.BUILT}),
    State.ACTIVE: frozenset({State.REPLACED}),
    State.REJECTED: frozenset(),
    State.REPLACED: frozenset(),
}
PENDING = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING)


def move(submission: "Submission", wanted: State, **changes: Any) -> "Submission":
    """Change the state of `submission`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(TRANSITIONS, submission, wanted, **changes)
