"""Requests that wait until a submission's state changes.

Such a request must not hold one of the few places for views (agon.site.web.core.concurrency) for half a
minute. So it is a stream: the view ends at once, and the body follows when there is something to say. Only so
many wait at a time; any other is answered at once, and asks again.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from django.utils import translation
from ninja.responses import NinjaJSONEncoder

from agon.site.api.threads import in_thread
from agon.site.bots.models import Submission

POLL_SECONDS = 0.5
OF_ACCOUNT, OF_ALL = 10, 200  # in a web process
_waiting: Counter[int] = Counter()

Shape = Callable[[Submission], dict[str, Any]]


def for_change(request: Any, found: Submission, seconds: float, shape: Shape) -> StreamingHttpResponse | None:
    """A response whose body is sent when the state changes or the time is over; None if too many wait."""
    account = request.user.pk
    is_full = _waiting[account] >= OF_ACCOUNT or _waiting.total() >= OF_ALL
    if is_full or not isinstance(request, ASGIRequest):
        return None
    body = _body(account, found.pk, found.state, seconds, shape, translation.get_language() or "en")
    headers = {"Cache-Control": "private, no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type="application/json", headers=headers)


async def _body(
    account: int, pk: int, state: str, seconds: float, shape: Shape, language: str
) -> AsyncIterator[bytes]:
    until = time.monotonic() + seconds
    _waiting[account] += 1
    try:
        while await in_thread(_state_of, pk) == state and time.monotonic() < until:
            await asyncio.sleep(POLL_SECONDS)
        yield await in_thread(_json_of, pk, shape, language)
    finally:
        _waiting[account] -= 1
        if not _waiting[account]:
            del _waiting[account]


def _state_of(pk: int) -> str | None:
    return Submission.objects.filter(pk=pk).values_list("state", flat=True).first()


def _json_of(pk: int, shape: Shape, language: str) -> bytes:
    found = Submission.objects.select_related("bot__owner", "bot__competition").get(pk=pk)
    with translation.override(language):
        return json.dumps(shape(found), cls=NinjaJSONEncoder, ensure_ascii=False).encode()
