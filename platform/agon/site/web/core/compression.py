"""Compresses pages and static files on their way out.

Pages are compressed by Django's own middleware, which hides the length of secrets. Streams are left alone:
archives are compressed already, and an event must not wait for the next one. A site without STATIC_ROOT
serves static files as they are in the source folders; they are compressed once and kept.
"""

import gzip
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

TEXT = ("text/", "image/svg+xml", "application/json")  # how compressible types begin
MOST_KEPT = 200  # files


class Compression(GZipMiddleware):
    """Replaces responses to those who accept gzip."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not response.streaming:
            return super().process_response(request, response)
        if isinstance(response, FileResponse) and _is_static_text(request, response):
            return _compressed_file(request, response)
        return response


def _is_static_text(request: HttpRequest, response: FileResponse) -> bool:
    return (
        request.path.startswith(f"/{settings.STATIC_URL.lstrip('/')}")
        and response.status_code == 200
        and not response.has_header("Content-Encoding")
        and response.headers.get("Content-Type", "").startswith(TEXT)
    )


def _compressed_file(request: HttpRequest, response: FileResponse) -> HttpResponseBase:
    patch_vary_headers(response, ("Accept-Encoding",))
    if "gzip" not in request.headers.get("Accept-Encoding", "") or request.method != "GET":
        return response
    assert response.file_to_stream is not None
    path = Path(response.file_to_stream.name)
    small = _compressed(path, path.stat().st_mtime_ns)
    headers = {name: value for name, value in response.items() if name != "ETag"}
    headers |= {"Content-Encoding": "gzip", "Content-Length": str(len(small))}
    response.close()
    return HttpResponse(small, headers=headers)


@lru_cache(maxsize=MOST_KEPT)
def _compressed(path: Path, changed_ns: int) -> bytes:
    """`changed_ns` is only part of the cache key: an edited file is read again."""
    return gzip.compress(path.read_bytes(), mtime=0)
