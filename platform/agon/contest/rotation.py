"""Seatings of one group in which each member has each seat once."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def rotated(order: Sequence[T]) -> list[list[T]]:
    """All rotations of `order`, itself first."""
    return [[*order[-place:], *order[:-place]] if place else list(order) for place in range(len(order))]
