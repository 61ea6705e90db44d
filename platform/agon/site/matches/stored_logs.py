"""Stores the logs of matches before their game changes, because a new version cannot replay old records."""

from collections.abc import Callable

from django.db.models import QuerySet

from agon.site.competitions.models import Competition
from agon.site.matches import packing, records
from agon.site.matches.models import Match
from agon.site.matches.states import State
from games.core import match_log_json
from games.core.record import BadRecord

_AT_ONCE = 100  # logs that are stored in one transaction


def store(game: str, report: Callable[[str], None]) -> int:
    """Replay each match of the game that has no stored log, and store its log; returns how many.

    Run it again after an interruption. report: called with a sentence for each match that cannot be replayed.
    """
    return sum(_store(competition, report) for competition in Competition.objects.filter(game=game))


def _store(competition: Competition, report: Callable[[str], None]) -> int:
    stored = 0
    logs: dict[int, str] = {}
    for match in records.of_many(_recorded(competition).iterator(chunk_size=25)):
        try:
            if not records.has_log(match):
                logs[match.pk] = match_log_json.to_json(records.log(match))
        except (BadRecord, FileNotFoundError) as error:
            report(f"match {match.pk}: {error}")
        if len(logs) == _AT_ONCE:
            packing.add_logs(competition.pk, logs)
            stored += len(logs)
            logs = {}
    packing.add_logs(competition.pk, logs)
    return stored + len(logs)


def _recorded(competition: Competition) -> QuerySet[Match]:
    finished = Match.objects.filter(competition=competition, state=State.FINISHED, removed_record=None)
    return finished.select_related("recording").order_by("pk")
