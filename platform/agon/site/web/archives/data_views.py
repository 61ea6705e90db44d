"""The matches of a competition as data: the page with the files, and the files."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from agon.site.archives import exporting
from agon.site.competitions.models import Competition
from agon.site.competitions.visibility import Audience, Subject
from agon.site.web.core.downloads import being_made, ranged

TYPES = {
    "parquet": "application/vnd.apache.parquet",
    "gz": "application/gzip",
    "json": "application/json",
    "sig": "text/plain; charset=utf-8",
}


@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    competition = get_object_or_404(Competition, slug=slug)
    day, files = exporting.files_of(competition)
    context = {
        "competition": competition,
        "day": day,
        "files": files,
        "total": sum(export_file.size for export_file in files),
        "is_public": competition.shown_to(Subject.RECORDS) is Audience.EVERYONE,
    }
    return render(request, "archives/data.html", context)


@require_safe
def data_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """A file of the export; 503 while it is made again."""
    competition = get_object_or_404(Competition, slug=slug)
    _day, files = exporting.files_of(competition)
    export_file = next((export_file for export_file in files if export_file.name == name), None)
    if export_file is None:
        raise Http404
    if exporting.is_lost(export_file):
        return being_made()
    content_type = TYPES[name.rpartition(".")[2]]
    saved = f"{competition.slug}-{name}"
    return ranged(request, export_file.file.open, export_file.size, export_file.sha256, saved, content_type)
