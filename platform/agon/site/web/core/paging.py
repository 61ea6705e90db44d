"""Pagination of a long list without counting it."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Protocol

MOST_PAGES = 10_000
MOST_DIGITS = 9


class Sliceable(Protocol):
    def __getitem__(self, part: slice) -> Iterable[Any]: ...


def whole_number(text: str | None, otherwise: int) -> int:
    """The number that a query holds, of which the first digits count; `otherwise` where it is none."""
    return int(text[:MOST_DIGITS]) if text and text.isascii() and text.isdigit() else otherwise


class Page:
    """`items` of page `number` (from 1), and whether there are pages before and after it."""

    def __init__(self, sliceable: Sliceable, size: int, wanted: str | None) -> None:
        self.number = min(max(whole_number(wanted, 1), 1), MOST_PAGES)
        first = (self.number - 1) * size
        rows = list(islice(sliceable[first : first + size + 1], size + 1))
        self.items = rows[:size]
        self.has_next = len(rows) > size
        self.has_previous = self.number > 1

    @property
    def has_other_pages(self) -> bool:
        return self.has_next or self.has_previous

    @property
    def next_page_number(self) -> int:
        return self.number + 1

    @property
    def previous_page_number(self) -> int:
        return self.number - 1
