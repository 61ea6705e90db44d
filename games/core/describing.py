"""Runs the code of a game that only describes matches: its story, its doubts, its key moments.

A match is shown without what fails, or takes so long that it would hold up the pages of others. The log names
the file and the line, for the game's author.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from games.core.errors import describe, ends_the_process
from games.core.manifest import load
from games.core.time_limit import limited

LONGEST = 5.0  # seconds of processor time; those of our games take less than one

log = logging.getLogger(__name__)


@contextmanager
def failures_logged(slug: str) -> Iterator[None]:
    """Within the block, log whatever the code of this game raises, and go on after it.

    The block is interrupted after LONGEST, which is logged likewise.
    """
    try:
        with limited(LONGEST):
            yield
    except BaseException as error:
        folder = load(slug).folder
        if ends_the_process(error, folder):
            raise
        log.error("%s cannot describe a match: %s", slug, describe(error, folder))
