"""The rows of a list of matches as HTML: rendered once for all readers who are shown the same matches.

Which matches they are is queried for each reader and filter. So the cached HTML depends on the matches alone,
and no reader sees what they may not see. A match that changes has another stamp, and so another key.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from django.core.cache import cache
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from matches.models import Match, Seat

KEPT = 10  # seconds: readers who follow a list ask for the same change within one
STAMP = ("pk", "state", "attempt", "finished_at")
SEATS = Seat.objects.select_related("submission__bot__owner").prefetch_related("faults")  # of a match's page

Stamp = tuple[int, str, int, datetime | None]


def rows(stamps: Sequence[Stamp]) -> SafeString:
    """The table of these matches, in their order; "" of none. Each is given by its fields of STAMP."""
    if not stamps:
        return SafeString("")
    key = f"matches:{get_language()}:{hashlib.sha256(repr(stamps).encode()).hexdigest()}"
    found: str | None = cache.get(key)
    if found is None:
        found = _rendered([pk for pk, *_rest in stamps])
        cache.set(key, found, KEPT)
    return mark_safe(found)  # rendered by the template


def _rendered(numbers: Sequence[int]) -> str:
    matches = Match.objects.prefetch_related("seats__faults").in_bulk(numbers)
    shown = [matches[number] for number in numbers if number in matches]
    return str(render_to_string("matches/rows.html", {"matches": shown}))
