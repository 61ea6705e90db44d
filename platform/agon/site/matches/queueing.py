"""Queues matches."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from agon.contest import secret_seeds
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches.models import Match, Seat

# Why a match was withdrawn.
BOT_LEFT = StoredReason("one_bot_left")


@transaction.atomic
def queue(
    competition: Competition, kind: Match.Kind, where: Match.Queue, seats: Sequence[Submission], **fields: Any
) -> Match:
    """Queue one match between `seats`, with an unpredictable secret seed, and notify workers."""
    match = Match.objects.create(
        competition=competition, kind=kind, queue=where, **{"seed": secret_seeds.draw()} | fields
    )
    Seat.objects.bulk_create(
        Seat(match=match, number=number, submission=each, name=each.bot.name)
        for number, each in enumerate(seats)
    )
    notify_on_commit(where)
    return match


@transaction.atomic
def queue_many(matches: Iterable[tuple[Match, Sequence[tuple[int, str]]]], where: Match.Queue) -> int:
    """Queue unsaved matches, each with the ids and names of its submissions by seat; returns how many."""
    pairs = list(matches)
    saved = Match.objects.bulk_create([match for match, _ in pairs], batch_size=500)
    Seat.objects.bulk_create(
        (
            Seat(match=match, number=number, submission_id=submission, name=name)
            for match, (_, seats) in zip(saved, pairs, strict=True)
            for number, (submission, name) in enumerate(seats)
        ),
        batch_size=1000,
    )
    notify_on_commit(where, len(pairs))
    return len(pairs)
