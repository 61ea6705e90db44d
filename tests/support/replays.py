"""Compares a match that was played with the replay of its record."""

from games.core import record as records
from games.core.match_log import MatchLog, timed
from games.core.replay import check, differences


def differences_when_replayed(log: MatchLog) -> list[str]:
    """The differences between a match log and the replay of its record."""
    checked = check(records.to_json(log.record).encode())
    timing = log.timing  # times that were not measured are zero on both sides
    return checked.differences + differences(timed(log, timing), timed(checked.log, timing))
