"""What a bot can do wrong, and what a game may let follow from it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class FaultKind(StrEnum):
    """START: it never got ready. ILLEGAL: the game refused its move. The rest is seen from outside."""

    START = "start"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    FLOOD = "flood"
    MEMORY = "memory"


# What a running bot is seen to do from outside, by the arena; illegal moves are the game's finding.
OUTSIDE_KINDS = (FaultKind.TIMEOUT, FaultKind.CRASH, FaultKind.FLOOD, FaultKind.MEMORY)


class Policy(StrEnum):
    """What follows from a fault; the manifest names one for each kind (games/core/manifest.py)."""

    FORFEIT = "forfeit"
    DISQUALIFY = "disqualify"
    RETIRE = "retire"
    DEFAULT = "default"


class FaultCause(NamedTuple):
    """What went wrong, and a reason that a person can read."""

    kind: FaultKind
    reason: str
