"""Moves the recordings of matches that are over for a while into packs, where they take a fourth of the room.

Theory of operation.

- A pack has up to 200 recordings of one competition (pack_format). It is rows of the database, as recordings
  are, so that moving one is a transaction: a process that is killed has moved all of a pack, or nothing, and
  backups have each recording once.
- A match does not name its pack: that would be written into each match again, and be 8 bytes. The packs of a
  competition divide the numbers of matches among them: each has those from its `first` up to the next one's.
  A recording that is packed after later ones goes into the pack that covers its number, which is written
  anew, and divided if it gets too large.
- What writes packs of a competition, or moves or removes recordings of it, locks the competition's row.
  Packing compresses before that, because with SQLite all others wait for a transaction that writes. What it
  read is read again under the lock; if that has changed, it is left for the next time.
- Readers take no lock. They look for the row first, and for the pack then, so that they find a recording that
  moves in between.
- Recordings that are damaged stay as they are: they would look whole in a pack.
"""

import bisect
import logging
import math
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction

from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.matches import records
from agon.site.matches.models import Pack, Recording
from agon.site.matches.pack_format import MOST_RECORDINGS, PARTS, DamagedPack, Item, divided, encode
from agon.site.matches.packs import covering, opened
from agon.site.matches.states import State

SETTLED = timedelta(days=1)  # after the end of a match
FEWEST = 25  # recordings that are worth the writing of a pack
_PAGE = 2000  # numbers of matches that are read at once

log = logging.getLogger(__name__)


def pack_settled(seconds: float = math.inf) -> int:
    """Pack the recordings of matches that are over for SETTLED, for some seconds; returns how many."""
    packed, last, end = 0, 0, time.monotonic() + seconds
    waiting: dict[int, list[int]] = defaultdict(list)
    settled = Recording.objects.filter(match__state=State.FINISHED, match__finished_at__lt=now() - SETTLED)
    rows = settled.order_by("pk").values_list("pk", "match__competition")
    while page := list(rows.filter(pk__gt=last)[:_PAGE]):
        last = page[-1][0]
        for match, competition in page:
            waiting[competition].append(match)
            if len(waiting[competition]) == MOST_RECORDINGS and time.monotonic() < end:
                packed += _pack_by_range(competition, waiting.pop(competition))
        if time.monotonic() >= end:
            break
    for competition, matches in waiting.items():
        if time.monotonic() < end:
            packed += _pack_by_range(competition, matches)
    if packed:
        log.info("the recordings of %s matches were packed", packed)
    return packed


def remove(competition: int, matches: Sequence[int]) -> None:
    """Remove the recordings of these matches of the competition, wherever they are."""
    with transaction.atomic():
        _lock(competition)
        Recording.objects.filter(match__in=matches).delete()
        for pack, numbers in _by_pack(competition, matches):
            gone, items = set(numbers), _items(pack)
            kept = [item for item in items if item.match not in gone]
            if len(kept) < len(items):
                _replace(pack, kept)


def add_logs(competition: int, logs: Mapping[int, str]) -> None:
    """Store match logs (JSON, by match) with the recordings of these matches, as far as these are kept."""
    with transaction.atomic():
        _lock(competition)
        for recording in Recording.objects.filter(match__in=logs):
            recording.log = zlib.compress(logs[recording.pk].encode())
            recording.save(update_fields=["log"])
        for pack, matches in _by_pack(competition, logs):
            added = {match: logs[match].encode() for match in matches}
            items = _items(pack)
            changed = [item._replace(log=added.get(item.match, item.log)) for item in items]
            if changed != items:
                _replace(pack, changed)


class _Read(NamedTuple):
    """What is packed together: rows of recordings, and the pack that covers their numbers, if any."""

    recordings: Sequence[Recording]
    pack: Pack | None


def _pack_by_range(competition: int, matches: Sequence[int]) -> int:
    """Pack these, in the order of their numbers, each in the pack that covers it."""
    of_competition = Pack.objects.filter(competition=competition).order_by("first")
    firsts = list(of_competition.values_list("first", flat=True))
    groups: dict[int, list[int]] = defaultdict(list)
    for match in matches:
        groups[bisect.bisect_right(firsts, match)].append(match)
    return sum(_pack(competition, group) for group in groups.values() if len(group) >= FEWEST)


