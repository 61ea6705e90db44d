"""How many bytes uploads and built bots may take: of an account, a competition, the site.

House bots are the site's own and do not count. Limits are checked when an upload is received, and again
when it is built. The caller locks the account's row meanwhile, so that two uploads of an account do not
both use the same room. Builds that end at the same moment may exceed the limits of competition and site.

Later uploads take no room of the account from a build: an author could have the last upload before a deadline
rejected by them, so that the one before it counts. So those under way at the same time may exceed its limit.
"""

from django.conf import settings
from django.db.models import F, Q, QuerySet, Sum

from agon.site.bots.models import Bot, Submission
from agon.site.core import disk_space
from games.core.reason import Reason

MIB = 1 << 20


def used(submissions: QuerySet[Submission]) -> int:
    """The bytes that these submissions take in the storage."""
    return submissions.aggregate(bytes=Sum(F("source_bytes") + F("artifact_bytes")))["bytes"] or 0


def of_account(bot: Bot, more: int, built: Submission | None = None) -> Reason | None:
    """Why `bot`'s owner may not store `more` bytes; None if they may.

    built: the version that these are the artifact of; None for a new upload.
    """
    theirs = Q(bot__owner=bot.owner_id)
    return _refusal(
        theirs if built is None else theirs & Q(pk__lte=built.pk),
        more,
        settings.AGON_ACCOUNT_MIB,
        "account_full",
    )


def of_others(bot: Bot, more: int) -> Reason | None:
    """Why the competition, the site or the disk has no room for `more` bytes of `bot`; None if they have."""
    return (
        _refusal(
            Q(bot__competition=bot.competition_id),
            more,
            settings.AGON_COMPETITION_MIB,
            "competition_full",
        )
        or _refusal(
            Q(),
            more,
            settings.AGON_SITE_MIB,
            "site_full",
        )
        or (Reason("disk_full") if disk_space.shortage() else None)
    )


def _refusal(whose: Q, more: int, most: int, code: str) -> Reason | None:
    total = used(Submission.objects.filter(whose, bot__house=False))
    if total + more <= most * MIB:
        return None
    return Reason(code, used=round(total / MIB, 1), more=round(more / MIB, 1), most=most)
