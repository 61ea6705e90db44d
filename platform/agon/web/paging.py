"""Pagination of a long list without counting it."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Protocol

MOST_PAGES = 10_000


class Sliceable(Protocol):
    def __getitem__(self, part: slice) -> Iterable[Any]: ...


class Page:
    """`items` of page `number` (from 1), and whether there are pages before and after it."""

    def __init__(self, found: Sliceable, size: int, wanted: str | None) -> None:
        digits = wanted if wanted and wanted.isascii() and wanted.isdigit() else "1"
        self.number = min(max(int(digits[:9]), 1), MOST_PAGES)
        first = (self.number - 1) * size
        rows = list(islice(found[first : first + size + 1], size + 1))
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
