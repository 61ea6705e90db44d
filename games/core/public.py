"""The frames of a running match that spectators may see.

A game's `public.py` defines `public(frame)`, a pure function. It returns the frame with the same fields, but
without anything that some bot has not been sent and cannot infer. So a spectator knows no more than each of
the bots, and cannot help any of them. It returns None for a frame that, like all later ones, stays secret
until the match is over. Running matches of a game without `public.py` cannot be watched.

The game's viewer, story and key moments also get these frames, in a log whose match is not over.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from games.core.game import Json
from games.core.manifest import file_of
from games.core.match_log import MatchLog
from games.core.record import SeatInfo

Frame: TypeAlias = Mapping[str, Any]


def is_watchable(slug: str) -> bool:
    """Whether running matches of this game can be watched."""
    return file_of(slug, "public.py") is not None


def public_frames(slug: str, frames: Sequence[Frame]) -> list[dict[str, Json]]:
    """These frames as spectators may see them, up to the first one that stays secret until the end."""
    public: Callable[[Frame], dict[str, Json] | None] = importlib.import_module(f"games.{slug}.public").public
    result = []
    for frame in frames:
        shown = public(frame)
        if shown is None:
            break
        result.append(shown)
    return result


def running_log(
    game: str, version: str, names: Sequence[str], frames: Sequence[dict[str, Json]], steps: Sequence[int]
) -> MatchLog:
    """The log of a match that is not over, as spectators see it.

    names: by seat. steps: for each frame the ask that led to it, -1 before the first.
    """
    return MatchLog(
        game=game,
        version=version,
        seed=0,
        seats=tuple(SeatInfo(name, "") for name in names),
        exchanges=(),
        frames=tuple(frames),
        faults=(),
        scores=(),
        ranks=(),
        summary={},
        frame_steps=tuple(steps),
    )
