"""Why a submission was rejected or waits, and why a bot was stopped. See agon.db.reasons."""

from django.utils.translation import gettext_noop

from agon.db.reasons import StoredReason, foreign, reason
from contest.voids import Blame

BUILD, FAULT, PLATFORM, LEFT = "build", "fault", "platform", "left"  # kinds
STOPPED, VOIDS = "stopped", "voids"  # kinds of a bot's reasons


def no_build(words: str) -> StoredReason:
    """Rejected: `words` is what sandbox.building.build reports."""
    return foreign(words, BUILD)


def fault(kind: str, words: str) -> StoredReason:
    """Rejected: a fault of `kind` in the qualification match, in the record's own words."""
    text = gettext_noop("In its qualification match it made a fault (%(fault)s): %(reason)s")
    return reason(text, FAULT, fault=kind, reason=words)


def no_build_yet(why: str) -> StoredReason:
    text = gettext_noop("The platform could not build it and will try again: %(why)s")
    return reason(text, PLATFORM, why=why)


def no_match_yet(why: str) -> StoredReason:
    text = gettext_noop("The platform could not play the qualification match and will try again: %(why)s")
    return reason(text, PLATFORM, why=why)


def not_built(why: str, attempts: int) -> StoredReason:
    """Rejected: the platform has given up building it."""
    text = gettext_noop(
        "The platform failed to build it %(attempts)d times and gave up; the last failure: %(why)s. "
        "Upload it again later, or report this to the operators of the site."
    )
    return reason(text, PLATFORM, why=why, attempts=attempts)


def not_tried(why: str, matches: int) -> StoredReason:
    """Rejected: the platform has given up playing its qualification match."""
    text = gettext_noop(
        "The platform failed to play %(matches)d qualification matches of it and gave up; the last failure: "
        "%(why)s. Upload it again later, or report this to the operators of the site."
    )
    return reason(text, PLATFORM, why=why, matches=matches)


def bot_left() -> StoredReason:
    """Rejected: its bot left play before it was tried."""
    return reason(gettext_noop("The bot left play before it was tried."), LEFT)


def stopped(words: str) -> StoredReason:
    """A bot was stopped: an administrator's own words."""
    return reason("%(reason)s", STOPPED, reason=words)


def voids(blame: Blame) -> StoredReason:
    """A bot was stopped by the rule for void matches (contest.voids), with the evidence."""
    text = gettext_noop(
        "Void matches: failures of the platform began with %(void)d of its matches, and it played "
        "%(played)d to the end. They began with %(others_void)d of %(others)d matches without it. By "
        "accident that happens once in %(odds)s cases."
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
