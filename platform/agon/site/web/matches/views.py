"""The list of matches, and one match: seats, result, transcript, and files."""

import hashlib
from functools import partial
from io import BytesIO

from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from agon.site.archives import services as archives
from agon.site.archives.seals import NotSigned
from agon.site.competitions.models import Competition
from agon.site.matches import attempts, records, transcript
from agon.site.matches.models import Match, RemovedRecord, Seat
from agon.site.matches.secret_names import may_know, names
from agon.site.matches.states import OVER, State
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments.match_access import may_see_stderr, visible
from agon.site.use_cases import trying_again, waiting
from agon.site.use_cases.waiting import Place
from agon.site.web.core.downloads import being_made, download, ranged
from agon.site.web.core.paging import Page
from agon.site.web.matches import listed
from agon.site.web.matches.forms import MatchFilter
from games.core.manifest import file_of
from games.core.public import is_watchable
from games.core.record import BadRecord

MATCHES = 40  # per page of the list
SCENES = 100  # per page of a transcript


@require_safe
def matches(request: HttpRequest, slug: str) -> HttpResponse:
    """The list. Open pages fetch `?part=rows` again when a match was played."""
    competition = get_object_or_404(Competition, slug=slug)
    part = request.GET.get("part") == "rows"
    matches = visible(request.user).filter(competition=competition)
    context: dict[str, object] = {"competition": competition}
    if not part or MatchFilter.is_used(request.GET):  # the rows alone are requested often: at each change
        context["filter"] = chosen = MatchFilter(request.GET, competition, request.user)
        matches = chosen.apply(matches)
    if not request.GET.get("kind"):  # a challenge queues all of its matches at once: they would fill the page
        matches = matches.exclude(kind=Match.Kind.CHALLENGE, state=State.QUEUED)
    page = Page(matches.order_by("-pk").values_list(*listed.STAMP), MATCHES, request.GET.get("page"))
    context |= {"page": page, "rows": listed.rows(page.items, acting_accounts(request.user))}
    return render(request, "matches/list_part.html" if part else "matches/list.html", context)


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Open pages poll `?part=match` until it is over; `?raw=1` shows the raw messages."""
    match = _match(request, pk)
    part = request.GET.get("part") == "match"
    place = waiting.of_match(match)
    seen = _seen(match, place)
    if part and request.GET.get("seen") == seen:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    seats = sorted(match.seats.all(), key=lambda seat: (seat.rank or 0, seat.number))
    is_played = match.state == State.FINISHED  # until then there is no standard error to ask for
    readable = [seat for seat in seats if is_played and may_see_stderr(request.user, seat)]
    has_viewer = file_of(match.competition.game, "viewer.js") is not None
    shown_names = names(match, seats, request.user)
    context = {
        "match": match,
        "competition": match.competition,
        "at_home": any(seat.submission.is_home for seat in seats),
        "seats": [seat for seat in seats if may_know(match, seat, request.user)],
        "hidden": match.names_are_secret,
        "names": " – ".join(shown_names),
        "over": match.state in OVER,
        "seen": seen,
        "place": place,
        "attempts": attempts.shown(match, shown_names),
        "has_viewer": has_viewer,
        "is_live": has_viewer and match.state == State.RUNNING and is_watchable(match.competition.game),
        "to_try": trying_again.seats(request.user, match, seats),
        "stderr": [stderr_view for stderr_view in map(transcript.stderr, readable) if stderr_view],
        "files": _file_names(match),
        **_transcript(request, match),
    }
    return render(request, "matches/match_part.html" if part else "matches/match.html", context)


def _seen(match: Match, place: Place | None) -> str:
    """The version of the page. Open pages send theirs when they poll; if it differs, they are out of date."""
    if place is not None:
        return f"{match.state}-{place.stamp}"
    return f"{match.state}-{match.attempt}" if match.state == State.RUNNING else match.state


def _match(request: HttpRequest, pk: int) -> Match:
    matches = visible(request.user).select_related("competition", "tournament", "qualifies", "recording")
    return get_object_or_404(matches.prefetch_related(Prefetch("seats", listed.SEATS)), pk=pk)


def _transcript(request: HttpRequest, match: Match) -> dict[str, object]:
    if match.state != State.FINISHED:
        return {}
    try:
        log = records.public_log(match)
    except FileNotFoundError:
        return {"lost": True, "removed": RemovedRecord.objects.filter(match=match).exists()}
    except BadRecord:
        return {"unplayable": True}
    has_story = transcript.has_story(match.competition.game)
    raw = request.GET.get("raw") == "1" or not has_story
    scenes = None if raw else transcript.story(log)
    parts = transcript.exchanges(log) if scenes is None else scenes
    page = Page(parts, SCENES, request.GET.get("page"))
    if scenes is not None:
        page.items = transcript.shortened(page.items)
    return {
        "raw": scenes is None,
        "story_failed": scenes is None and not raw,
        "fault_pages": {
            anchor: 1 + number // SCENES for anchor, number in transcript.fault_positions(parts).items()
        },
        "has_story": has_story,
        "page": page,
    }


def _file_names(match: Match) -> list[str]:
    try:
        return sorted(records.files(match))
    except FileNotFoundError:
        return []


@require_safe
def record(request: HttpRequest, pk: int) -> HttpResponse:
    match = get_object_or_404(visible(request.user).select_related("tournament"), pk=pk)
    try:
        data = records.public_json(match)
    except (FileNotFoundError, ValueError):
        raise Http404 from None
    return download(data, f"match-{pk}.json", "application/json")


@require_safe
def archive(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The match as a zip that `agon verify` checks; standard error only for those who may see it.

    503 if the process that signs it takes too long.
    """
    match = _match(request, pk)
    if not match.seed_is_public:  # every file of an archive has its digest there, and a record its seed
        raise Http404
    try:
        data = archives.of_match(match, partial(may_see_stderr, request.user))
    except FileNotFoundError:
        raise Http404 from None
    except NotSigned:
        return being_made()
    digest = hashlib.sha256(data).hexdigest()
    return ranged(request, lambda: BytesIO(data), len(data), digest, f"match-{pk}.zip", "application/zip")


@require_safe
def file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """One of the game's output files, such as a history."""
    match = get_object_or_404(visible(request.user), pk=pk)
    if name not in _file_names(match):
        raise Http404
    texts = records.files(match)
    return download(texts[name].encode(), f"match-{pk}-{name}", "text/plain; charset=utf-8")


@require_safe
def stderr(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """The standard error of a bot; 404 except for its owner and organizers.

    They must also be allowed to see the match.
    """
    seats = Seat.objects.select_related("match__tournament", "submission__bot")
    visible_matches = visible(request.user).filter(pk=pk)
    seat = get_object_or_404(seats, match__in=visible_matches, number=number)
    if not may_see_stderr(request.user, seat) or not transcript.stderr(seat):
        raise Http404
    return download(records.stderr(seat), f"match-{pk}-{number}.stderr.txt", "text/plain; charset=utf-8")
