"""How many bytes uploads and built bots may take: of an account, a competition, the site.

House bots are the site's own and do not count. Limits are checked when an upload is received, and again
when it is built. The caller locks the account's row meanwhile, so that two uploads of an account do not
both use the same room. Builds that end at the same moment may exceed the limits of competition and site.
"""

from django.conf import settings
from django.db.models import F, Q, QuerySet, Sum
from django.utils.translation import gettext_noop

from agon.site.bots.models import Bot, Submission
from agon.site.core import disk_space
from sandbox.reason import Reason

MIB = 1 << 20


def used(submissions: QuerySet[Submission]) -> int:
    """The bytes that these submissions take in the storage."""
    return submissions.aggregate(bytes=Sum(F("source_bytes") + F("artifact_bytes")))["bytes"] or 0


def of_account(bot: Bot, more: int) -> Reason | None:
    """Why `bot`'s owner may not store `more` bytes; None if they may."""
    return _refusal(
        Q(bot__owner=bot.owner_id),
        more,
        settings.AGON_ACCOUNT_MIB,
        gettext_noop(
            "Your bots use %(used)s of the %(most)d MiB allowed per account; this upload needs %(more)s MiB"
        ),
    )


def of_others(bot: Bot, more: int) -> Reason | None:
    """Why the competition, the site or the disk has no room for `more` bytes of `bot`; None if they have."""
    return (
        _refusal(
            Q(bot__competition=bot.competition_id),
            more,
            settings.AGON_COMPETITION_MIB,
            gettext_noop(
                "This competition has no storage left for more bots: they use %(used)s of %(most)d MiB"
            ),
        )
        or _refusal(
            Q(),
            more,
            settings.AGON_SITE_MIB,
            gettext_noop("This site has no storage left for more bots: they use %(used)s of %(most)d MiB"),
        )
        or (Reason(DISK_FULL) if disk_space.shortage() else None)
    )


DISK_FULL = gettext_noop("This site's disk is nearly full; uploads are accepted again when there is space")


def _refusal(whose: Q, more: int, most: int, text: str) -> Reason | None:
    total = used(Submission.objects.filter(whose, bot__house=False))
    if total + more <= most * MIB:
        return None
    return Reason(text, used=f"{total / MIB:.1f}", more=f"{more / MIB:.1f}", most=most)
