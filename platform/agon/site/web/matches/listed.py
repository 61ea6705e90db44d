"""The rows of a list of matches as HTML, cached for all readers who see the same matches.

Which matches to list is queried for each reader and filter. The cached HTML depends only on the matches, so
no reader sees what they may not see. The cache key contains a stamp of each match, which changes with it.

Afterwards the seats of the reader's own bots get their results as marks, in the places of comments that no
other text can contain, since all of it is escaped. Marks of other seats would only take time.
"""

import hashlib
import re
from collections.abc import Collection, Sequence
from datetime import datetime

from django.core.cache import cache
from django.db.models import Prefetch
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from agon.site.matches.models import Match, Seat
from agon.site.matches.seated import SUBMISSION

CACHE_SECONDS = 10  # readers who follow a list fetch the same change within a second
STAMP = ("pk", "state", "attempt", "finished_at")
SEATS = Seat.objects.select_related("submission__bot__owner").prefetch_related("faults")  # for a match's page

# Owner and result of a seat, and what to try again: slug, match and seat.
_PLACE = re.compile(r"<!--of (\d+) (\w+)(?: ([\w-]+) (\d+) (\d+))?-->")

Stamp = tuple[int, str, int, datetime | None]


def rows(stamps: Sequence[Stamp], readers: Collection[int]) -> SafeString:
    """The rows of these matches, in this order; "" if there are none. stamps: the fields STAMP of each.

    readers: the accounts whose bots are marked (agon.site.teams.queries.acting_accounts).
    """
    if not stamps:
        return SafeString("")
    key = f"matches:{get_language()}:{hashlib.sha256(repr(stamps).encode()).hexdigest()}"
    rendered: str | None = cache.get(key)
    if rendered is None:
        rendered = _render([pk for pk, *_rest in stamps])
        cache.set(key, rendered, CACHE_SECONDS)
    own = set(map(str, readers))
    marked = _PLACE.sub(lambda place: _mark(*place.groups()[1:]) if place[1] in own else "", rendered)
    return mark_safe(marked)  # rendered by the templates


def _mark(result: str, slug: str | None, number: str | None, seat: str | None) -> str:
    context = {"result": result, "slug": slug, "number": number, "seat": seat}
    return str(render_to_string("matches/mark.html", context))


def _render(numbers: Sequence[int]) -> str:
    seats = Prefetch("seats", Seat.objects.prefetch_related("faults", SUBMISSION))
    related = Match.objects.prefetch_related("competition", "tournament", "comparison", seats)
    matches = related.in_bulk(numbers)
    shown = [matches[number] for number in numbers if number in matches]
    return str(render_to_string("matches/rows.html", {"matches": shown, "with_marks": True}))
