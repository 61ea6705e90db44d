"""Runs the code of a game that only describes matches: its story, its doubts, its key moments.

A match is shown without what fails. The log names the file and the line, for the game's author.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from games.core.errors import describe, exits_by_itself
from games.core.manifest import load

log = logging.getLogger(__name__)


@contextmanager
def failures_logged(slug: str) -> Iterator[None]:
    """Within the block, log whatever the code of this game raises, and go on after it."""
    try:
        yield
    except BaseException as error:
        folder = load(slug).folder
        if not isinstance(error, Exception) and not exits_by_itself(error, folder):
            raise
        log.error("%s cannot describe a match: %s", slug, describe(error, folder))
