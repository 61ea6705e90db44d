"""The frames of running matches on their way from the worker that plays to the pages that watch.

They are in the cache, keyed by match and attempt, so no page ever gets the frames of an attempt that was
lost. Without Redis the cache is a folder that all processes of a machine share. A watching page renews its
interest every few seconds (`watch`); without it a worker publishes nothing.

Frames never change. They are stored in pieces of PIECE frames, so that publishing rewrites at most one piece;
`_head` is the key of their number. A match publishes at most MOST_BYTES.
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
WATCHED = 10.0  # seconds for which a match counts as watched after a page has asked
RENEWED = 3.0  # seconds after which that is written again
KEPT = (
    24 * 3600.0
)  # seconds until frames expire if the worker that should delete them died: no match is longer


class Shown(NamedTuple):
    """The frames that are shown of a match. is_full: no more of them will be."""

    frames: list[Frame]
    is_full: bool


def watch(match: Match) -> None:
    """Note that this match has a viewer now."""
    key, now = _watched(match), time.time()
    if now - cache.get(key, 0.0) > RENEWED:
        cache.set(key, now, WATCHED)


def is_watched(match: Match) -> bool:
    """Whether a page asked for the frames of this match lately."""
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
