"""The data of the replay player: logs, news of running matches, debug output, and the game's viewer."""

import logging
from collections.abc import Sequence
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from agon.advice import debug_lines
from agon.contest import replay_data
from agon.contest.replay_data import Language
from agon.site.competitions.models import Competition
from agon.site.core.texts.reasons import describe
from agon.site.matches import broadcasts, records
from agon.site.matches.models import Match, Seat
from agon.site.matches.secret_names import names
from agon.site.matches.states import State
from agon.site.tournaments.match_access import may_see_stderr, visible
from agon.site.web.core.paging import whole_number
from games.core import manifest
from games.core.manifest import file_of
from games.core.match_log import MatchLog
from games.core.public import is_watchable, running_log
from games.core.record import BadRecord
from games.core.shown_log import MOST_FRAMES

logger = logging.getLogger(__name__)
CANONICAL = {"sort_keys": True, "separators": (",", ":")}


@require_safe
def log(request: HttpRequest, pk: int) -> HttpResponse:
    """The data of the replay. `?at=5000` selects the part with that frame; `&only=part` omits the rest."""
    match = get_object_or_404(visible(request.user).select_related("tournament", "recording"), pk=pk)
    if match.state != State.FINISHED:
        raise Http404
    try:
        return replay_of(request, records.public_log(match))
    except (FileNotFoundError, BadRecord):
        raise Http404 from None


@require_safe
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The public frames of a running match; with `?attempt=2&from=37`, those since frame 37 of that attempt.

    An open page polls this. The worker publishes frames only while a page does.
    """
    matches = visible(request.user).select_related("competition")
    match = get_object_or_404(matches, pk=pk)
    data: dict[str, object] = {"state": match.state, "attempt": match.attempt}
    if match.state == State.RUNNING and is_watchable(match.competition.game):
        broadcasts.watch(match)
        is_same = request.GET.get("attempt") == str(match.attempt)
        since = whole_number(request.GET.get("from"), 0) if is_same else 0
        seats = match.seats.select_related("submission__bot")
        data |= _news(match, names(match, seats, request.user), since)
    answer = JsonResponse(data, json_dumps_params=CANONICAL)
    answer["Cache-Control"] = "private, no-store"
    return answer


def _news(match: Match, seated: Sequence[str], since: int) -> dict[str, object]:
    published = broadcasts.published(match)
    steps, frames = [step for step, _ in published.frames], [frame for _, frame in published.frames]
    info = match.competition.info
    log = running_log(info.slug, info.version, seated, frames, steps)
    return {"full": published.is_full, **replay_data.news(log, Language(gettext, describe), since)}


def replay_of(request: HttpRequest, log: MatchLog) -> JsonResponse:
    """The part of a log that the request asks for; 404 if a page would have to fetch too many parts."""
    if len(log.frames) > MOST_FRAMES:
        logger.error(
            "%s: a match has %s frames; a replay has at most %s", log.game, len(log.frames), MOST_FRAMES
        )
        raise Http404
    make = replay_data.part if request.GET.get("only") == "part" else replay_data.first_part
    data = make(log, Language(gettext, describe), whole_number(request.GET.get("at"), 0))
    return JsonResponse(data, json_dumps_params=CANONICAL)


@require_safe
def debug(request: HttpRequest, pk: int) -> HttpResponse:
    """Standard error by frame, for the seats whose standard error the reader may see."""
    match = get_object_or_404(visible(request.user).select_related("tournament", "recording"), pk=pk)
    rows = match.seats.select_related("match__tournament", "submission__bot")
    seats = [seat for seat in rows if may_see_stderr(request.user, seat)]
    if match.state != State.FINISHED or not seats:
        raise Http404
    try:
        log = records.public_log(match)
        pieces = [piece for seat in seats for piece in _pieces(log, seat)]
    except (FileNotFoundError, BadRecord):
        raise Http404 from None
    return JsonResponse({"pieces": [piece._asdict() for piece in pieces]})


def _pieces(log: MatchLog, seat: Seat) -> list[debug_lines.Piece]:
    try:
        written = records.stderr(seat)
    except FileNotFoundError:  # that of the other seats may still be there
        return []
    return debug_lines.pieces(log, seat.number, written, records.stderr_asks(seat))


@require_safe
def viewer(request: HttpRequest, game: str) -> HttpResponse:
    """The game's replay viewer."""
    return _script(file_of(game, "viewer.js") if Competition.objects.filter(game=game).exists() else None)


@require_safe
def shared_script(request: HttpRequest, script: str) -> HttpResponse:
    """A script that the viewers of several games import."""
    return _script(manifest.shared_script(script))


def _script(path: Path | None) -> HttpResponse:
    if path is None:
        raise Http404
    return HttpResponse(
        path.read_bytes(),
        content_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": "max-age=300"},
    )
