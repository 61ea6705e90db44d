"""What organizers of a competition announce."""

from datetime import datetime
from typing import Any

from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.api import cursors, lookup
from agon.site.api.access import ORGANIZE
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.shapes import Page, Shape, link
from agon.site.competitions import announcing
from agon.site.competitions.announcing import LONGEST_TEXT, Words
from agon.site.competitions.models import Announcement
from agon.site.competitions.settings import LONGEST_TITLE

router = Router(tags=["announcements"])


class AnnouncementShape(Shape):
    """What everyone can read. edited: null if it never was."""

    id: int
    competition: str
    title: str
    text: str = Field(description="Markdown.")
    author: str
    created: datetime
    edited: datetime | None
    revision: int = Field(description="To be sent with a change.")
    url: str


class NewAnnouncement(Shape):
    title: str = Field(max_length=LONGEST_TITLE)
    text: str = Field(max_length=LONGEST_TEXT, description="Markdown.")


class AnnouncementChange(NewAnnouncement):
    revision: int = Field(ge=1, description="Of the announcement that is changed.")


@router.get("/competitions/{slug}/announcements", response=Page[AnnouncementShape])
def announcements(request: Any, slug: str, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """What was announced in a competition and not withdrawn, the newest first."""
    announcements = announcing.shown(lookup.competition(slug))
    return cursors.newest_first(f"announcements-{slug}", announcements, cursor, limit, _shape)


@router.post(
    "/competitions/{slug}/announcements",
    auth=ORGANIZE,
    tags=["organizing"],
    response={201: AnnouncementShape},
)
def announce(request: Any, slug: str, wanted: NewAnnouncement) -> Status[Any]:
    """Announce something to those who take part or follow. The same words again are the same announcement."""
    competition = lookup.competition_to_run(request, slug)
    made = announcing.announce(competition, Words(wanted.title, wanted.text), request.user)
    return Status(201, _shape(made))


@router.get("/announcements/{id}", response=AnnouncementShape)
def announcement(request: Any, id: int) -> dict[str, Any]:
    """One announcement."""
    return _shape(_get(id))


@router.put("/announcements/{id}", auth=ORGANIZE, tags=["organizing"], response=AnnouncementShape)
def edit(request: Any, id: int, wanted: AnnouncementChange) -> dict[str, Any]:
    """Change its words; it is marked as edited. 409 if it was edited since that revision."""
    announcement = _to_run(request, id)
    words = Words(wanted.title, wanted.text)
    return _shape(announcing.edit(announcement, words, wanted.revision, request.user))


@router.delete("/announcements/{id}", auth=ORGANIZE, tags=["organizing"], response={204: None})
def withdraw(request: Any, id: int) -> Status[Any]:
    """Withdraw it: nobody reads it any more."""
    announcing.withdraw(_to_run(request, id), request.user)
    return Status(204, None)


def _get(id: int) -> Announcement:
    """One that is not withdrawn. Raises Problem."""
    shown = Announcement.objects.filter(withdrawn=None).select_related("competition", "author")
    return lookup.one(shown, id)


def _to_run(request: Any, id: int) -> Announcement:
    result = _get(id)
    lookup.competition_to_run(request, result.competition.slug)
    return result


def _shape(announcement: Announcement) -> dict[str, Any]:
    return AnnouncementShape.from_row(
        announcement,
        competition=announcement.competition.slug,
        author=announcement.author.shown_name,
        url=link(announcement.get_absolute_url()),
    )
