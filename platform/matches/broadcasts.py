"""What is shown of running matches, on its way from the worker that plays to the pages that watch.

It is in the cache, under the match and the attempt: so no page ever gets the frames of an attempt that was
lost. Without Redis the cache is a folder, which all processes of one machine share. A page that watches says
so every few seconds (`watch`), and a worker publishes nothing of a match for which no page does.

Frames never change. They are kept in pieces of PIECE, so that a publication writes what is new and at most
one piece again, and `head` says how many there are. A match publishes at most MOST_BYTES.
"""

import json
import time
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from django.core.cache import cache

from games.core.game import Json
from matches.models import Match

Frame: TypeAlias = tuple[int, dict[str, Json]]  # with the ask that led to it, -1 before the first

PIECE = 64  # frames
MOST_BYTES = 1 << 20
WATCHED = 10.0  # seconds for which a page that was open a moment ago counts
SAID_AGAIN = 3.0  # seconds after which a page says again that it watches
KEPT = 24 * 3600.0  # seconds, where the worker that should delete it died: no match takes longer


class Shown(NamedTuple):
    """The frames that are shown of a match. is_full: no more of them will be."""

    frames: list[Frame]
    is_full: bool


def watch(match: Match) -> None:
    """Note that this match has a viewer now."""
    key, now = _watched(match), time.time()
    if now - cache.get(key, 0.0) > SAID_AGAIN:
        cache.set(key, now, WATCHED)


def is_watched(match: Match) -> bool:
    return cache.get(_watched(match)) is not None


def publish(match: Match, frames: Sequence[Frame], new: int, is_full: bool) -> None:
    """Publish the frames of a match, of which the last `new` were not published before."""
    if cache.get(_head(match)) is None:  # nothing was, or the cache has lost it
        new = len(frames)
    first = (len(frames) - new) // PIECE
    for number in range(first, _pieces(len(frames))):
        piece = frames[number * PIECE : (number + 1) * PIECE]
        cache.set(_piece(match, number), json.dumps(piece, separators=(",", ":")), KEPT)
    cache.set(_head(match), (len(frames), is_full), KEPT)


def shown(match: Match) -> Shown:
    """What is published of the current attempt at a match."""
    count, is_full = cache.get(_head(match), (0, False))
    keys = [_piece(match, number) for number in range(_pieces(count))]
    found = cache.get_many(keys)
    frames: list[Frame] = []
    for key in keys:
        if key not in found:  # the cache has lost it
            break
        frames += [(step, frame) for step, frame in json.loads(found[key])]
    return Shown(frames[:count], is_full)


def forget(match: Match, count: int) -> None:
    """Delete what was published of a match: `count` frames."""
    cache.delete_many([_head(match), *(_piece(match, number) for number in range(_pieces(count)))])


def _pieces(frames: int) -> int:
    return -(-frames // PIECE)


def _watched(match: Match) -> str:
    return f"watched-{match.pk}"


def _head(match: Match) -> str:
    return f"broadcast-{match.pk}-{match.attempt}"


def _piece(match: Match, number: int) -> str:
    return f"{_head(match)}-{number}"
