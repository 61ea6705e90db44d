"""Requests that wait until there is something to say, such as that the state of a submission has changed.

Such a request must not hold one of the few places for views (agon.site.web.core.concurrency) for half a
minute. So it is a stream: the view ends at once, and the body follows when there is something to say. Only so
many wait at a time; any other is answered at once, and asks again.
"""

import asyncio
import functools
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import translation
from ninja.responses import NinjaJSONEncoder

from agon.site.core.db.transitions import Stateful
from agon.site.web.core.threads import in_thread

POLL_SECONDS = 0.5
LONGEST = 30  # seconds
SOON = 3.0  # seconds
OF_ACCOUNT, OF_ALL = 10, 200  # in a web process
_waiting: Counter[int] = Counter()

Shape = Callable[[Any], dict[str, Any]]
Look = Callable[[bool], bytes | None]


def for_change(
    request: Any, rows: QuerySet[Any], stateful: Stateful, seconds: int, is_over: bool, shape: Shape
) -> StreamingHttpResponse | dict[str, Any]:
    """A response whose body is sent when the state changes or the time is over.

    It is sent at once if the state `is_over`, which changes no more, or too many wait. seconds: as they were
    asked for; at most LONGEST count. rows: in which to find it again, with what `shape` needs. If it is
    deleted meanwhile, it is shown as it was.
    """

    def has_changed() -> bool:
        return rows.filter(pk=stateful.pk).values_list("state", flat=True).first() != stateful.state

    def shape_now() -> dict[str, Any]:
        return shape(rows.filter(pk=stateful.pk).first() or stateful)

    wait = 0 if is_over else seconds
    return until_so(request, has_changed, wait, shape_now) or shape(stateful)


def until_so(
    request: Any, is_so: Callable[[], bool], seconds: float, shape: Callable[[], dict[str, Any]]
) -> StreamingHttpResponse | None:
    """A response whose body is sent when `is_so`, or the time is over; None if too many wait."""
    json_of = functools.partial(_json_of, shape, translation.get_language() or "en")
    return until(request, lambda is_last: json_of() if is_last or is_so() else None, seconds)


def until(
    request: Any, look: Look, seconds: float, poll_seconds: float = POLL_SECONDS
) -> StreamingHttpResponse | None:
    """A response whose body is what `look` returns, once that is not None; None if too many wait.

    look: called in a thread every poll_seconds, after SOON every POLL_SECONDS; with True when the time is
    over: then it has to say something. Nobody waits for 0 seconds.
    """
    account = request.user.pk
    is_full = _waiting[account] >= OF_ACCOUNT or _waiting.total() >= OF_ALL
    if seconds <= 0 or is_full or not isinstance(request, ASGIRequest):
        return None
    body = _body(account, look, min(seconds, LONGEST), poll_seconds)
    headers = {"Cache-Control": "private, no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type="application/json", headers=headers)


async def _body(account: int, look: Look, seconds: float, poll_seconds: float) -> AsyncIterator[bytes]:
    began = time.monotonic()
    _waiting[account] += 1
    try:
        while (said := await in_thread(look, time.monotonic() >= began + seconds)) is None:
            is_soon = time.monotonic() < began + SOON
            await asyncio.sleep(poll_seconds if is_soon else POLL_SECONDS)
        yield said
    finally:
        _waiting[account] -= 1
        if not _waiting[account]:
            del _waiting[account]


def _json_of(shape: Callable[[], dict[str, Any]], language: str) -> bytes:
    with translation.override(language):
        return json.dumps(shape(), cls=NinjaJSONEncoder, ensure_ascii=False).encode()
