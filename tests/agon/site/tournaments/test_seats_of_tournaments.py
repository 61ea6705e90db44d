"""A tournament of a game for two or three: everybody who schedules it again seats as many as the site did."""

import io
import json
import zipfile
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

import games
from agon.contest.archive import verify
from agon.contest.arena import Played
from agon.site.archives import services as archives
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import deadlines, editing, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Draft, Start
from games.core.compliance import scripted
from games.core.manifest import load
from games.core.record import SeatInfo
from tests.support.factories import active_bots

GAME = """
slug = "highest"
title = "Highest"
version = "1"
summary = "The highest number wins."
channel = "stdio"
referee = "Highest"
seats = { min = 2, max = 3 }
limits = { turn_ms = 1000, match_s = 60 }
house_bots = []

[faults]
start = "forfeit"
timeout = "forfeit"
crash = "forfeit"
illegal = "forfeit"
flood = "forfeit"
memory = "forfeit"

[tournament]
format = "drawn"
rounds = 1
points = "win"
"""
REFEREE = """
from games.core.game import Ask, Game


class Highest(Game):
    slug = "highest"
    version = "1"

    def play(self):
        moves = yield Ask("number")
        self.frame(numbers=[moves[seat] for seat in range(self.seats)])
        return [moves[seat] for seat in range(self.seats)]

    def view(self, seat):
        return "number\\n"

    def move(self, seat, raw):
        return int(raw)
"""


@pytest.fixture
def highest(db, tmp_path, monkeypatch):
    folder = tmp_path / "games" / "highest"
    folder.mkdir(parents=True)
    (folder / "game.toml").write_text(GAME)
    (folder / "referee.py").write_text(REFEREE)
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(folder.parent)])
    yield Competition.objects.create(slug="highest", game="highest", title="Highest")
    load.cache_clear()


def play_all():
    while (match := leases.claim("w")) is not None:
        seats = list(match.seats.select_related("submission").order_by("number"))
        players = [lambda request, number=seat.submission_id: str(number) for seat in seats]
        driver = scripted.play(match.competition.info, players, match.seed)
        infos = [SeatInfo(seat.name, seat.submission.digest) for seat in seats]
        record = driver.log(infos, "2026-01-01T00:00:00+00:00", 0.25)
        leases.finish(match, Played(record, (b"",) * len(seats), driver.files, 0.25))


@pytest.mark.parametrize("seats", [2, 3])
def test_the_archive_of_a_game_with_a_range_of_seats_verifies(user, highest, tmp_path, seats):
    bots = active_bots(user, highest, ["a", "b", "c", "d"])
    cup = services.create(user, highest, "Cup", "drawn", 2, 5, bots)
    assert cup.seats == 2, "without a wish, as few as the game allows"
    cup.seats = seats
    cup.save()
    services.start(cup)
    assert {match.seats.count() for match in cup.matches.all()} == {seats}
    play_all()
    cup.refresh_from_db()

    data = b"".join(archives.of_tournament(cup))

    path = tmp_path / "cup.zip"
    path.write_bytes(data)
    report = verify.verify(path)
    assert (report.differences, report.matches) == ((), 8)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert json.loads(archive.read("manifest.json"))["seats"] == seats


def test_a_draft_for_fewer_seats_than_the_game_has_by_now_does_not_start_until_it_is_edited(
    user, highest, monkeypatch
):
    """None of its matches could be played."""
    bots = active_bots(user, highest, ["a", "b", "c", "d"])
    cup = services.create(user, highest, "Cup", "drawn", 2, 5, bots)
    soon = Start(timezone.now() + timedelta(hours=1), "people")
    final = services.create(user, highest, "Final", "drawn", 2, 5, [], None, soon)
    of_three = replace(highest.info, version="2", min_seats=3)
    monkeypatch.setattr(Competition, "info", property(lambda self: of_three))

    Tournament.objects.filter(pk=final.pk).update(starts_at=timezone.now())
    deadlines.tick()
    assert "seats" in Act.objects.get(tournament=final, verb="not started").reason
    with pytest.raises(BadTournament, match="The game has 3 seats now"):
        services.start(cup)
    assert not cup.matches.exists()
    cup.refresh_from_db()
    editing.edit(cup, Draft("Cup", "drawn", 2, 5, bots, None, Start(), False), user, editing.digest(cup))
    services.start(cup)
    assert {match.seats.count() for match in cup.matches.all()} == {3}


def test_an_announced_tournament_of_a_game_that_is_gone_starts_when_that_is_back(user, highest, caplog):
    bots = active_bots(user, highest, ["a", "b"])
    soon = Start(timezone.now() + timedelta(hours=1), "chosen")
    cup = services.create(user, highest, "Cup", "drawn", 2, 5, bots, None, soon)
    Tournament.objects.filter(pk=cup.pk).update(starts_at=timezone.now())
    Competition.objects.update(game="gone")
    deadlines.tick()
    cup.refresh_from_db()
    assert (cup.state, caplog.records) == ("draft", [])

    Competition.objects.update(game="highest")
    deadlines.tick()
    cup.refresh_from_db()
    assert cup.state == "running"
