"""Counts the streams that a web process has open, by address, and refuses one too many."""

import weakref
from collections import Counter

from django.conf import settings
from django.http import HttpResponse

from agon.site.core import open_files

_open: Counter[str] = Counter()


class Slot:
    """Counts an open stream of an address, until it is released or garbage-collected unread."""

    def __init__(self, address: str) -> None:
        _open[address] += 1
        self.release = weakref.finalize(self, _release, address)


def _release(address: str) -> None:
    _open[address] -= 1
    if not _open[address]:
        del _open[address]


def total() -> int:
    """How many streams are open in this process."""
    return _open.total()


def refusal(address: str) -> HttpResponse | None:
    """The response to one stream too many; None if another one is allowed."""
    if _open[address] >= settings.AGON_STREAMS_PER_ADDRESS:
        return _response(429, "Too many pages of your address are following this site.")
    if _open.total() >= min(settings.AGON_STREAMS, open_files.limit() // 2):
        return _response(503, "Too many pages are following this site.")
    return None


def _response(status: int, line: str) -> HttpResponse:
    return HttpResponse(
        f"{line}\n",
        status=status,
        content_type="text/plain; charset=utf-8",
        headers={"Retry-After": "60", "Cache-Control": "no-store"},
    )
