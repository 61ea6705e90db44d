"""The states of a submission and of a bot, and the only ways to change one.

    received -> building -> built -> qualifying -> active -> replaced
                   |                     |          |  ^
                   +---> rejected <------+          v  |
                            |                       out
                            v
                         removed

`building -> received` and `qualifying -> built` are the platform's failures: tried again, no fault of the
bot. `out`: the bot of an active submission has left play; it may return. A bot that leaves play rejects
its submissions that are still on their way.

    entered <-> withdrawn       by its owner
       ^ |          |
       | v          v
     stopped --> deleted        stopped, and let play again, by an administrator or by the rule for voids

pipeline.leaving_play says what goes with each change of a bot's state.
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.db import transitions

if TYPE_CHECKING:
    from bots.models import Bot, Submission


class State(models.TextChoices):
    RECEIVED = "received", _("received")
    BUILDING = "building", _("building")
    BUILT = "built", _("built")
    QUALIFYING = "qualifying", _("qualifying")
    ACTIVE = "active", _("active")
    REJECTED = "rejected", _("rejected")
    REPLACED = "replaced", _("replaced")
    OUT = "out", _("out of play")
    REMOVED = "removed", _("removed")


class BotState(models.TextChoices):
    ENTERED = "entered", _("entered")
    WITHDRAWN = "withdrawn", _("withdrawn")
    STOPPED = "stopped", _("stopped")
    DELETED = "deleted", _("deleted")


TRANSITIONS: transitions.Table = {
    State.RECEIVED: frozenset({State.BUILDING, State.REJECTED}),
    State.BUILDING: frozenset({State.BUILT, State.REJECTED, State.RECEIVED}),
    State.BUILT: frozenset({State.QUALIFYING, State.REJECTED}),
    # Straight to replaced: a newer submission of the same bot became active while this one was being tried.
    State.QUALIFYING: frozenset({State.ACTIVE, State.REJECTED, State.REPLACED, State.BUILT}),
    State.ACTIVE: frozenset({State.REPLACED, State.OUT}),
    State.REJECTED: frozenset({State.REMOVED}),
    State.REPLACED: frozenset(),
    State.OUT: frozenset({State.ACTIVE}),
    State.REMOVED: frozenset(),
}
BOT_TRANSITIONS: transitions.Table = {
    BotState.ENTERED: frozenset({BotState.WITHDRAWN, BotState.STOPPED, BotState.DELETED}),
    BotState.WITHDRAWN: frozenset({BotState.ENTERED, BotState.STOPPED, BotState.DELETED}),
    BotState.STOPPED: frozenset({BotState.ENTERED, BotState.DELETED}),
    BotState.DELETED: frozenset(),
}
PENDING = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING)


def move(submission: "Submission", wanted: State, **changes: Any) -> "Submission":
    """Change the state of `submission`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(TRANSITIONS, submission, wanted, **changes)


def move_bot(bot: "Bot", wanted: BotState, **changes: Any) -> "Bot":
    """Change the state of `bot`, and `changes` with it. Raises transitions.IllegalTransition."""
    return transitions.move(BOT_TRANSITIONS, bot, wanted, **changes)
