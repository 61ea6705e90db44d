"""Responses that are files, which the browser never shows as a page of this site."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import IO

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

PIECE = 1 << 18  # bytes read from a stream at once: a hop between threads costs more than the bytes
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


def download(data: bytes, filename: str, content_type: str = "application/octet-stream") -> HttpResponse:
    """A response that browsers save as a file with this name."""
    headers = {"Content-Disposition": content_disposition_header(True, filename)}
    return HttpResponse(data, content_type=content_type, headers=headers)


def being_made() -> HttpResponse:
    """503, for a file that a worker makes."""
    words = _("This file is being made. Try again in a few seconds.")
    return HttpResponse(f"{words}\n", "text/plain; charset=utf-8", 503, headers={"Retry-After": "5"})


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


def ranged(
    request: HttpRequest,
    open_file: Callable[[], IO[bytes]],
    size: int,
    digest: str,
    filename: str,
    content_type: str,
) -> HttpResponseBase:
    """A file that never changes under this digest, which is its ETag: whole, or the range that is asked for.

    An interrupted download can be resumed (RFC 9110, 13 and 14). More than one range, which no
    program for downloads asks for, is answered with the whole file.
    """
    etag = f'"{digest}"'
    headers = {"ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
    if etag in _etags(request.headers.get("If-None-Match", "")):
        return HttpResponse(status=304, headers=headers)
    first, last, status = 0, size - 1, 200
    if request.headers.get("If-Range", etag) == etag:
        asked = _range(request.headers.get("Range", ""), size)
        if asked is not None:
            first, last = asked
            if first > last:
                return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{size}"})
            status = 206
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    headers["Content-Length"] = str(last - first + 1)
    if request.method == "HEAD":
        response: HttpResponseBase = HttpResponse(content_type=content_type, status=status)
    else:
        response = streamed(request, _part(open_file, first, last), filename, content_type)
        response.status_code = status
    response["Content-Disposition"] = content_disposition_header(True, filename)
    for name, value in headers.items():
        response[name] = value
    return response


def _etags(given: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in given.split(",")]


def _range(given: str, size: int) -> tuple[int, int] | None:
    """The first and the last byte; the first is behind the last where the file has no such bytes.

    None where the whole file is to be sent: no range is asked for, several are, or it is none.
    """
    parts = _RANGE.fullmatch(given.strip())
    if parts is None or not any(parts.groups()):
        return None
    begin, end = parts.groups()
    if not begin:
        return (max(0, size - int(end)), size - 1) if int(end) else (size, size - 1)
    if end and int(end) < int(begin):
        return None
    return int(begin), min(int(end), size - 1) if end else size - 1


def _part(open_file: Callable[[], IO[bytes]], first: int, last: int) -> Iterator[bytes]:
    """Opens the file when it is read: a response that is not leaves nothing open."""
    with open_file() as file:
        file.seek(first)
        left = last - first + 1
        while left and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


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
