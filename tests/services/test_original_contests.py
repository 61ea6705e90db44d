"""The original contests on the site: a bot plays itself, and a disqualified one counts for nobody."""

import io
import zipfile

import pytest

from agon import verify
from agon.arena import Played
from archives import services as archives
from competitions.models import Competition
from games.core import scripted
from games.core.record import SeatInfo
from matches import leases
from tournaments import services
from tournaments.standings import standings

from .conftest import activate

CLAIMS = {"rock": "R", "paper": "P", "cheat": "X"}


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="honest-rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def hold(user, rps):
    """Play one round of the original's format between bots of these names."""

    def run(*names):
        bots = [each.bot for each in activate(user, rps, names)]
        cup = services.create(user, rps, "Cup", rps.info.tournament.format, 1, 1, bots)
        services.start(cup)
        while (match := leases.claim("w")) is not None:
            leases.finish(match, played(match))
        return cup

    return run


def played(match):
    seats = [seat.submission for seat in match.seats.select_related("submission__bot").order_by("number")]
    players = [lambda request, said=CLAIMS[each.bot.name]: said for each in seats]
    driver = scripted.play(match.competition.info, players, match.seed)
    record = driver.record([SeatInfo(each.bot.name, each.digest) for each in seats])
    return Played(record, tuple(b"" for _ in seats), driver.files, 0.1)


def test_everybody_meets_everybody_in_both_orders_and_itself_with_both_seats_counted(hold):
    cup = hold("rock", "paper")
    assert list(cup.matches.values_list("state", flat=True)) == ["finished"] * 4
    table = {row.bot: (row.points, row.played) for row in standings(cup)}
    # Honest paper gets 750 to 250 from honest rock in both orders, and 500 in each seat against itself.
    assert table == {"paper": (2 * 750 + 2 * 500, 4), "rock": (2 * 250 + 2 * 500, 4)}


def test_the_archive_of_a_tournament_with_self_play_verifies(hold, tmp_path):
    cup = hold("rock", "paper")
    with zipfile.ZipFile(io.BytesIO(b"".join(archives.of_tournament(cup)))) as archive:
        archive.extractall(tmp_path / "cup")
    assert verify.verify(tmp_path / "cup").differences == ()


def test_a_disqualified_bot_is_listed_last_and_its_matches_count_for_nobody(hold):
    rows = standings(hold("cheat", "rock", "paper"))
    assert [(row.bot, row.points, row.played) for row in rows] == [
        ("paper", 2500, 4),
        ("rock", 1500, 4),
        ("cheat", 0, 0),
    ]
    assert rows[-1].disqualified == "round 1, claim: expected R, P or S; 'X' came"
