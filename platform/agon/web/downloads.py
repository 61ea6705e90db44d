"""Responses that are files, which the browser never shows as a page of this site."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

PIECE = 1 << 18  # bytes read from a stream at once: a hop between threads costs more than the bytes


def download(data: bytes, filename: str, content_type: str = "application/octet-stream") -> HttpResponse:
    headers = {"Content-Disposition": content_disposition_header(True, filename)}
    return HttpResponse(data, content_type=content_type, headers=headers)


def streamed(
    request: HttpRequest, pieces: Iterator[bytes], filename: str, content_type: str
) -> StreamingHttpResponse:
    """A download that is generated while it is sent.

    Under ASGI, Django would first collect a synchronous iterator in memory; so it is read piece by piece in
    the request's thread.
    """
    content = _in_thread(_gathered(pieces)) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": content_disposition_header(True, filename), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


async def _in_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
