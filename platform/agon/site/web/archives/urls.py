"""URLs of the pages in the views of this folder."""

from datetime import date

from django.urls import path, register_converter

from agon.site.archives.models import Download
from agon.site.web.archives import data_views, views


class Day:
    """A URL converter for dates."""

    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


register_converter(Day, "day")
FILES = {
    Download.Kind.ARCHIVE: "archive",
    Download.Kind.CSV: "results.csv",
    Download.Kind.JSONL: "results.jsonl",
    Download.Kind.PARQUET: "results.parquet",
    Download.Kind.SOURCES: "sources",
}
urlpatterns = [
    *(
        path(f"tournaments/<int:pk>/{file}", views.tournament_download, {"kind": kind}, f"tournament_{kind}")
        for kind, file in FILES.items()
    ),
    path("tournaments/<int:pk>/logs.jsonl", views.tournament_logs, name="tournament_logs"),
    path("c/<slug:slug>/data/", data_views.data, name="data"),
    path("c/<slug:slug>/data/<str:name>", data_views.data_file, name="data_file"),
    path("archives/signers", views.signers, name="archive_signers"),
    path("chain/", views.chain, name="chain"),
    path("chain/<day:day>.txt", views.chain_day, name="chain_day"),
]
