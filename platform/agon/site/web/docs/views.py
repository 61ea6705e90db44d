"""The documentation: its index, pages, as Markdown, too, and images."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from agon.site.web.docs import pages


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _shown(request, pages.INDEX)


@require_safe
def page(request: HttpRequest, page: str) -> HttpResponse:
    if page == pages.INDEX:
        raise Http404
    return _shown(request, page)


@require_safe
@cache_control(public=True, max_age=3600)
def markdown(request: HttpRequest, page: str) -> HttpResponse:
    """A page as Markdown, in English, for programs."""
    names = [entry.name for section in pages.contents(pages.FALLBACK) for entry in section.entries]
    if page not in names:
        raise Http404
    return HttpResponse(pages.source(page), content_type="text/markdown; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=3600)
def llms(request: HttpRequest) -> HttpResponse:
    """Where programs that write bots begin, as llmstxt.org lays such files out. Always in English."""
    context = {"site": settings.SITE_URL, "contents": pages.contents(pages.FALLBACK)}
    return render(request, "docs/llms.txt", context, content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=86400)
def image(request: HttpRequest, image: str) -> HttpResponse:
    if image not in pages.images():
        raise Http404
    return HttpResponse((pages.IMAGES / image).read_bytes(), content_type="image/png")


def _shown(request: HttpRequest, name: str) -> HttpResponse:
    language = get_language() or pages.FALLBACK
    contents = pages.contents(language)
    entries = [entry for section in contents for entry in section.entries]
    names = [pages.INDEX, *(entry.name for entry in entries)]
    if name not in names:
        raise Http404
    place = names.index(name)  # among the entries, from 1; 0 is the index
    context = {
        "document": pages.document(name, language),
        "contents": contents,
        "name": name,
        "section": next(
            (content for content in contents if name in [entry.name for entry in content.entries]), None
        ),
        "previous": entries[place - 2] if place > 1 else None,
        "next": entries[place] if place < len(entries) else None,
    }
    return render(request, "docs/page.html", context)
