"""What operators have the workers do at once."""

from django.db import transaction

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.workers import tasks


@transaction.atomic
def sweep_now(by: User, why: str) -> None:
    """Have a worker give back what dead ones held and do what is due, as the scheduler has every few seconds.

    Without a worker nothing happens.
    """
    acts.record(Verb.SWEEP, by, None, subject="sweep", reason=why)
    transaction.on_commit(lambda: tasks.sweep.apply_async(queue=tasks.CHORES, retry=False), robust=True)
