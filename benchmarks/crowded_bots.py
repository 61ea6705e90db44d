"""Makes the competitions, users and bots of a crowded site, for benchmarks/crowded.py."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from agon.cli.building import artifact_store, build_players
from agon.cli.resolve import Bot as NamedBot
from agon.contest.arena import Played, box_limits, play
from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot, Submission
from agon.site.bots.packing import packed
from agon.site.bots.states import State as SubmissionState
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard, PairCount, Rated, Rating, RatingPoint, SeatCount
from games.core.manifest import GameInfo, load
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool
from sandbox.uploads.accept import read_path

HOUSE = 4  # bots of each game
PLAYED = 6  # real matches of each game
WORDS = ("red", "blue", "quick", "lazy", "brave", "calm", "dark", "early", "fair", "happy", "keen", "odd")


class Result(NamedTuple):
    """A possible result of a match: scores and ranks, best first."""

    scores: tuple[str, ...]
    ranks: tuple[int, ...]
    steps: int


class Entered(NamedTuple):
    """An active version of a bot. strength: in rating points."""

    submission: int
    name: str
    strength: float


@dataclass
class Game:
    """A game. played: real matches between its house bots, each with the names by seat."""

    info: GameInfo
    house: list[tuple[str, str, str, str]] = field(
        default_factory=list
    )  # name, digest, filename, stored file
    played: list[tuple[tuple[str, ...], Played]] = field(default_factory=list)

    @property
    def results(self) -> list[Result]:
        drawable = []
        for _, played in self.played:
            log = played.log
            order = sorted(range(len(log.ranks)), key=lambda seat: log.ranks[seat])
            scores, ranks = (
                tuple(log.scores[seat] for seat in order),
                tuple(log.ranks[seat] for seat in order),
            )
            drawable.append(Result(scores, ranks, 1 + max(exchange.step for exchange in log.exchanges)))
        return drawable


@dataclass
class Place:
    """A competition with its active bots; house bots are also found by name."""

    competition: Competition
    game: Game
    bots: list[Entered] = field(default_factory=list)
    house: dict[str, Entered] = field(default_factory=dict)


def make_game(slug: str, sandbox: str | None) -> Game:
    """Build the game's first Python house bots and play matches between them."""
    info = load(slug)
    bots = [
        house_bot for house_bot in info.house if house_bot.language == "python" and house_bot.path.is_file()
    ][:HOUSE]
    game = Game(info)
    for bot in bots:
        filename, data = packed(bot.path)
        stored = default_storage.save(f"sources/{slug}-{filename}", ContentFile(data))
        game.house.append((bot.name, read_path(bot.path).digest, filename, stored))
    with artifact_store() as store:
        name, players = build_players(info, [NamedBot(bot.name, bot.path) for bot in bots], sandbox, store)
        with closing(open_sandbox(name)) as opened, closing(Pool(opened, box_limits(info), 8)) as pool:
            for number in range(PLAYED):
                seats = [players[(number + seat) % len(players)] for seat in range(info.min_seats)]
                played = play(info, seats, 1000 + number, pool)
                game.played.append((tuple(player.name for player in seats), played))
    return game


def make_people(count: int) -> list[User]:
    house_user()
    names = (f"{WORDS[number % len(WORDS)]}{number}" for number in range(count))
    people = [User(username=name, name_key=name, password="!") for name in names]
    return User.objects.bulk_create(people, batch_size=500)


def make_place(number: int, game: Game) -> Place:
    slug = f"{game.info.slug.replace('_', '-')}-{number}"
    title = f"{game.info.title} {number}"
    competition = Competition.objects.create(
        slug=slug, game=game.info.slug, title=title, summary=game.info.summary[:400]
    )
    return Place(competition, game)


