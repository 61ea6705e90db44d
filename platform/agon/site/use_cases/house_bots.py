"""Uploads the house bots, so that newcomers find opponents.

They go through the same steps as every other bot (build, qualification, ladder). Installing again uploads
only those whose source changed, and those that the platform failed to build or to qualify.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Q, Value, When

from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots import reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.packing import packed
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive_house
from agon.site.bots.sources import read
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.core.isolation import for_each_isolated
from agon.site.leaderboards.models import Leaderboard
from games.core import manifest
from games.core.broken import working_games
from games.core.manifest import GameInfo, HouseBot
from sandbox.api import Sandbox
from sandbox.building import selftest
from sandbox.building.recipes import FORMS, recipe
from sandbox.languages import registry
from sandbox.uploads.accept import BadUpload


@dataclass(frozen=True)
class Installed:
    """The outcome for a house bot. note: "uploaded", "unchanged", or why it was left out."""

    game: str
    bot: str
    note: str


def install(sandbox: Sandbox) -> Iterator[Installed]:
    """Upload the house bots of each game that works, weakest first, to its competitions that want them.

    Those are its own one, unless that is archived, and all that are open. A game without a competition gets
    one. Raises SandboxError.
    """
    for info in working_games():
        if not info.house:
            continue
        own = Q(pk=_main_competition(info).pk) & ~Q(state=Competition.State.ARCHIVED)
        of_game = Competition.objects.filter(game=info.slug, house_bots=True)
        for competition in of_game.filter(own | Q(state=Competition.State.OPEN)):
            yield from _enter(competition, sandbox)


def install_missing(sandbox: Sandbox) -> int:
    """Upload house bots to open competitions without any; returns how many competitions got some."""
    return for_each_isolated(missing(), lambda competition: bool(list(_enter(competition, sandbox))))


def missing() -> list[Competition]:
    """The open competitions that want house bots of their games, and that none has entered."""
    entered = Bot.objects.filter(house=True).values("competition")
    wanted = Competition.objects.filter(state=Competition.State.OPEN, house_bots=True)
    competitions = wanted.exclude(pk__in=entered)
    return [
        competition for competition in competitions if not competition.suspended and competition.info.house
    ]


def _enter(competition: Competition, sandbox: Sandbox) -> Iterator[Installed]:
    owner = house_user()
    for bot in manifest.house_bots(competition.info):
        yield Installed(competition.game, bot.name, _install(owner, competition, bot, sandbox))


@transaction.atomic
def _main_competition(info: GameInfo) -> Competition:
    """The game's own competition: the one whose slug is the game's, made if the game has none.

    If an organizer changed the slug, it is the oldest one of the game, open ones first.
    """
    address = info.slug.replace("_", "-")
    of_game = Competition.objects.filter(game=info.slug)
    closed = Case(When(state=Competition.State.CLOSED, then=Value(1)), default=Value(0))
    competition = of_game.filter(slug=address).first() or of_game.order_by(closed, "pk").first()
    if competition is None:
        competition, _made = Competition.objects.get_or_create(
            slug=_free_slug(address),
            defaults={"game": info.slug, "title": info.title, "summary": info.summary},
        )
    Leaderboard.objects.get_or_create(competition=competition)
    return competition


def _free_slug(address: str) -> str:
    """The slug, with a number if a competition of another game has it."""
    taken = set(Competition.objects.filter(slug__startswith=address).values_list("slug", flat=True))
    numbered = (f"{address}-{number}" for number in itertools.count(2))
    return next(candidate for candidate in itertools.chain([address], numbered) if candidate not in taken)


def _install(owner: User, competition: Competition, bot: HouseBot, sandbox: Sandbox) -> str:
    try:
        filename, data = packed(bot.path)
        source = read(filename, data, None)
        build_recipe = recipe(source)
    except (BadUpload, OSError) as error:  # its game is still being written
        return f"left out: {error}"
    if _latest_digest(competition, bot) == source.digest:
        return "unchanged"
    if build_recipe.language not in FORMS:
        selftest.query_versions(sandbox)  # of all languages at once; the answers are cached
        language = selftest.state(registry.get(build_recipe.language), sandbox, settings.AGON_ARTIFACTS)
        if not language.works:
            return f"left out, {build_recipe.title} is not offered here: {language.problem}"
    try:
        return _upload(owner, competition, bot, source.digest, filename, data)
    except Refused as error:
        return f"left out: {error}"


@transaction.atomic
def _upload(
    owner: User, competition: Competition, bot: HouseBot, digest: str, filename: str, data: bytes
) -> str:
    """Upload one bot, unless another machine did so meanwhile: the competition's row is the lock."""
    Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
    if _latest_digest(competition, bot) == digest:
        return "unchanged"
    receive_house(owner, competition, bot.name, filename, data)
    return "uploaded"


def _latest_digest(competition: Competition, bot: HouseBot) -> str | None:
    latest = Submission.objects.filter(
        bot__in=Bot.objects.filter(competition=competition, name=bot.name, house=True)
    ).first()
    if latest is None or (latest.state == State.REJECTED and latest.reason.code in reasons.PLATFORM):
        return None
    return latest.digest
