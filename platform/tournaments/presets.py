"""A game's original contest, created and started in one step, as the game's manifest describes it.

Two fields of entrants are offered: the bots that people uploaded, and these together with the house bots. The
seed is
drawn. The offer is computed again when the button is pressed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from bots.models import Bot
from competitions.models import Competition
from contest import formats
from tournaments import services
from tournaments.models import Tournament
from tournaments.states import State


class Offer(NamedTuple):
    """Who would play, and how many matches that makes. house: house bots are among them."""

    bots: list[Bot]
    matches: int
    house: bool


def offers(competition: Competition) -> list[Offer]:
    """What can be run now, the field without house bots first; empty if too few bots are active."""
    found: list[Offer] = []
    for house in (False, True):
        bots = entrants(competition, house)
        if found and bots == found[0].bots:
            continue
        try:
            found.append(Offer(bots, _matches(competition, len(bots)), house))
        except formats.BadFormat:  # too few of them, or more than any tournament may have
            continue
    return found


@transaction.atomic
def run(organiser: User, competition: Competition, house: bool) -> Tournament:
    """Create the original contest and start it, or return the running one if it is the same. Raises
    BadTournament.

    So a button that is clicked twice, or sent again by a browser that got no answer, starts one contest.
    """
    Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)  # one click after the other
    bots = entrants(competition, house)
    running = _running(organiser, competition, bots)
    if running is not None:
        return running
    preset = competition.info.tournament
    tournament = services.create(
        organiser,
        competition,
        _("Original contest, %(day)s") % {"day": timezone.localdate().isoformat()},
        preset.format,
        preset.rounds,
        services.draw_seed(),
        bots,
    )
    services.start(tournament)
    return tournament


def _running(organiser: User, competition: Competition, bots: Sequence[Bot]) -> Tournament | None:
    """This organizer's running contest of these bots with their current versions, if there is one."""
    preset = competition.info.tournament
    wanted = [bot.active_id for bot in bots]
    for found in competition.tournaments.filter(
        organiser=organiser, state=State.RUNNING, format=preset.format, rounds=preset.rounds
    ):
        if list(found.entrants.values_list("submission_id", flat=True)) == wanted:
            return found
    return None


def entrants(competition: Competition, house: bool) -> list[Bot]:
    """Active bots in the order of their first upload; with `house`, house bots too."""
    active = competition.bots.filter(active__isnull=False).order_by("pk")
    return list(active if house else active.filter(house=False))


def _matches(competition: Competition, entered: int) -> int:
    info, preset = competition.info, competition.info.tournament
    settings = formats.with_defaults(preset.format)
    return formats.count(preset.format, entered, info.min_seats, preset.rounds, settings)
