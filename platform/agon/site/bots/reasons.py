"""Why a submission was rejected or waits, and why a bot was stopped. See agon.site.core.texts.reasons."""

from django.utils.translation import gettext_noop

from agon.site.core.texts.reasons import StoredReason, foreign, reason
from agon.statistics.voids import Blame

BUILD, FAULT, PLATFORM, LEFT = "build", "fault", "platform", "left"  # kinds
STOPPED, VOIDS = "stopped", "voids"  # kinds of a bot's reasons


def no_build(words: str) -> StoredReason:
    """Rejected: `words` is what sandbox.building.build reports."""
    return foreign(words, BUILD)


def fault(kind: str, words: str) -> StoredReason:
    """Rejected: a fault of `kind` in the qualification match, in the record's own words."""
    text = gettext_noop("It committed a fault in its qualification match (%(fault)s): %(reason)s")
    return reason(text, FAULT, fault=kind, reason=words)


def no_build_yet(why: str) -> StoredReason:
    """Waiting: why the last attempt at the build failed."""
    text = gettext_noop("The platform failed to build it and will try again: %(why)s")
    return reason(text, PLATFORM, why=why)


def no_match_yet(why: str) -> StoredReason:
    """Waiting: why the last attempt at the qualification match failed."""
    text = gettext_noop("The platform failed to play the qualification match and will try again: %(why)s")
    return reason(text, PLATFORM, why=why)


def not_built(why: str, attempts: int) -> StoredReason:
    """Rejected: the platform has given up building it."""
    text = gettext_noop(
        "The platform failed to build it %(attempts)d times and gave up. Last failure: "
        "%(why)s. Upload it again later, or report this to the site operators."
    )
    return reason(text, PLATFORM, why=why, attempts=attempts)


def not_tried(why: str, matches: int) -> StoredReason:
    """Rejected: the platform has given up playing its qualification match."""
    text = gettext_noop(
        "The platform failed to play %(matches)d of its qualification matches and gave up. "
        "Last failure: %(why)s. Upload it again later, or report this to the site operators."
    )
    return reason(text, PLATFORM, why=why, matches=matches)


def bot_left() -> StoredReason:
    """Rejected: its bot left play before it was tried."""
    return reason(
        gettext_noop("The bot was withdrawn, stopped, or deleted before this version was tested."), LEFT
    )


def stopped(words: str) -> StoredReason:
    """A bot was stopped: an administrator's own words."""
    return reason("%(reason)s", STOPPED, reason=words)


def voids(blame: Blame) -> StoredReason:
    """A bot was stopped by the rule for void matches (agon.statistics.voids), with the evidence."""
    text = gettext_noop(
        "Void matches: platform failures began with %(void)d of its matches, and %(played)d "
        "of its matches finished. Without it, failures began with %(others_void)d of "
        "%(others)d matches. By chance, this happens once in %(odds)s cases."
    )
    return reason(
        text,
        VOIDS,
        tuple(blame.matches),
        void=len(blame.matches),
        played=blame.played,
        others=blame.others_void + blame.others_played,
        others_void=blame.others_void,
        odds=f"{int(1 / max(blame.chance, 1e-12)):,}",
    )