def enter(place: Place, people: Sequence[User], competitor: User, count: int, rng: random.Random) -> None:
    """Enter the house bots and `count` bots of users, half of which have earlier versions."""
    owner = house_user()
    made = [(owner, name, True, (digest, file, stored)) for name, digest, file, stored in place.game.house]
    authors = [competitor, *rng.sample(list(people[1:]), min(count, len(people)) - 1)]
    _, digest, file, stored = place.game.house[0]
    for author in authors:
        made.append((author, f"{rng.choice(WORDS)} {author.username}"[:40], False, (digest, file, stored)))
    bots = Bot.objects.bulk_create(
        Bot(owner=account, competition=place.competition, name=name, name_key=name, house=house)
        for account, name, house, _ in made
    )
    versions = [
        1 if bot.house else 5 if bot.owner_id == competitor.pk else rng.choice((1, 1, 2, 4)) for bot in bots
    ]
    rows = [
        Submission(
            bot=bot,
            number=number,
            digest=source[0] if number == most else f"{bot.pk:032x}{number:032x}",
            filename=source[1],
            source=source[2],
            language="python",
            state=SubmissionState.ACTIVE if number == most else SubmissionState.REPLACED,
            activated=timezone.now() - timedelta(days=3),
        )
        for bot, most, (*_, source) in zip(bots, versions, made, strict=True)
        for number in range(1, most + 1)
    ]
    submissions = Submission.objects.bulk_create(rows, batch_size=500)
    _make_ratings(place, submissions, rng)
    latest = {submission.bot_id: submission for submission in submissions}
    for bot in bots:
        bot.active = latest[bot.pk]
    Bot.objects.bulk_update(bots, ["active"], batch_size=200)


def _make_ratings(place: Place, submissions: Sequence[Submission], rng: random.Random) -> None:
    now = timezone.now()
    ratings = []
    for _ in submissions:
        value = rng.gauss(1500, 180)
        ratings.append(
            Rating(
                competition=place.competition,
                played=300,
                won=rng.randrange(300),
                faults=rng.randrange(9),
                seated=now,
                rating=value,
                low=value - 40,
                high=value + 40,
            )
        )
    Rating.objects.bulk_create(ratings, batch_size=500)
    Rated.objects.bulk_create(
        (
            Rated(submission=submission, rating=rating)
            for submission, rating in zip(submissions, ratings, strict=True)
        ),
        batch_size=500,
    )
    active = [
        pair for pair in zip(submissions, ratings, strict=True) if pair[0].state == SubmissionState.ACTIVE
    ]
    active.sort(key=lambda pair: -pair[1].rating)
    for rank, (version, rating) in enumerate(active, start=1):
        rating.best, rating.worst = max(1, rank - 2), rank + 2
        entered = Entered(version.pk, version.bot.name, rating.rating)
        place.bots.append(entered)
        if version.bot.house:
            place.house[version.bot.name] = entered
    Rating.objects.bulk_update(ratings, ["best", "worst"], batch_size=200)
    RatingPoint.objects.bulk_create(
        (
            RatingPoint(
                rating=rating,
                at=now - timedelta(hours=hours),
                value=rating.rating + rng.gauss(0, 9),
                low=rating.rating - 40,
                high=rating.rating + 40,
                played=300 - hours,
            )
            for rating in ratings
            for hours in range(40, 0, -2)
        ),
        batch_size=1000,
    )
    SeatCount.objects.bulk_create(
        (
            SeatCount(rating=rating, number=number, times=75)
            for rating in ratings
            for number in range(place.game.info.min_seats)
        ),
        batch_size=1000,
    )
    met = list(itertools.islice(itertools.combinations(sorted(r.pk for _, r in active), 2), 5000))
    PairCount.objects.bulk_create(
        (
            PairCount(
                competition=place.competition,
                first_id=first,
                second_id=second,
                seats=place.game.info.min_seats,
                first_ahead=3,
                tied=1,
                second_ahead=2,
                spread=6,
            )
            for first, second in met
        ),
        batch_size=1000,
    )
    Leaderboard.objects.create(
        competition=place.competition, version=1, fitted_played=300 * len(ratings), recorded=now
    )