def _pack(competition: int, matches: Sequence[int]) -> int:
    read = _Read(_rows(matches), covering(competition, matches[0]))
    new = [item for item in map(_item, read.recordings) if item is not None]
    try:
        there = [] if read.pack is None else opened(read.pack).items()
    except DamagedPack as error:
        log.error("pack of match %s is damaged, and nothing is added to it: %s", matches[0], error)
        return 0
    known = {item.match for item in there}
    items = sorted([*there, *(item for item in new if item.match not in known)])
    parts, rewritten = list(divided(items)), read.pack
    if there and parts[0] == there:  # the pack is full, and all others come after it
        parts, rewritten = parts[1:], None
    rows = [_row(competition, part) for part in parts]
    with transaction.atomic():
        _lock(competition)
        if not _is_still(competition, matches, read):
            return 0
        _save(rewritten, rows)
        Recording.objects.filter(match__in=[item.match for item in new]).delete()
    return len(new)


def _is_still(competition: int, matches: Sequence[int], read: _Read) -> bool:
    """Whether nothing has changed since. To be called under the lock."""
    current = covering(competition, matches[0])
    if (current is None) != (read.pack is None) or not (read.pack is None or _is_as_read(read.pack)):
        return False
    if current is not None and read.pack is not None and current.pk != read.pack.pk:
        return False
    between = Pack.objects.filter(competition=competition, first__gt=matches[0], first__lte=matches[-1])
    return not between.exists() and list(map(_stored, _rows(matches))) == list(map(_stored, read.recordings))


def _is_as_read(pack: Pack) -> bool:
    current = Pack.objects.filter(pk=pack.pk).first()
    return current is not None and bytes(current.contents) == bytes(pack.contents)


def _items(pack: Pack) -> list[Item]:
    """All that is in it; nothing if it is damaged. Then it stays as it is, for a backup may have it whole."""
    try:
        return opened(pack).items()
    except DamagedPack as error:
        log.error("pack %s is damaged, and left as it is: %s", pack.pk, error)
        return []


def _replace(pack: Pack, items: Sequence[Item]) -> None:
    """Let the pack, and others behind it if it gets too large, have these instead. Under the lock."""
    rows = [_row(pack.competition_id, part) for part in divided(items)]
    if rows:
        _save(pack, rows)
    else:
        pack.delete()


def _save(pack: Pack | None, rows: Sequence[Pack]) -> None:
    """Write the rows, the first one in the place of the pack, whose range begins where it began."""
    if pack is not None and rows:
        rows[0].pk, rows[0].first = pack.pk, min(pack.first, rows[0].first)
    for row in rows:
        row.save()


def _row(competition: int, items: Sequence[Item]) -> Pack:
    return Pack(competition_id=competition, first=items[0].match, **encode(items)._asdict())


def _by_pack(competition: int, matches: Iterable[int]) -> list[tuple[Pack, list[int]]]:
    """The packs that cover these numbers, and which of them each covers."""
    by_pack: list[tuple[Pack, list[int]]] = []
    of_competition = Pack.objects.filter(competition=competition)
    until: int | None = -1  # where the range of the last pack ends
    for match in sorted(matches):
        if until is not None and match >= until:
            pack = covering(competition, match)
            after = of_competition.filter(first__gt=match).order_by("first")
            until = after.values_list("first", flat=True).first()
            if pack is not None:
                by_pack.append((pack, []))
        if by_pack and by_pack[-1][0].first <= match:
            by_pack[-1][1].append(match)
    return by_pack


def _rows(matches: Sequence[int]) -> list[Recording]:
    return list(Recording.objects.filter(match__in=matches).order_by("pk"))


def _stored(recording: Recording) -> tuple[object, ...]:
    return (recording.pk, *(bytes(getattr(recording, part)) for part in PARTS))


def _item(recording: Recording) -> Item | None:
    """What of it is packed; None if a part is damaged."""
    try:
        return Item(recording.match_id, *(records.text_of(recording, part, part) for part in PARTS))
    except FileNotFoundError as error:
        log.error("the recording of match %s is not packed: %s", recording.match_id, error)
        return None


def _lock(competition: int) -> None:
    Competition.objects.select_for_update(no_key=True).get(pk=competition)
