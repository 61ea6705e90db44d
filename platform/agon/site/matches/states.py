"""The states of a match, and the transitions between them.

    queued -> running -> finished
      |  ^       |
      |  +-------+          a lost or failed attempt is queued again; the third one makes the match void
      v  |       |
     held        +-> void   matches of a paused tournament are held

A queued, held or running match may also be `withdrawn`: it will not be played, and that is no failure.
Its tournament was cancelled, or one of its bots left play (agon.site.use_cases.leaving_play); for a rated
match, it was stopped. A withdrawn match of a tournament is queued or held again if its bot is released.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    QUEUED = "queued", _("queued")
    HELD = "held", _("held")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    VOID = "void", _("void")
    WITHDRAWN = "withdrawn", _("withdrawn")


OVER = (State.FINISHED, State.VOID, State.WITHDRAWN)
GOING_ON = (State.QUEUED, State.HELD, State.RUNNING)

CLAIM = transition("claim", State.QUEUED, to=State.RUNNING)
FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
REQUEUE = transition("queue again", State.RUNNING, to=State.QUEUED)
GIVE_UP = transition("give up", State.RUNNING, to=State.VOID)
HOLD = transition("hold", State.QUEUED, to=State.HELD)
HOLD_AGAIN = transition("hold again", State.RUNNING, to=State.HELD)
RESUME = transition("resume", State.HELD, to=State.QUEUED)
WITHDRAW = transition("withdraw", State.QUEUED, State.HELD, State.RUNNING, to=State.WITHDRAWN)
RESTORE = transition("restore", State.WITHDRAWN, to=State.QUEUED)
RESTORE_HELD = transition("restore and hold", State.WITHDRAWN, to=State.HELD)
TRANSITIONS = (CLAIM, FINISH, REQUEUE, GIVE_UP, HOLD, HOLD_AGAIN, RESUME, WITHDRAW, RESTORE, RESTORE_HELD)


class AskState(models.TextChoices):
    """Of what a bot at home is asked: open -> answered, or late if it is no longer waited for."""

    OPEN = "open"
    ANSWERED = "answered"
    LATE = "late"


ANSWER = transition("answer", AskState.OPEN, to=AskState.ANSWERED)
CLOSE = transition("close", AskState.OPEN, to=AskState.LATE)
