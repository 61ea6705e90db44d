"""Replays on other sites: the page that they frame, the oEmbed endpoint, and the picture beside links."""

from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import patch_cache_control
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from agon.contest import replay_data
from agon.site.matches import records
from agon.site.matches.models import Match
from agon.site.matches.secret_names import names
from agon.site.matches.states import OVER, State
from agon.site.tournaments.match_access import visible
from agon.site.web.core.middleware import CONTENT_SECURITY_POLICY
from agon.site.web.core.paging import whole_number
from agon.site.web.matches import preview_picture
from agon.site.web.matches.preview_picture import HEIGHT, WIDTH, Side
from games.core.manifest import UnknownGame, file_of, load
from games.core.public import is_watchable
from games.core.record import BadRecord
from games.core.wording import exact

FRAMEABLE_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
THEMES = ("light", "dark")
FRAME_WIDTH, FRAME_HEIGHT = 720, 1000  # pixels, if a site asks for no other size
MIN_SIZE = 240  # pixels
PICTURE_SECONDS = 600  # for which a picture is cached: several sites fetch it when a link is posted
FORWARDED = ("step", "autoplay", "speed", "theme")  # parameters that the frame gets from the match page


@xframe_options_exempt
@require_safe
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """The replay alone; for a running match, its public frames.

    The player (static/js/player.js) reads `?step= &autoplay= &speed=` itself.
    """
    match = _public_match(pk)
    viewer = file_of(match.competition.game, "viewer.js") is not None
    is_running = match.state == State.RUNNING and is_watchable(match.competition.game)
    theme = request.GET.get("theme")
    context = {
        "match": match,
        "competition": match.competition,
        "names": _names(match),
        "seats": match.seats.order_by("number") if match.state in OVER else [],
        "theme": theme if theme in THEMES else "",
        "over": match.state in OVER,
        "has_viewer": viewer and match.state == State.FINISHED,
        "is_live": viewer and is_running,
    }
    response = render(request, "matches/embed.html", context)
    response["Content-Security-Policy"] = FRAMEABLE_POLICY
    patch_cache_control(response, private=True)
    return response


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """The oEmbed endpoint (https://oembed.com): how to embed the replay of the match at `?url=`."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse("Only format=json.\n", status=501, content_type="text/plain; charset=utf-8")
    try:
        address = urlsplit(request.GET.get("url", ""))
    except ValueError:
        raise Http404 from None
    match = _public_match(_match_number(address.scheme, address.netloc, address.path))
    width = _bounded(request.GET.get("maxwidth"), FRAME_WIDTH)
    height = _bounded(request.GET.get("maxheight"), FRAME_HEIGHT)
    title = f"{_names(match)} · {match.competition.title}"
    data: dict[str, object] = {
        "version": "1.0",
        "type": "rich",
        "provider_name": settings.SITE_NAME,
        "provider_url": settings.SITE_URL,
        "title": title,
        "width": width,
        "height": height,
        "html": format_html(
            '<iframe src="{}" width="{}" height="{}" title="{}" allow="fullscreen" loading="lazy"></iframe>',
            _embed_address(match, address.query, address.fragment),
            width,
            height,
            title,
        ),
    }
    if match.state == State.FINISHED:
        data |= {
            "thumbnail_url": f"{settings.SITE_URL}{reverse('match_picture', args=[match.pk])}",
            "thumbnail_width": WIDTH,
            "thumbnail_height": HEIGHT,
        }
    return JsonResponse(data, headers={"Access-Control-Allow-Origin": "*"})


@require_safe
def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """The picture that other sites show beside a link to the match."""
    match = _public_match(pk)
    if match.state != State.FINISHED:
        raise Http404
    key = f"match-picture-{pk}"
    data = cache.get(key)
    if data is None:
        data = _draw_picture(match)
        cache.set(key, data, PICTURE_SECONDS)
    return HttpResponse(data, content_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


def _draw_picture(match: Match) -> bytes:
    try:
        curve = replay_data.curve(records.log(match))
    except (FileNotFoundError, BadRecord):
        curve = []
    seats = match.seats.order_by("number")
    sides = [Side(seat.number, seat.name, exact(seat.score or 0), seat.rank or len(seats)) for seat in seats]
    return preview_picture.draw(match.competition.title, sides, curve, _accent(match.competition.game))


def _accent(game: str) -> str:
    try:
        look = load(game).look
    except UnknownGame:
        look = None
    return preview_picture.ACCENT if look is None else look.dark


def _public_match(pk: int) -> Match:
    """A match that everyone may see: what other sites frame must not depend on who is signed in here."""
    matches = visible(AnonymousUser()).select_related("competition", "tournament", "recording")
    return get_object_or_404(matches, pk=pk)


def _names(match: Match) -> str:
    return " – ".join(names(match, match.seats.select_related("submission__bot"), AnonymousUser()))


def _match_number(scheme: str, host: str, path: str) -> int:
    """The number of the match whose page has this URL. Raises Http404."""
    if f"{scheme}://{host}" != settings.SITE_URL:
        raise Http404(_("not an address of this site"))
    try:
        route = resolve(path)
    except Resolver404:
        raise Http404 from None
    if route.url_name not in ("match", "match_embed"):
        raise Http404
    return int(route.kwargs["pk"])


def _embed_address(match: Match, query: str, fragment: str) -> str:
    """The URL of the page to frame, with the step and other parameters of the match page's URL."""
    parameters = dict(part.partition("=")[::2] for part in (*query.split("&"), fragment))
    forwarded = {name: parameters[name] for name in FORWARDED if parameters.get(name)}
    address = f"{settings.SITE_URL}{reverse('match_embed', args=[match.pk])}"
    return f"{address}?{urlencode(forwarded)}" if forwarded else address


def _bounded(text: str | None, most: int) -> int:
    return max(MIN_SIZE, min(most, whole_number(text, most)))
