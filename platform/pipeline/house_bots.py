"""House bots: uploaded by the site itself, so that newcomers find opponents.

They go the way of every other bot (build, qualification, ladder). Installing again uploads only those whose
source changed, or that the platform failed to build or to try.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.services import house_user
from bots import reasons
from bots.models import Bot, Submission
from bots.packing import packed
from bots.services import Refused, receive_house
from bots.sources import read
from bots.states import State
from competitions.models import Competition
from games.core import manifest
from games.core.manifest import GameInfo, HouseBot
from leaderboards.models import Leaderboard
from sandbox.api import Sandbox
from sandbox.building import selftest
from sandbox.building.recipes import FORMS, recipe
from sandbox.languages import registry


@dataclass(frozen=True)
class Installed:
    """The outcome for a house bot: `note` is "uploaded", "unchanged", or why it was left out."""

    game: str
    bot: str
    note: str


def install(sandbox: Sandbox) -> Iterator[Installed]:
    """Open a competition for each game that has house bots, and upload these, weakest first."""
    owner = house_user()
    for info in manifest.all_games():
        if not info.house:
            continue
        competition = _competition(info)
        for bot in manifest.house_bots(info):
            yield Installed(info.slug, bot.name, _install(owner, competition, bot, sandbox))


@transaction.atomic
def _competition(info: GameInfo) -> Competition:
    competition, _made = Competition.objects.get_or_create(
        slug=info.slug.replace("_", "-"),
        defaults={"game": info.slug, "title": info.title, "summary": info.summary[:400]},
    )
    Leaderboard.objects.get_or_create(competition=competition)
    return competition


def _install(owner: User, competition: Competition, bot: HouseBot, sandbox: Sandbox) -> str:
    filename, data = packed(bot.path)
    source = read(filename, data, None)
    if _latest_digest(competition, bot) == source.digest:
        return "unchanged"
    how = recipe(source)
    if how.language not in FORMS:
        selftest.query_versions(sandbox)  # of all languages at the first bot, not of each at its own
        language = selftest.state(registry.get(how.language), sandbox, settings.AGON_ARTIFACTS)
        if not language.works:
            return f"left out, {how.title} is not offered here: {language.problem}"
    try:
        receive_house(owner, competition, bot.name, filename, data)
    except Refused as error:
        return f"left out: {error}"
    return "uploaded"


def _latest_digest(competition: Competition, bot: HouseBot) -> str | None:
    latest = Submission.objects.filter(
        bot__in=Bot.objects.filter(competition=competition, name=bot.name, house=True)
    ).first()
    if latest is None or (latest.state == State.REJECTED and latest.reason.kind == reasons.PLATFORM):
        return None
    return latest.digest
