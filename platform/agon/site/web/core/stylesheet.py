"""The site's style sheet: the files of static/css and the looks of the games in one.

Its name changes with it, so that browsers may keep it forever.

A page of a competition has the class `look-<game>`, the default look that of no class. The motifs are in the
sheet itself: five of them are as much as one more request.
"""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

import games
from agon.resources import RESOURCES
from games.core import manifest
from games.core.look import Look
from games.core.manifest import BadManifest

FOLDER = RESOURCES / "static" / "css"
PARTS = (  # of equal rules the last one wins
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
    "looks",
)
FILES = tuple(FOLDER / f"{part}.css" for part in PARTS)
NEUTRAL = RESOURCES / "static" / "img" / "motif.svg"  # of games without a motif


class Stylesheet(NamedTuple):
    """digest: of the text, in hexadecimal digits."""

    text: bytes
    digest: str

    @property
    def address(self) -> str:
        return reverse("stylesheet", args=[self.digest])


def stylesheet() -> Stylesheet:
    """The stylesheet, made from the files again if one has changed."""
    files = tuple(file.stat().st_mtime_ns for file in FILES)
    return _joined(files, tuple(games.__path__))


@cache
def _joined(changed_ns: tuple[int, ...], folders: tuple[str, ...]) -> Stylesheet:
    """The arguments only key the cache: an edited file is read again, a game at the next start."""
    files = [file.read_text(encoding="utf-8") for file in FILES]
    text = "\n".join([*files, f":root {{ --motif: {_image(NEUTRAL)}; }}", *_looks()]).encode()
    return Stylesheet(text, hashlib.sha256(text).hexdigest()[:16])


def _looks() -> list[str]:
    """A rule for each game that has a look. A game whose manifest cannot be read has none."""
    result = []
    for slug in manifest.slugs():
        with suppress(BadManifest, OSError):
            look = manifest.load(slug).look
            result += [_rule(slug, look)] if look else []
    return result


def _rule(slug: str, look: Look) -> str:
    return (
        f".look-{slug} {{ --accent: light-dark({look.light}, {look.dark}); "
        f"--accent-soft: light-dark({look.light_soft}, {look.dark_soft}); "
        f"--cover: {look.light}; --motif: {_image(look.motif)}; }}"
    )


def _image(path: Path) -> str:
    return f'url("data:image/svg+xml,{quote(path.read_text(encoding="utf-8"), safe=" /:=,;()")}")'


@require_safe
def view(request: HttpRequest, digest: str) -> HttpResponse:
    """Browsers keep it forever. A page that is older than an update gets the new one for a minute."""
    styles = stylesheet()
    kept = "public, max-age=31536000, immutable" if digest == styles.digest else "public, max-age=60"
    if len(digest) != len(styles.digest):
        raise Http404
    return HttpResponse(styles.text, content_type="text/css; charset=utf-8", headers={"Cache-Control": kept})
