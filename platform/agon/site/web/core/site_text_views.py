"""The site's imprint and privacy text: Markdown that its operator writes.

They are the files imprint.md and privacy.md in the folder `texts` of AGON_VAR, in other languages beside
them: imprint.ja.md. A page has the link of a text that is there; a changed file is shown at once.
"""

from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.http import require_safe

from agon.site.web.core import markdown

TITLES = {"imprint": gettext_lazy("Imprint"), "privacy": gettext_lazy("Privacy")}


def found(name: str) -> Path | None:
    """The file of a text in the reader's language, else the one without a language; None if there is none."""
    folder = Path(settings.VAR) / "texts"
    names = (f"{name}.{get_language()}.md", f"{name}.md")
    return next((folder / filename for filename in names if (folder / filename).is_file()), None)


@require_safe
def shown(request: HttpRequest, name: str) -> HttpResponse:
    """404 if the site has no such text. What cannot be read as UTF-8 is replaced."""
    path = found(name)
    if path is None:
        raise Http404
    text = markdown.render(path.read_text(encoding="utf-8", errors="replace"))
    title = next((heading.text for heading in text.headings if heading.level == 1), "")
    context = {"name": TITLES[name], "has_title": bool(title), "html": text.html}
    return render(request, "site_text.html", context)
