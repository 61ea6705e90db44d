"""Stores the logs of matches before their game changes, because a new version cannot replay old records."""

import zlib
from collections.abc import Callable

from django.db.models import QuerySet

from agon.site.matches import records
from agon.site.matches.models import Recording
from agon.site.matches.states import State
from games.core import match_log_json
from games.core.record import BadRecord


def without_log(game: str) -> QuerySet[Recording]:
    """The recordings of the game's finished matches that have no stored log."""
    finished = Recording.objects.filter(match__competition__game=game, match__state=State.FINISHED)
    return finished.filter(log=b"").select_related("match").order_by("pk")


def store(game: str, report: Callable[[str], None]) -> int:
    """Replay each match of the game that has no stored log, and store its log; returns how many.

    Run it again after an interruption. report: called with a sentence for each match that cannot be replayed.
    """
    stored = 0
    for recording in without_log(game).iterator(chunk_size=25):
        try:
            log = match_log_json.to_json(records.log(recording.match))
        except (BadRecord, FileNotFoundError) as error:
            report(f"match {recording.match_id}: {error}")
            continue
        recording.log = zlib.compress(log.encode())
        recording.save(update_fields=["log"])
        stored += 1
    return stored
