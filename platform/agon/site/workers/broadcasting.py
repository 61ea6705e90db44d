"""Publishes the frames of the matches that this worker plays to the pages that watch them.

- Processes: one thread wakes every EVERY seconds and visits the matches that this worker is playing (one at a
  time, except in tests). Once a match has run for FIRST seconds, the thread asks whether a page watches it,
  and if so publishes the new frames as the game's `public.py` shows them (`agon.site.matches.broadcasts`).
  The thread ends when no match is left. A match of a few milliseconds thus costs one entry in a list; a
  longer one without viewers costs one read from the cache per visit. The thread that plays never waits for
  this one.
- Trust: frames come from the referee. The driver's lists only grow and their items never change, so they can
  be read during the match. Nothing flows back: a record does not depend on who watched.
- Failure: errors are logged, and nothing more of that match is published. If the worker dies, what it
  published belongs to an attempt that no page asks for anymore.
"""

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from agon.site.matches import broadcasts
from agon.site.matches.broadcasts import MOST_BYTES, Frame
from agon.site.matches.models import Match
from games.core.driver import Driver
from games.core.public import is_watchable, public_frames

FIRST = 1.0  # seconds after which a match is broadcast
EVERY = 0.5  # seconds between two visits

log = logging.getLogger(__name__)


class Broadcast:
    """A match that another thread plays, and its frames that were published."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.driver: Driver | None = None
        self.is_over = False
        self._due = time.monotonic() + FIRST
        self._seen = 0  # frames of the driver
        self._frames: list[Frame] = []
        self._bytes = 0
        self._is_done = False

    def on_begin(self, driver: Driver) -> None:
        """Called by the arena when the match begins."""
        self.driver = driver

    @property
    def published(self) -> int:
        """How many frames were published."""
        return len(self._frames)

    def publish_new(self) -> None:
        """Publish the new frames, if there are viewers. Raises nothing."""
        if self._is_done or self.driver is None or time.monotonic() < self._due:
            return
        try:
            self._is_done = not is_watchable(self.driver.info.slug)
            if not self._is_done and broadcasts.is_watched(self.match):
                self._publish(self.driver)
        except Exception:
            log.exception("match %s cannot be shown while it is played", self.match.pk)
            self._is_done = True

    def _publish(self, driver: Driver) -> None:
        frames, steps = driver.dated_frames
        public = public_frames(driver.info.slug, frames[self._seen :])
        is_full = len(public) < len(frames) - self._seen
        new = []
        for step, frame in zip(steps[self._seen :], public, strict=False):
            self._bytes += len(json.dumps(frame, allow_nan=False))
            if self._bytes > MOST_BYTES:
                is_full = True
                break
            new.append((step, frame))
        if not new and not is_full:
            return
        self._seen += len(new)
        self._frames += new
        self._is_done = is_full
        broadcasts.publish(self.match, self._frames, len(new), is_full)


class _Publisher:
    """The matches that this process is playing, and the thread that publishes their frames."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._playing: list[Broadcast] = []
        self._thread: threading.Thread | None = None

    def add(self, broadcast: Broadcast) -> None:
        with self._lock:
            self._playing.append(broadcast)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="broadcasts", daemon=True)
                self._thread.start()

    def end(self, broadcast: Broadcast) -> None:
        """Have the thread delete what was published. Does not wait for it."""
        broadcast.is_over = True
        if not broadcast.published:
            with self._lock:
                self._playing = [playing for playing in self._playing if playing is not broadcast]

    def _run(self) -> None:
        while True:
            time.sleep(EVERY)
            with self._lock:
                playing = list(self._playing)
                if not playing:
                    self._thread = None
                    return
            for broadcast in playing:
                if not broadcast.is_over:
                    broadcast.publish_new()
            self._forget([ended for ended in playing if ended.is_over])

    def _forget(self, over: list[Broadcast]) -> None:
        with self._lock:
            self._playing = [broadcast for broadcast in self._playing if broadcast not in over]
        for ended in over:
            broadcasts.forget(ended.match, ended.published)


_publisher = _Publisher()


@contextmanager
def broadcasting(match: Match) -> Iterator[Broadcast]:
    """Publish the frames of a match that is played within this block to the pages that watch it."""
    broadcast = Broadcast(match)
    _publisher.add(broadcast)
    try:
        yield broadcast
    finally:
        _publisher.end(broadcast)
