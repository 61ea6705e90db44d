"""Cups on a site are seeded by the ratings at the start, lots decide among equals, and archives prove it."""

import io
import json
from zipfile import ZipFile

import pytest
from django.test import Client

from agon.contest.archive.signature import new_key
from agon.contest.archive.verify import verify
from agon.site.archives import storing
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Rated, Rating
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.states import State
from tests.support.factories import activate, duel

pytestmark = [pytest.mark.django_db, pytest.mark.production]
NAMES = ["Ada", "Bea", "Cleo", "Dora"]


@pytest.fixture(autouse=True)
def key(settings):
    """A production site has none of its own."""
    settings.ARCHIVE_KEY = new_key()


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def versions(user, rps):
    return activate(user, rps, NAMES)


def rate(version, rating):
    Rated.objects.filter(submission=version).delete()
    row = Rating.objects.create(
        competition=version.bot.competition,
        rating=rating,
        low=rating - 50,
        high=rating + 50,
        played=20,
        best=1,
        worst=4,
    )
    Rated.objects.create(submission=version, rating=row)


def play(cup, order=()):
    """Play it to its end: the bot first in `order` wins; all matches are draws without it."""
    services.start(cup)
    cup.refresh_from_db()
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, order))
        scheduling.tick()
        cup.refresh_from_db()


def archive_of(cup, folder):
    storing.make(cup)
    answer = Client().get(f"/tournaments/{cup.pk}/archive")
    with ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:
        packed.extractall(folder)
    return json.loads((folder / "manifest.json").read_text())


def test_a_cup_is_seeded_by_the_ratings_at_its_start_and_its_archive_proves_it(user, rps, versions, tmp_path):
    for version, rating in zip(versions, (1400.4, 1600, 1500, 1700), strict=True):
        rate(version, rating)
    cup = services.create(
        user, rps, "Cup", "single_elimination", 1, 1, [submission.bot for submission in versions]
    )
    rate(versions[0], 1800.4)  # after it was made, and before it starts
    services.start(cup)
    rate(versions[0], 1000)  # too late to count
    first = {frozenset(match.seats.values_list("name", flat=True)) for match in cup.matches.all()}
    assert first == {frozenset({"Ada", "Cleo"}), frozenset({"Dora", "Bea"})}  # 1 and 4, 2 and 3

    cup.refresh_from_db()
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, NAMES))
        scheduling.tick()
        cup.refresh_from_db()
    manifest = archive_of(cup, tmp_path / "cup")
    assert manifest["ratings"] == [1800, 1600, 1500, 1700]
    assert verify(tmp_path / "cup").differences == ()

    forged = tmp_path / "cup/manifest.json"
    forged.write_text(forged.read_text().replace("[1800, 1600, 1500, 1700]", "[1800, 1600, 1700, 1500]"))
    assert any("lead to" in difference for difference in verify(tmp_path / "cup").differences)
    forged.write_text(forged.read_text().replace("[1800, 1600, 1700, 1500]", '[1800, "1600", 1700, 1500]'))
    [differences] = verify(tmp_path / "cup").differences
    assert differences.startswith("manifest.json: ratings[1]: expected")


@pytest.mark.first(1)
@pytest.mark.parametrize("format", ["single_elimination", "double_elimination", "groups"])
def test_a_lot_between_equals_is_said_on_the_page_and_proved_by_the_archive(
    client, user, rps, versions, tmp_path, format
):
    chosen = {"best_of": 1}
    bots = [version.bot for version in versions]
    cup = services.create(user, rps, "Cup", format, 1, 1, bots, chosen)
    play(cup)

    page = client.get(cup.get_absolute_url()).content.decode()
    assert "equal after all matches: drawn by lot" in page
    assert "By lot" in page  # a column of the standings
    archive_of(cup, tmp_path / "cup")
    assert verify(tmp_path / "cup").differences == ()
    assert "lots_won" in (tmp_path / "cup/standings.csv").read_text().splitlines()[0]


def test_while_extra_matches_are_played_the_page_names_no_winner(client, user, rps, versions):
    bots = [version.bot for version in versions[:2]]
    cup = services.create(user, rps, "Cup", "single_elimination", 1, 1, bots, {"best_of": 1})
    services.start(cup)
    for _match in range(1 + 4):
        match = leases.claim("w")
        leases.finish(match, duel(match, ()))
        scheduling.tick()
    page = client.get(cup.get_absolute_url()).content.decode()
    assert cup.matches.count() == 1 + 6
    assert "(winner)" not in page
    assert "by lot" not in page.partition("chart-1")[2]
