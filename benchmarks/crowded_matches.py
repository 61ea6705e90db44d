"""Makes the matches and tournaments of a crowded site, for benchmarks/crowded.py."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from agon.contest.arena import Played
from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.core.db.bulk import update_rows
from agon.site.matches import results
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.queueing import Planned, queue_many
from agon.site.matches.states import State
from agon.site.tournaments import scheduling
from agon.site.tournaments import services as tournaments
from agon.site.tournaments.models import Tournament
from benchmarks.crowded_bots import Entered, Place
from games.core.reason import Reason

SHOWN = 8  # really played matches in each competition
CHUNK = 2000  # matches
FAULTY = 0.03  # of all matches have a fault


def play_ladder(places: Sequence[Place], count: int, rng: random.Random) -> None:
    """Make rated matches of all competitions: a fifth of them in the first one, half in the first ten."""
    weights = [36 if number == 0 else 6 if number < 10 else 1 for number in range(len(places))]
    chosen = iter(rng.choices(places, weights, k=count))
    while chunk := list(itertools.islice(chosen, CHUNK)):
        _write_matches([(place, rng.sample(place.bots, place.game.info.min_seats)) for place in chunk], rng)


def _write_matches(chosen: Sequence[tuple[Place, Sequence[Entered]]], rng: random.Random) -> None:
    """Store a rated match, with a drawn result, for each of these choices of bots."""
    moment = timezone.now() - timedelta(minutes=30)
    ended = [_draw_result(place, seated, rng) for place, seated in chosen]
    rows = [
        _match(place, rng.getrandbits(60), steps=steps, seconds=0.2, **_finished(moment))
        for (place, _), (_, steps) in zip(chosen, ended, strict=True)
    ]
    saved = Match.objects.bulk_create(rows, batch_size=500)
    seats = Seat.objects.bulk_create(
        (
            Seat(
                match=match,
                number=number,
                submission_id=bot.submission,
                name=bot.name,
                score=score,
                rank=rank,
                won=won,
                slowest=rng.random(),
            )
            for match, (_, seated), (places, _) in zip(saved, chosen, ended, strict=True)
            for number, (bot, (score, rank, won)) in enumerate(zip(seated, places, strict=True))
        ),
        batch_size=1000,
    )
    _add_faults([seat for seat in seats if rng.random() < FAULTY / 3], rng)


def _match(place: Place, seed: int, **facts: Any) -> Match:
    """A match of the ladder that is not saved."""
    return Match(
        competition=place.competition, kind=Match.Kind.LADDER, queue=Match.Queue.BULK, seed=seed, **facts
    )


def _finished(moment: datetime) -> dict[str, Any]:
    worker = "machine:0:1"
    return {"state": State.FINISHED, "attempt": 1, "started": moment, "finished_at": moment, "worker": worker}


def _add_faults(seats: Sequence[Seat], rng: random.Random) -> None:
    Fault.objects.bulk_create(
        (
            Fault(
                seat=seat,
                kind=rng.choice(("timeout", "crash", "illegal")),
                step=rng.randrange(9),
                reason=Reason("exited", status=1),
            )
            for seat in seats
        ),
        batch_size=500,
    )


def _draw_result(
    place: Place, seated: Sequence[Entered], rng: random.Random
) -> tuple[list[tuple[str, int, bool]], int]:
    """Draw a result: (score, rank, won) by seat, and the number of steps. Stronger bots are usually ahead."""
    chosen = rng.choice(place.game.results)
    order = sorted(range(len(seated)), key=lambda seat: -seated[seat].strength - rng.gauss(0, 200))
    one_winner = chosen.ranks.count(1) == 1
    by_seat = {
        seat: (chosen.scores[number], chosen.ranks[number], one_winner and chosen.ranks[number] == 1)
        for number, seat in enumerate(order)
    }
    return [by_seat[seat] for seat in range(len(seated))], chosen.steps


def play_tournament(
    organizer: User, place: Place, name: str, rounds: int, entrants: int, rng: random.Random
) -> None:
    tournament = tournaments.create(
        organizer,
        place.competition,
        f"{name} of {entrants}",
        name,
        rounds,
        1,
        bots_of(place, entrants),
    )
    tournaments.start(tournament, organizer)
    known = {bot.submission: bot for bot in place.bots}
    while not Tournament.objects.get(pk=tournament.pk).is_over:
        while scheduling.schedule(tournament):
            pass
        _end_matches(place, tournament, known, rng)
        scheduling.settle(tournament.pk)


def bots_of(place: Place, count: int) -> list[Bot]:
    chosen = [bot.submission for bot in place.bots[:count]]
    return list(Bot.objects.filter(active__in=chosen).order_by("pk"))


def _end_matches(place: Place, tournament: Tournament, known: dict[int, Entered], rng: random.Random) -> None:
    """Finish all queued matches of the tournament."""
    queued = tournament.matches.filter(state=State.QUEUED)
    rows = (
        Seat.objects.filter(match__in=queued).order_by("match", "number").values_list("match", "submission")
    )
    ended, seats = [], []
    for match, seat_rows in itertools.groupby(rows.iterator(), key=lambda row: row[0]):
        by_seat, steps = _draw_result(place, [known[submission] for _, submission in seat_rows], rng)
        ended.append((match, steps))
        seats += [(match, number, *result) for number, result in enumerate(by_seat)]
    for chunk in _chunks(seats):
        update_rows(Seat, ["match_id", "number"], ["score", "rank", "won"], chunk)
    for chunk in _chunks(ended):
        update_rows(Match, ["id"], ["steps"], chunk)
    queued.update(seconds=0.2, **_finished(timezone.now()))
    # Faults of one entrant only: if the game disqualifies for a fault, the others still have standings.
    faulty = tournament.entrants.values_list("submission", flat=True)[0]
    _add_faults(list(Seat.objects.filter(match__tournament=tournament, submission=faulty)[:9]), rng)


def _chunks(rows: Sequence[tuple[object, ...]]) -> Iterator[Sequence[tuple[object, ...]]]:
    for first in range(0, len(rows), CHUNK):
        yield rows[first : first + CHUNK]


def play_shown(places: Sequence[Place]) -> list[int]:
    """Store really played matches in each competition; returns their ids."""
    ids = []
    for place in places:
        for names, played in itertools.islice(itertools.cycle(place.game.played), SHOWN):
            ids.append(_store_played(place, [place.house[name] for name in names], played))
    return ids


def _store_played(place: Place, seated: Sequence[Entered], played: Played) -> int:
    match = _match(place, played.log.seed, **_finished(timezone.now()))
    match.save()
    Seat.objects.bulk_create(
        Seat(match=match, number=number, submission_id=entered.submission, name=entered.name)
        for number, entered in enumerate(seated)
    )
    results.write([results.just_ended(match, played)])
    return match.pk


def queue_some(places: Sequence[Place], rng: random.Random) -> None:
    """Queue matches that are never played."""
    for _ in range(300):
        place = rng.choice(places)
        seed, seats = rng.getrandbits(60), rng.sample(place.bots, place.game.info.min_seats)
        planned = Planned([(seat.submission, seat.name) for seat in seats], seed)
        queue_many(place.competition, Match.Kind.LADDER, [planned])
