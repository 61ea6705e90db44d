"""How many submissions an owner, and a person with all of their teams, may make within an hour and have under
way. The caller has locked both.
"""

import math
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.refusal import Refused
from agon.site.bots.states import PENDING

HOUR = timedelta(hours=1)
PENDING_SECONDS = 10  # after which it is worth asking again whether builds have ended


def check(owner: User, author: User) -> None:
    """Check the owner's limits and the author's, so that ten teams are not ten quotas. Raises Refused."""
    _check(of_person(author), of_team=False)
    if author.pk != owner.pk:
        _check(Submission.objects.filter(bot__owner=owner), of_team=True)


def of_person(author: User) -> QuerySet[Submission]:
    """What a person has uploaded, for themselves and for teams."""
    return Submission.objects.filter(Q(author=author) | Q(author=None, bot__owner=author), bot__house=False)


def _check(theirs: QuerySet[Submission], of_team: bool) -> None:
    if theirs.filter(state__in=PENDING).count() >= settings.AGON_PENDING_PER_USER:
        pending = (
            _("%(count)d submissions of your team are still being built or tested. Wait for one to finish.")
            if of_team
            else _(
                "%(count)d of your submissions are still being built or tested. Wait for one of "
                "them to finish."
            )
        )
        raise Refused("", pending % {"count": settings.AGON_PENDING_PER_USER}, retry_after=PENDING_SECONDS)
    hour_ago = timezone.now() - HOUR
    latest = theirs.filter(created__gt=hour_ago).order_by("-created").values_list("created", flat=True)
    times = list(latest[: settings.AGON_SUBMISSIONS_PER_HOUR])
    if len(times) >= settings.AGON_SUBMISSIONS_PER_HOUR:
        made = (
            _("Your team has made %(count)d submissions within an hour. Wait before you make another.")
            if of_team
            else _("You have made %(count)d submissions within an hour. Wait before you make another.")
        )
        raise Refused(
            "",
            made % {"count": settings.AGON_SUBMISSIONS_PER_HOUR},
            retry_after=math.ceil((min(times, default=timezone.now()) - hour_ago).total_seconds()),
        )
