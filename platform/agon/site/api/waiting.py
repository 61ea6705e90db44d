"""Requests that wait until the state of a row changes, such as that of a submission.

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

from agon.site.api.threads import in_thread
from agon.site.core.db.transitions import Stateful

POLL_SECONDS = 0.5
LONGEST = 30  # seconds
OF_ACCOUNT, OF_ALL = 10, 200  # in a web process
_waiting: Counter[int] = Counter()

Shape = Callable[[Any], dict[str, Any]]


def for_change(
    request: Any, rows: QuerySet[Any], found: Stateful, seconds: int, shape: Shape
) -> StreamingHttpResponse | None:
    """A response whose body is sent when the state changes or the time is over; None if too many wait.

    seconds: as they were asked for; at most LONGEST count. rows: in which to find it again, with what
    `shape` needs. If it is deleted meanwhile, it is shown as it was.
    """
    account = request.user.pk
    is_full = _waiting[account] >= OF_ACCOUNT or _waiting.total() >= OF_ALL
    if is_full or not isinstance(request, ASGIRequest):
        return None
    language = translation.get_language() or "en"
    body = _body(account, rows, found, min(seconds, LONGEST), functools.partial(_json_of, shape, language))
    headers = {"Cache-Control": "private, no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type="application/json", headers=headers)


async def _body(
    account: int, rows: QuerySet[Any], found: Stateful, seconds: float, json_of: Callable[..., bytes]
) -> AsyncIterator[bytes]:
    until = time.monotonic() + seconds
    _waiting[account] += 1
    try:
        while await in_thread(_state_of, rows, found.pk) == found.state and time.monotonic() < until:
            await asyncio.sleep(POLL_SECONDS)
        yield await in_thread(json_of, rows, found)
    finally:
        _waiting[account] -= 1
        if not _waiting[account]:
            del _waiting[account]


def _state_of(rows: QuerySet[Any], pk: int) -> str | None:
    return rows.filter(pk=pk).values_list("state", flat=True).first()


def _json_of(shape: Shape, language: str, rows: QuerySet[Any], found: Stateful) -> bytes:
    now = rows.filter(pk=found.pk).first() or found
    with translation.override(language):
        return json.dumps(shape(now), cls=NinjaJSONEncoder, ensure_ascii=False).encode()
