"""Events as Atom feeds (RFC 4287): one's notices at a secret address, and what happens in a competition."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.competitions.models import Competition
from agon.site.events import feed_address, notices, words
from agon.site.events.words import Described
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest

ENTRIES = 50
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@require_safe
def of_account(request: HttpRequest, secret: str) -> HttpResponse:
    """The notices that an account wants on the site. Its address is enough: feed readers do not sign in."""
    user = feed_address.account_with(secret)
    if user is None:
        raise Http404
    described = words.describe(list(notices.of_account(user)[:ENTRIES]))
    title = _("Notices for %(name)s") % {"name": user.username}
    response = _response(request, title, reverse("notices"), f"/notices/{user.pk}", described)
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def of_competition(request: HttpRequest, slug: str) -> HttpResponse:
    """What happens to bots and tournaments of a competition. Results are not among it: there are too many."""
    competition = get_object_or_404(Competition, slug=slug)
    described = words.describe(list(notices.of_competition(competition)[:ENTRIES]), public=True)
    page = competition.get_absolute_url()
    return _response(request, competition.title, page, page, described)


@signed_in.act
def change_address(request: SignedInRequest) -> HttpResponse:
    """Make the secret address of one's notices, make it anew, or remove it."""
    if request.POST.get("act") == "remove":
        feed_address.remove(request.user)
    else:
        feed_address.renew(request.user)
    return redirect(reverse("notices") + "#feed")


def _response(
    request: HttpRequest, title: str, page: str, guid: str, described: Sequence[Described]
) -> HttpResponse:
    feed = Atom1Feed(
        title=_for_xml(title),
        link=settings.SITE_URL + page,
        description="",
        language=get_language(),
        author_name=settings.SITE_NAME,
        feed_url=settings.SITE_URL + request.path,
        feed_guid=_tag(guid),
    )
    for entry in described:
        feed.add_item(
            title=_for_xml(entry.text),
            link=settings.SITE_URL + entry.href,
            description=escape(_for_xml(entry.text)),
            unique_id=_tag(f"/events/{entry.event.number}"),
            pubdate=entry.event.at,
            updateddate=entry.event.at,
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=Atom1Feed.content_type)


def _tag(path: str) -> str:
    """A name that stays the same (RFC 4151)."""
    return f"tag:{urlsplit(settings.SITE_URL).hostname},2026:{path}"


def _for_xml(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)
