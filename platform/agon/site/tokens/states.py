"""The states of a device login, and the transitions between them.

    pending -> approved -> collected
       |
       +-----> refused

approved, refused: by the person whose account the program is to act as. collected: its token was made and
sent. A device login that expires stays as it is until it is forgotten.
"""

from django.db import models

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    """No page shows them."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    COLLECTED = "collected"


APPROVE = transition("approve", State.PENDING, to=State.APPROVED)
REFUSE = transition("refuse", State.PENDING, to=State.REFUSED)
COLLECT = transition("collect", State.APPROVED, to=State.COLLECTED)
TRANSITIONS = (APPROVE, REFUSE, COLLECT)
