"""Whether a match that was played is the one that its record leads to."""

from games.core import record as records
from games.core.match_log import MatchLog, timed
from games.core.replay import check, differences


def differences_when_replayed(log: MatchLog) -> list[str]:
    """What is different in the record, or in what follows from it, when it is replayed."""
    checked = check(records.to_json(log.record).encode())
    return checked.differences + differences(log, timed(checked.log, log.timing))
