"""Why a submission was rejected or waits, and why a bot was stopped: see agon.site.core.texts.reasons."""

from agon.site.core.texts.reasons import StoredReason
from agon.statistics.voids import Blame
from games.core.reason import Reason

NO_BUILD, FAULT = "no_build", "qualification_fault"  # rejected for a mistake of its author
PLATFORM = ("no_build_yet", "no_match_yet", "not_built", "not_tried")  # the platform failed
STOPPED, VOIDS = "stopped_by_staff", "voids"  # of a bot


def no_build(why: Reason) -> StoredReason:
    """Rejected: `why` is what sandbox.building.build reports."""
    return StoredReason(NO_BUILD, why=why)


def fault(kind: str, why: Reason) -> StoredReason:
    """Rejected: a fault of `kind` in the qualification match."""
    return StoredReason(FAULT, fault=Reason(f"fault_{kind}"), reason=why)


def no_build_yet(why: Reason) -> StoredReason:
    """Waiting: why the last attempt at the build failed."""
    return StoredReason("no_build_yet", why=why)


def no_match_yet(why: Reason) -> StoredReason:
    """Waiting: why the last attempt at the qualification match failed."""
    return StoredReason("no_match_yet", why=why)


def not_built(why: Reason, attempts: int) -> StoredReason:
    """Rejected: the platform has given up building it."""
    return StoredReason("not_built", why=why, attempts=attempts)


def not_tried(why: Reason, matches: int) -> StoredReason:
    """Rejected: the platform has given up playing its qualification match."""
    return StoredReason("not_tried", why=why, matches=matches)


def bot_left() -> StoredReason:
    """Rejected: its bot left play before it was tried."""
    return StoredReason("bot_left")


def stopped(words: str) -> StoredReason:
    """A bot was stopped: an administrator's own words."""
    return StoredReason(STOPPED, words=words)


def voids(blame: Blame) -> StoredReason:
    """A bot was stopped by the rule for void matches (agon.statistics.voids), with the evidence."""
    return StoredReason(
        VOIDS,
        ids=tuple(blame.matches),
        void=len(blame.matches),
        played=blame.played,
        others=blame.others_void + blame.others_played,
        others_void=blame.others_void,
        odds=int(1 / max(blame.chance, 1e-12)),
    )
