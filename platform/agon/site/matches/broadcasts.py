"""Passes the frames of running matches through the cache, from the worker that plays to the pages that watch.

The keys contain the match and the attempt, so no page ever gets the frames of an attempt that was lost.
Without Redis the cache is a folder that all processes of a machine share. A watching page renews its interest
every few seconds (`watch`); a worker publishes nothing for a match that no page watches.

Frames never change. They are stored in chunks of CHUNK frames, so that publishing rewrites at most one stored
chunk. The key `_head_key` holds the number of frames. A match publishes at most MOST_BYTES.
"""

import json
import time
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from django.core.cache import cache

from agon.site.matches.models import Match
from games.core.game import Json

Frame: TypeAlias = tuple[int, dict[str, Json]]  # after the step that led to it, -1 before the first

CHUNK = 64  # frames
MOST_BYTES = 1 << 20
WATCH_SECONDS = 10.0  # for which a match counts as watched after a page has polled it
RENEWAL_SECONDS = 3.0  # after which another poll is recorded
EXPIRY_SECONDS = 24 * 3600.0  # if the worker dies before it deletes the frames; no match is longer


class Published(NamedTuple):
    """The published frames of a match. is_full: no more of them will be published."""

    frames: list[Frame]
    is_full: bool


def watch(match: Match) -> None:
    """Record that a page is watching this match now."""
    key, now = _watch_key(match), time.time()
    if now - cache.get(key, 0.0) > RENEWAL_SECONDS:
        cache.set(key, now, WATCH_SECONDS)


def is_watched(match: Match) -> bool:
    """Whether a page polled the frames of this match recently."""
    return cache.get(_watch_key(match)) is not None


def publish(match: Match, frames: Sequence[Frame], new: int, is_full: bool) -> None:
    """Publish the frames of a match, of which the last `new` were not published before."""
    count, _is_full = cache.get(_head_key(match), (0, False))
    if count != len(frames) - new:  # the cache has lost some, or was away
        new = len(frames)
    first = (len(frames) - new) // CHUNK
    for number in range(first, _chunk_count(len(frames))):
        chunk = frames[number * CHUNK : (number + 1) * CHUNK]
        cache.set(_chunk_key(match, number), json.dumps(chunk, separators=(",", ":")), EXPIRY_SECONDS)
    cache.set(_head_key(match), (len(frames), is_full), EXPIRY_SECONDS)


def published(match: Match) -> Published:
    """The published frames of the current attempt at a match."""
    count, is_full = cache.get(_head_key(match), (0, False))
    keys = [_chunk_key(match, number) for number in range(_chunk_count(count))]
    by_key = cache.get_many(keys)
    frames: list[Frame] = []
    for key in keys:
        if key not in by_key:  # the cache lost it
            break
        frames += [(step, frame) for step, frame in json.loads(by_key[key])]
    return Published(frames[:count], is_full)


def forget(match: Match, count: int) -> None:
    """Delete the `count` published frames of a match."""
    cache.delete_many(
        [_head_key(match), *(_chunk_key(match, number) for number in range(_chunk_count(count)))]
    )


def _chunk_count(frames: int) -> int:
    return -(-frames // CHUNK)


def _watch_key(match: Match) -> str:
    return f"watched-{match.pk}"


def _head_key(match: Match) -> str:
    return f"broadcast-{match.pk}-{match.attempt}"


def _chunk_key(match: Match, number: int) -> str:
    return f"{_head_key(match)}-{number}"
