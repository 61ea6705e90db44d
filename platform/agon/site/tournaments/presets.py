"""Creates and starts a game's original contest in one step, as the game's manifest describes it.

Two sets of entrants are offered: the bots that users uploaded, and these together with the house bots. The
set is determined again when the button is pressed. The seed is drawn.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.contest import formats
from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State


class Offer(NamedTuple):
    """bots: the entrants. matches: how many they would play. house: whether house bots are included."""

    bots: list[Bot]
    matches: int
    house: bool


def offers(competition: Competition) -> list[Offer]:
    """The contests that can be run now, without house bots first; empty if too few bots are active."""
    result: list[Offer] = []
    for house in (False, True):
        bots = entrants(competition, house)
        if result and bots == result[0].bots:
            continue
        try:
            result.append(Offer(bots, _count_matches(competition, len(bots)), house))
        except formats.BadFormat:  # too few of them, or more than any tournament may have
            continue
    return result


@transaction.atomic
def run(organizer: User, competition: Competition, house: bool) -> Tournament:
    """Create the original contest and start it; if the same one is running already, return that.

    Idempotent, so that a double click, or a request that a browser repeats, starts one contest. Raises
    BadTournament.
    """
    Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)  # a second click waits here
    bots = entrants(competition, house)
    running = _running(organizer, competition, bots)
    if running is not None:
        return running
    preset = competition.info.tournament
    tournament = services.create(
        organizer,
        competition,
        _("Original contest, %(day)s") % {"day": timezone.localdate().isoformat()},
        preset.format,
        preset.rounds,
        services.draw_seed(),
        bots,
    )
    services.start(tournament, organizer)
    return tournament


def _running(organizer: User, competition: Competition, bots: Sequence[Bot]) -> Tournament | None:
    """This organizer's running contest of these bots with their current versions, if there is one."""
    preset = competition.info.tournament
    wanted = [bot.active_id for bot in bots]
    for tournament in competition.tournaments.filter(
        organizer=organizer, state=State.RUNNING, format=preset.format, rounds=preset.rounds
    ):
        if list(tournament.entrants.values_list("submission_id", flat=True)) == wanted:
            return tournament
    return None


def entrants(competition: Competition, house: bool) -> list[Bot]:
    """The active bots in the order of their first upload, with or without house bots."""
    active = competition.bots.filter(active__isnull=False).order_by("pk")
    return list(active if house else active.filter(house=False))


def _count_matches(competition: Competition, entered: int) -> int:
    info, preset = competition.info, competition.info.tournament
    settings = formats.with_defaults(preset.format)
    return formats.count(preset.format, entered, info.min_seats, preset.rounds, settings)
