"""Opens, closes and archives a competition.

An archived competition is over: no tournament starts by itself there. So while one is announced, archiving is
refused, and the organizer cancels it first, which its page shows with the reason. Who sees a result coming
cannot make it go away unseen.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.competitions.organizing import NotPossible
from agon.site.tournaments.states import State


@transaction.atomic
def set_state(competition: Competition, state: Competition.State, by: User, why: str) -> bool:
    """False if it is in that state already. Raises NotPossible."""
    changed = organizing.set_state(competition, state, by, why)
    if state == Competition.State.ARCHIVED:
        check_archivable(competition)
    return changed


def check_archivable(competition: Competition) -> None:
    """Raise NotPossible if a tournament of this competition is announced. Locks the competition."""
    Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
    announced = competition.tournaments.filter(state=State.DRAFT, starts_at__isnull=False)
    names = list(announced.order_by("starts_at").values_list("name", flat=True))
    if names:
        raise NotPossible(
            _("Announced: %(names)s. Cancel what is announced before you archive the competition.")
            % {"names": ", ".join(f"“{name}”" for name in names[:5])}
        )
