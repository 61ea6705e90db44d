"""The site's style sheet: the files of static/css in one, under a name that changes with it."""

import hashlib
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

FOLDER = settings.BASE_DIR / "static" / "css"
PARTS = (
    "tokens",
    "base",
    "layout",
    "components",
    "forms",
    "play",
    "tournaments",
    "editor",
    "pages",
    "charts",
)  # later ones win


class Stylesheet(NamedTuple):
    """digest: of the text, in hexadecimal digits."""

    text: bytes
    digest: str

    @property
    def address(self) -> str:
        return reverse("stylesheet", args=[self.digest])


def stylesheet() -> Stylesheet:
    """As the files are now."""
    return _joined(tuple((FOLDER / f"{part}.css").stat().st_mtime_ns for part in PARTS))


@cache
def _joined(changed_ns: tuple[int, ...]) -> Stylesheet:
    """`changed_ns` only keys the cache: an edited file is read again."""
    text = b"\n".join((FOLDER / f"{part}.css").read_bytes() for part in PARTS)
    return Stylesheet(text, hashlib.sha256(text).hexdigest()[:16])


@require_safe
def view(request: HttpRequest, digest: str) -> HttpResponse:
    """Browsers keep it forever. A page that is older than an update gets the new one for a minute."""
    found = stylesheet()
    kept = "public, max-age=31536000, immutable" if digest == found.digest else "public, max-age=60"
    if len(digest) != len(found.digest):
        raise Http404
    return HttpResponse(found.text, content_type="text/css; charset=utf-8", headers={"Cache-Control": kept})
