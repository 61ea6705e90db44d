"""Failed attempts at a match, as everyone may see them: on its page, in archives, in the chain of results.

A match begins again only if its box, its worker or the machine was lost. Each such attempt is kept, with the
seats that were asked when it failed, so that a match that began again and again can be found later.
"""

from enum import StrEnum
from typing import NamedTuple


class FailureKind(StrEnum):
    """What failed. The details may name files and addresses of the site: only its staff gets them."""

    BOX = "box"  # the box of a bot was lost, or could not be used
    BUSY = "busy"  # the machine had no processor time for a bot
    OVERTIME = "overtime"  # the referee took longer than the game's match_s
    REFEREE = "referee"  # the game's rules raised an error
    ARTIFACT = "artifact"  # the built program of a bot was lost
    SANDBOX = "sandbox"  # the worker had no boxes to play in
    WORKER = "worker"  # the worker stopped reporting
    RESULT = "result"  # the result could not be stored
    PLATFORM = "platform"  # anything else


class FailedAttempt(NamedTuple):
    """One attempt. asked: the seats that had to answer when it failed; () if none, or if that is not known.

    worker: the machine and the place in it, without the process. started, ended: ISO 8601.
    """

    asked: tuple[int, ...]
    kind: FailureKind
    worker: str
    started: str
    ended: str
