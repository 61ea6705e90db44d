"""What was decided by the rules of a game stays decided when the game has others."""

from dataclasses import replace

import pytest

from agon.contest.archive import writer
from agon.site.archives.contents import tournament_header
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import services, standings
from agon.site.tournaments.models import Tournament
from games.core import manifest
from games.core.faults import FaultKind, Policy
from tests.support.factories import active_bots, played

pytestmark = pytest.mark.django_db


def started(user, competition) -> Tournament:
    bots = active_bots(user, competition, ["Una", "Sue", "Tom", "Ute"])
    cup = services.create(user, competition, "Cup", "rotations", 1, 1, bots)
    services.start(cup)
    return cup


def play_all() -> None:
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, played(match, {(1, 0): ("crash", "it crashed")}))


@pytest.fixture
def another_version(monkeypatch):
    """From its call on, the game gives points by scores, and who crashes is disqualified."""

    def install() -> None:
        now = manifest.load("samurai")
        contest = replace(now.tournament, points="score")
        faults = {**now.faults, FaultKind.CRASH: Policy.DISQUALIFY}
        later = replace(now, version="later", tournament=contest, faults=faults)
        monkeypatch.setattr(Competition, "info", property(lambda self: later))
        monkeypatch.setattr(writer, "load", lambda game: later)

    return install


def facts() -> tuple[object, ...]:
    cup = Tournament.objects.select_related("competition").get()
    rows = standings.current_standings(cup)
    return [(row.entrant, row.rank, row.points, row.disqualified) for row in rows], tournament_header(
        cup
    ).points


def test_another_version_changes_nothing_of_a_tournament_that_is_over(user, competition, another_version):
    started(user, competition)
    play_all()
    before = facts()
    another_version()
    assert facts() == before


def test_where_an_older_agon_kept_no_rules_they_are_those_of_the_game(user, competition, another_version):
    started(user, competition)
    play_all()
    before = facts()
    Tournament.objects.update(points="", disqualifying=None)
    assert facts() == before
    another_version()
    assert facts() != before
