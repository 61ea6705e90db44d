"""Who may see the programs, matches and standard error of a competition: a table, and nothing else.

A setting names who sees them while the competition is open, and once it is closed or archived. Authors see
what is of their bots, organizers what is of the competitions that they run, those of the site everything.
"""

from enum import Enum
from types import MappingProxyType


class Subject(Enum):
    """The fields of a competition that say who sees what."""

    SOURCES = "sources"  # programs of versions that have competed, of bots that were not deleted
    RECORDS = "records"  # matches, with their replays and records
    STDERR = "stderr"  # what bots wrote to standard error in matches that one may see


class Audience(Enum):
    """Who sees it, from the fewest to the most."""

    ORGANIZERS = "organizers"
    PARTIES = "parties"  # the author; of a match, those whose bots have a seat in it
    EVERYONE = "everyone"


# Of each setting: who sees it while the competition is open, and afterwards.
TABLE = MappingProxyType(
    {
        (Subject.SOURCES, "author"): (Audience.PARTIES, Audience.PARTIES),
        (Subject.SOURCES, "closed"): (Audience.PARTIES, Audience.EVERYONE),
        (Subject.RECORDS, "all"): (Audience.EVERYONE, Audience.EVERYONE),
        (Subject.RECORDS, "played"): (Audience.PARTIES, Audience.PARTIES),
        (Subject.RECORDS, "organizers"): (Audience.ORGANIZERS, Audience.EVERYONE),
        (Subject.STDERR, "author"): (Audience.PARTIES, Audience.PARTIES),
        (Subject.STDERR, "closed"): (Audience.PARTIES, Audience.EVERYONE),
    }
)
# What authors agree to by entering a bot: it cannot be given to more people afterwards.
AGREED = (Subject.SOURCES, Subject.STDERR)


def audience(subject: Subject, setting: str, is_open: bool) -> Audience:
    """Who sees it now. A setting that is none shows nothing to anyone but organizers."""
    audience = TABLE.get((subject, setting))
    if audience is None:
        return Audience.ORGANIZERS
    return audience[0] if is_open else audience[1]


def gives_away(subject: Subject, old: str, new: str) -> bool:
    """Whether a change shows to more people what authors have entrusted to the site under the old setting."""
    order = list(Audience)

    def reach(setting: str, is_open: bool) -> int:
        return order.index(audience(subject, setting, is_open))

    return subject in AGREED and any(reach(new, now) > reach(old, now) for now in (True, False))
