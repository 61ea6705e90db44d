"""Kinds of faults of bots, and the policies that a game can declare for them."""

from enum import StrEnum
from typing import NamedTuple

from games.core.reason import Reason


class FaultKind(StrEnum):
    """START: the bot never got ready. ILLEGAL: the game refused its move. The rest are OUTSIDE_KINDS."""

    START = "start"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    FLOOD = "flood"
    MEMORY = "memory"


# Faults of a running bot that the arena detects from outside. Illegal moves are detected by the game.
OUTSIDE_KINDS = (FaultKind.TIMEOUT, FaultKind.CRASH, FaultKind.FLOOD, FaultKind.MEMORY)


class Policy(StrEnum):
    """The consequence of a fault; the manifest names one for each kind (games/core/manifest.py)."""

    FORFEIT = "forfeit"
    DISQUALIFY = "disqualify"
    RETIRE = "retire"
    DEFAULT = "default"


class FaultCause(NamedTuple):
    kind: FaultKind
    reason: Reason
