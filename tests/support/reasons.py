"""Reasons in tests: any words as one, and one in English."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from agon.advice.reasons import english
from games.core.game import Illegal
from games.core.manifest import load, referee
from games.core.reason import Reason
from games.core.reason_texts import named
from games.core.record import RecordedFault

__all__ = ["english", "refusal", "refused", "said", "told"]


def said(words: str) -> Reason:
    """A reason of words from outside."""
    return Reason("text", text=words)


def told(faults: Iterable[RecordedFault]) -> list[tuple[int, str, int, str]]:
    """Faults with their reasons in English."""
    return [(fault.seat, fault.kind, fault.step, english(fault.reason)) for fault in faults]


def refusal(slug: str, illegal: Illegal) -> str:
    """Why a game refused a move, in English."""
    return english(named(referee(load(slug)), illegal.reason))


@contextmanager
def refused(slug: str, pattern: str) -> Iterator[None]:
    """The game refuses a move, for a reason that has this pattern in it."""
    with pytest.raises(Illegal) as error:
        yield
    assert re.search(pattern, refusal(slug, error.value))
