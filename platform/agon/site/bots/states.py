"""The states of a submission and of a bot, and the transitions between them.

    received -> building -> built -> qualifying -> active -> replaced
                   |                     |          |  ^
                   +---> rejected <------+          v  |
                            |                       out
                            v
                         removed

`building -> received` and `qualifying -> built` are the platform's failures: retried, no fault of the
bot. `out`: the bot of an active submission left play; it may return. When a bot leaves play, its
submissions that are still being built or tried are rejected.
The one version of a bot at home (agon.site.bots.at_home) is always `home`: there is nothing to build.

    entered <-> withdrawn       by its owner
       ^ |          |
       | v          v
     stopped --> deleted        stopped and released by an administrator,
                                or stopped by the rule for void matches

agon.site.use_cases.leaving_play makes the transitions of a bot, with all that follows from each.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


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
    HOME = "home", pgettext_lazy("version of a bot", "at home")


PENDING = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING)
COMPETED = (State.ACTIVE, State.REPLACED, State.OUT)
FAILED = (State.REJECTED, State.REMOVED)

START_BUILD = transition("build", State.RECEIVED, to=State.BUILDING)
FINISH_BUILD = transition("finish the build of", State.BUILDING, to=State.BUILT)
RETRY_BUILD = transition("build again", State.BUILDING, to=State.RECEIVED)
QUALIFY = transition("qualify", State.BUILT, to=State.QUALIFYING)
RETRY_QUALIFICATION = transition("qualify again", State.QUALIFYING, to=State.BUILT)
ACTIVATE = transition("activate", State.QUALIFYING, to=State.ACTIVE)
REJECT = transition("reject", *PENDING, to=State.REJECTED)
# From qualifying: a newer submission of the same bot became active while this one was on trial.
REPLACE = transition("replace", State.QUALIFYING, State.ACTIVE, to=State.REPLACED)
LEAVE = transition("take out", State.ACTIVE, to=State.OUT)
RETURN = transition("bring back", State.OUT, to=State.ACTIVE)
REMOVE = transition("remove", State.REJECTED, to=State.REMOVED)
SUBMISSION_TRANSITIONS = (
    *(START_BUILD, FINISH_BUILD, RETRY_BUILD, QUALIFY, RETRY_QUALIFICATION, ACTIVATE),
    *(REJECT, REPLACE, LEAVE, RETURN, REMOVE),
)


class BotState(models.TextChoices):
    ENTERED = "entered", _("entered")
    WITHDRAWN = "withdrawn", _("withdrawn")
    STOPPED = "stopped", _("stopped")
    DELETED = "deleted", _("deleted")


WITHDRAW = transition("withdraw", BotState.ENTERED, to=BotState.WITHDRAWN)
REENTER = transition("enter again", BotState.WITHDRAWN, to=BotState.ENTERED)
STOP = transition("stop", BotState.ENTERED, BotState.WITHDRAWN, to=BotState.STOPPED)
RELEASE = transition("release", BotState.STOPPED, to=BotState.ENTERED)
DELETE = transition("delete", BotState.ENTERED, BotState.WITHDRAWN, BotState.STOPPED, to=BotState.DELETED)
BOT_TRANSITIONS = (WITHDRAW, REENTER, STOP, RELEASE, DELETE)
