"""The matches of a competition as data: which files there are."""

from datetime import date
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.api import lookup
from agon.site.api.problems import Problem
from agon.site.api.shapes import Shape, link
from agon.site.archives import exporting
from agon.site.competitions.visibility import Audience, Subject

router = Router(tags=["competitions"])


class FileShape(Shape):
    name: str
    rows: int
    size: int
    sha256: str
    url: str


class DataShape(Shape):
    """day: null if there is none yet. The manifest among the files has the schemas, too, and is signed."""

    competition: str
    day: date | None = Field(description="It has all that ended before this day began (UTC).")
    files: list[FileShape]


@router.get("/{slug}/data", response=DataShape)
def competition_data(request: Any, slug: str) -> dict[str, Any]:
    """All matches of a competition that everyone may see, as Parquet and JSON lines, made once a night."""
    competition = lookup.competition(slug)
    if competition.shown_to(Subject.RECORDS) is not Audience.EVERYONE:
        raise Problem("not_found", _("The matches of this competition are not for everyone."))
    day, files = exporting.files_of(competition)
    return {
        "competition": slug,
        "day": day,
        "files": [
            FileShape.from_row(export_file, url=link(reverse("data_file", args=[slug, export_file.name])))
            for export_file in files
        ],
    }
