"""Pages that need a game which cannot be loaded: 503 with the reason, not a failure of the site."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from games.core.manifest import BadManifest, UnknownGame

log = logging.getLogger(__name__)


class BrokenGames(MiddlewareMixin):
    """Responds where a view raises UnknownGame or BadManifest."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, (UnknownGame, BadManifest)):
            return None
        log.error("%s: %s", request.path, exception)
        return render(request, "broken_game.html", {"reason": str(exception)}, status=503)
