"""The chain of results: what happened on each day, bound to all that happened before.

A closed day is a text that anyone may download: the digest of the day before, then a line for each match that
was finished, for each failed attempt at one, and for each act of an organizer. The lines have the digests of
records, of what the public may know of the attempts (agon.site.matches.attempts), and of entries. The day's
digest is the SHA-256 of that text, so `sha256sum` checks a day, and a record that was downloaded is found in
it. Anyone who noted one digest (it is on the site, and in each archive) notices any later change to a result,
an attempt or an act of that day or an earlier one.

Days are those of UTC. A day is closed some time after its end, when what was begun before midnight is
committed. `check` computes every day again from the database.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import zip_longest
from typing import IO

from django.core.files import File
from django.db import transaction
from django.db.models import Min, Q
from django.utils import timezone

from agon.site.archives.models import Day
from agon.site.archives.one_worker import make_alone
from agon.site.audit.models import Act
from agon.site.core.content_names import sha256_of
from agon.site.matches import attempts, records
from agon.site.matches.models import FailedAttempt, Match, RemovedRecord
from agon.site.matches.states import State

GRACE = timedelta(minutes=10)  # after midnight, until a day is closed
BEGIN = "0" * 64  # in place of the previous digest, for the first day


def head() -> dict[str, str]:
    """The last closed day and its digest, for an archive; empty before the first."""
    last = Day.objects.last()
    return {} if last is None else {"day": last.date.isoformat(), "digest": last.digest}


def is_due() -> bool:
    """Whether there is a day to close."""
    return _next_day() is not None


def close_next() -> Day | None:
    """Close the next day that is over, if there is one. One that cannot be closed is tried again later."""
    closed = make_alone("chain-closing", "the next day of the chain", _close_next) if is_due() else None
    return closed and closed.value


def _close_next() -> Day | None:
    day = _next_day()  # again, now that no other worker can close it
    return None if day is None else _close(day)


def check() -> Iterator[str]:
    """Compute every closed day again from the database; yields a sentence for each difference."""
    previous, before = BEGIN, None
    for day in Day.objects.all():
        if before is not None and day.date != before + timedelta(days=1):
            yield f"{day.date}: expected {before + timedelta(days=1)} after {before}"
        with tempfile.TemporaryFile() as text:
            digest = _write(text, day.date, previous).digest
            if digest != day.digest:
                yield f"{day.date}: {_first_difference(text, day)}"
            elif _stored_digest(day) != day.digest:
                yield f"{day.date}: the stored text {day.lines.name} was changed or is lost"
        previous, before = day.digest, day.date


class _DaySums:
    """The digest of a day's text as far as it is written, and the numbers of its matches and acts."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.matches = self.acts = 0

    @property
    def digest(self) -> str:
        return self.sha256.hexdigest()


def _next_day() -> date | None:
    last = Day.objects.last()
    newest = (timezone.now() - GRACE).date() - timedelta(days=1)
    if last is not None:
        day = last.date + timedelta(days=1)
        return day if day <= newest else None
    first_match = Match.objects.filter(state=State.FINISHED).aggregate(at=Min("finished_at"))["at"]
    first_act = Act.objects.aggregate(at=Min("at"))["at"]
    first_failed = FailedAttempt.objects.aggregate(at=Min("ended"))["at"]
    firsts = (first_match, first_act, first_failed)
    first_day = min((at.date() for at in firsts if at is not None), default=None)
    return first_day if first_day is not None and first_day <= newest else None


def _close(day: date) -> Day:
    last = Day.objects.last()
    with tempfile.TemporaryFile() as text:
        sums = _write(text, day, BEGIN if last is None else last.digest)
        with transaction.atomic():
            closed = Day.objects.create(date=day, digest=sums.digest, matches=sums.matches, acts=sums.acts)
            text.seek(0)
            closed.lines.save(f"{day}.txt", File(text))
    return closed


def _write(text: IO[bytes], day: date, previous: str) -> _DaySums:
    sums = _DaySums()
    for line in _lines(day, previous, sums):
        text.write(line.encode())
        sums.sha256.update(line.encode())
    return sums


def _lines(day: date, previous: str, sums: _DaySums) -> Iterator[str]:
    yield f"results of {day}\n"
    yield f"previous {previous}\n"
    begin = datetime.combine(day, time(), UTC)
    within = begin, begin + timedelta(days=1)
    of_day = Q(finished_at__gte=within[0], finished_at__lt=within[1])
    matches = Match.objects.filter(of_day, state=State.FINISHED).order_by("pk")
    with_records = matches.select_related("recording", "removed_record")
    for match in records.of_many(with_records.iterator(chunk_size=200)):
        sums.matches += 1
        yield f"{_record_digest(match)}  matches/{match.pk}/record.json\n"
    failed = FailedAttempt.objects.filter(ended__gte=within[0], ended__lt=within[1])
    for attempt in failed.iterator(chunk_size=200):
        yield f"{_digest(attempts.public_json(attempt))}  matches/{attempt.match_id}/failed/{attempt.pk}\n"
    for act in Act.objects.filter(at__gte=within[0], at__lt=within[1]).iterator(chunk_size=200):
        sums.acts += 1
        yield f"{_digest(act_json(act))}  acts/{act.pk}\n"


def act_json(act: Act) -> str:
    """An entry of the audit log as JSON, from which its digest is made. It has the actor's id, no name."""
    facts = {
        "at": act.at.astimezone(UTC).isoformat(),
        "actor": act.actor_id,
        "verb": act.verb,
        "competition": act.competition_id,
        "tournament": act.tournament_id,
        "subject": act.subject,
        "reason": act.reason,
        "details": act.details,
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _record_digest(match: Match) -> str:
    removed: RemovedRecord | None = getattr(match, "removed_record", None)
    return records.digest(match) if removed is None else removed.digest


def _stored_digest(day: Day) -> str:
    try:
        with day.lines.open("rb") as stored:
            return sha256_of(stored)
    except OSError:
        return ""


def _first_difference(text: IO[bytes], day: Day) -> str:
    """The first line of the day that has changed since the day was closed, in words."""
    text.seek(0)
    try:
        with day.lines.open("rb") as stored:
            for number, (was, now) in enumerate(zip_longest(stored, text, fillvalue=b"nothing"), 1):
                if was != now:
                    return (
                        f"line {number}: was {was.decode().strip()}, the database has {now.decode().strip()}"
                    )
    except OSError:
        return "the database has changed, and the stored text is lost"
    return f"the text is as it was, its digest is not the stored one, {day.digest}"
