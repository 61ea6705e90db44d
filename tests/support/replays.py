"""Whether a match that was played is the one that its record leads to."""

from games.core import record as records
from games.core.match_log import MatchLog, timed
from games.core.replay import check, differences


def differences_when_replayed(log: MatchLog) -> list[str]:
    """What is different in the record, or in what follows from it, when it is replayed."""
    checked = check(records.to_json(log.record).encode())
    timing = log.timing  # where none was read, it is zero on both sides
    return checked.differences + differences(timed(log, timing), timed(checked.log, timing))
