"""Fills an empty site with competitions, users, bots, matches and tournaments, for benchmarks/pages.py.

Bots, results and times are drawn from a fixed seed. Tournaments are created, scheduled and ended by the
site's own services. Some matches between house bots are really played, and have records, so that their pages
have something to show; the others have only results. With PostgreSQL, ladder matches beyond those that are
drawn are copies, with records in packs (benchmarks/crowded_copies.py).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.archives.models import Day
from agon.site.bots.models import Bot, Submission
from agon.site.comparisons.models import Comparison
from agon.site.matches import results
from agon.site.matches.models import Match, Seat, Stderr, WorkerTime
from agon.site.matches.states import State
from agon.site.tournaments import services as tournaments
from agon.site.trials.models import Trial
from benchmarks import crowded_copies
from benchmarks.crowded_bots import Place, enter, make_game, make_people, make_place
from benchmarks.crowded_matches import bots_of, play_ladder, play_shown, play_tournament, queue_some

DRAWN = 50_000  # matches at a time; with PostgreSQL, all others are copies
GAMES = ("honest_rps", "coup", "samurai", "camel_up", "language_survival")


@dataclass
class Crowded:
    """What the benchmark needs to know of the site that it filled."""

    places: list[Place]
    people: list[User]
    organizer: User
    staff: User
    shown: list[int] = field(default_factory=list)  # ids of matches with a record


def fill(competitions: int, matches: int, sandbox: str | None) -> Crowded:
    """Fill the database with this number of competitions and finished matches."""
    rng = random.Random(13)
    games = [make_game(slug, sandbox) for slug in GAMES]
    people = make_people(15 * competitions)
    competitor = people[0]
    organizer = User.objects.create_user("olga", password=None)
    _grant(organizer, "tournaments.add_tournament")
    staff = User.objects.create_superuser("boss", password=None)
    places = [make_place(number, games[number % len(games)]) for number in range(competitions)]
    for number, place in enumerate(places):
        enter(place, people, competitor, _count_bots(number), rng)
    crowded = Crowded(places, people, organizer, staff)
    big = min(matches // 8, 12_000)
    play_ladder(places, min((matches - big) * 3 // 5, DRAWN), rng)
    _make_tournaments(crowded, big, rng)
    crowded.shown = play_shown(places)
    _make_everything_else(crowded, rng)
    left = matches - Match.objects.filter(state=State.FINISHED).count()
    drawn = max(0, min(left, DRAWN)) if connection.vendor == "postgresql" else max(0, left)
    play_ladder(places, drawn, rng)
    if left > drawn:
        crowded_copies.copy(places, left - drawn)
    queue_some(places, rng)
    return crowded


def _grant(user: User, *names: str) -> None:
    for name in names:
        app, codename = name.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))


def _count_bots(number: int) -> int:
    """The number of users' bots in a competition: the first is crowded, nine are large, the others small."""
    return 1000 if number == 0 else 120 if number < 10 else 14 + number % 30


def _make_tournaments(crowded: Crowded, big: int, rng: random.Random) -> None:
    """One tournament of about `big` matches, and one small tournament and a draft in each competition."""
    first = crowded.places[0]
    entrants = 47
    rounds = max(1, big // (entrants * (entrants - 1)))
    play_tournament(crowded.organizer, first, "round_robin", rounds, entrants, rng)
    for number, place in enumerate(crowded.places):
        pairs = place.game.info.min_seats == 2
        name = ("swiss", "single_elimination", "round_robin")[number % 3] if pairs else "balanced"
        rounds = {"swiss": 4, "single_elimination": 1}.get(name, 2)
        play_tournament(crowded.organizer, place, name, rounds, 8 if number >= 10 else 16, rng)
        draft = tournaments.create(
            crowded.organizer, place.competition, "Draft", name, rounds, 1, bots_of(place, 8)
        )
        if number % 10 == 0:
            tournaments.start(draft, crowded.organizer)
            tournaments.pause(draft, crowded.organizer, "")


def _make_everything_else(crowded: Crowded, rng: random.Random) -> None:
    """Make everything else that pages show: comparisons, trials, days of the chain, worker time."""
    competitor = crowded.people[0]
    for place in crowded.places[:5]:
        own = Submission.objects.filter(bot__competition=place.competition, bot__owner=competitor).order_by(
            "-number"
        )
        new, old = own[0], own[1]
        Comparison.objects.create(
            competition=place.competition,
            owner=competitor,
            new=new,
            old=old,
            state=Comparison.State.FINISHED,
            seed=rng.getrandbits(60),
            seats=place.game.info.min_seats,
            least="1/10",
            most_cycles=100,
            queued=20,
            verdict="undecided",
            value=0.0,
            low=-0.1,
            high=0.1,
        )
        names, played = crowded.places[0].game.played[0]
    recording = results.pack(played)
    for number in range(200):
        place = crowded.places[0]
        Trial.objects.create(
            competition=place.competition,
            owner=competitor if number == 0 else None,
            person=f"browser {number}",
            network="n",
            name=names[0],
            language="python",
            text="pass\n",
            opponent_id=place.house[names[1]].submission,
            state=Trial.State.FINISHED,
            used=0.5,
            record=recording.record,
            times=recording.times,
        )
    today = timezone.now().date()
    for days in range(60):
        day = Day(date=today - timedelta(days=days + 1), digest=f"{days:064x}", matches=1000, acts=5)
        day.lines.save(f"{days}.txt", ContentFile(b"a line\n" * 1000))
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    bots = Bot.objects.filter(house=False).values_list("pk", flat=True)[:2000]
    WorkerTime.objects.bulk_create(WorkerTime(bot_id=pk, since=hour, seconds=rng.random()) for pk in bots)
    seats = Seat.objects.filter(match__in=crowded.shown[::5])
    Stderr.objects.bulk_create(
        (Stderr(seat=seat, data=recording.stderr[0]) for seat in seats if 0 in recording.stderr),
        ignore_conflicts=True,
    )
