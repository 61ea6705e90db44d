"""Keeps the logs of matches whose game is about to change: a new version cannot replay them."""

import zlib
from collections.abc import Callable

from django.db.models import QuerySet

from games.core import match_log_json
from games.core.record import BadRecord
from matches import records
from matches.models import Recording
from matches.states import State


def of_game(game: str) -> QuerySet[Recording]:
    """The recordings of its matches that have no log yet."""
    finished = Recording.objects.filter(match__competition__game=game, match__state=State.FINISHED)
    return finished.filter(log=b"").select_related("match").order_by("pk")


def store(game: str, report: Callable[[str], None]) -> int:
    """Replay and keep each match of the game that has no log yet; returns how many.

    It can be interrupted and begun again. report: is given a sentence for each match that cannot be replayed.
    """
    stored = 0
    for recording in of_game(game).iterator(chunk_size=25):
        try:
            log = match_log_json.to_json(records.log(recording.match))
        except (BadRecord, FileNotFoundError) as error:
            report(f"match {recording.match_id}: {error}")
            continue
        recording.log = zlib.compress(log.encode())
        recording.save(update_fields=["log"])
        stored += 1
    return stored
