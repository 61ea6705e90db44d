"""The original contests on the site: a bot plays itself, and a disqualified one counts for nobody."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from agon.contest.archive import verify
from agon.contest.arena import Played
from agon.contest.standings import result_of
from agon.site.archives import services as archives
from agon.site.competitions.models import Competition
from agon.site.matches import leases, records, results
from agon.site.tournaments import presets, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import current_standings
from games.core.compliance import scripted
from games.core.record import SeatInfo
from tests.support.factories import activate, active_bots

pytestmark = pytest.mark.production

CLAIMS = {"rock": "R", "paper": "P", "cheat": "X", "crook": "Y"}


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="honest-rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def hold(user, rps):
    """Play one round of the original's format between bots of these names."""

    def run(*names):
        bots = active_bots(user, rps, names)
        cup = services.create(user, rps, "Cup", rps.info.tournament.format, 1, 1, bots)
        services.start(cup)
        while (match := leases.claim("w")) is not None:
            leases.finish(match, played(match))
        return cup

    return run


def played(match):
    seats = [seat.submission for seat in match.seats.select_related("submission__bot").order_by("number")]
    players = [lambda request, said=CLAIMS[seat.bot.name]: said for seat in seats]
    driver = scripted.play(match.competition.info, players, match.seed)
    record = driver.log([SeatInfo(seat.bot.name, seat.digest) for seat in seats])
    return Played(record, tuple(b"" for _ in seats), driver.files, 0.1)


def test_everybody_meets_everybody_in_both_orders_and_itself_with_both_seats_counted(hold):
    cup = hold("rock", "paper")
    assert list(cup.matches.values_list("state", flat=True)) == ["finished"] * 4
    table = {row.bot: (row.points, row.played) for row in current_standings(cup)}
    # Honest paper gets 750 to 250 from honest rock in both orders, and 500 in each seat against itself.
    assert table == {"paper": (2 * 750 + 2 * 500, 4), "rock": (2 * 250 + 2 * 500, 4)}


@pytest.mark.parametrize("names", [("rock", "paper"), ("rock", "cheat", "crook")])
def test_the_archive_of_a_tournament_with_self_play_verifies(hold, tmp_path, names):
    cup = hold(*names)
    with zipfile.ZipFile(io.BytesIO(b"".join(archives.of_tournament(cup)))) as archive:
        archive.extractall(tmp_path / "cup")
    assert verify.verify(tmp_path / "cup").differences == ()


def test_what_counts_of_a_match_is_what_its_record_says(hold):
    cup = hold("rock", "cheat", "crook")
    both = [match for match in cup.matches.all() if match.seats.filter(faults__isnull=False).count() == 2]
    assert len(both) == 4  # faults in both seats, one after the other: cheat and crook among themselves
    for match in cup.matches.all():
        assert results.result_for(match, (0, 1)) == result_of(records.log(match), (0, 1))


def test_a_disqualified_bot_is_listed_last_and_its_matches_count_for_nobody(hold):
    rows = current_standings(hold("cheat", "rock", "paper"))
    assert [(row.bot, row.points, row.played) for row in rows] == [
        ("paper", 2500, 4),
        ("rock", 1500, 4),
        ("cheat", 0, 0),
    ]
    assert rows[-1].disqualified == "round 1, claim: expected R, P or S, got 'X'"


@pytest.mark.django_db(transaction=True)
def test_a_button_that_is_clicked_many_times_at_once_starts_one_contest(user, rps):
    activate(user, rps, ["rock", "paper"])
    together = Barrier(4)

    def click(_):
        together.wait()
        try:
            return presets.run(user, rps, house=False).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(click, range(4)))) == 1
    cup = Tournament.objects.get()
    assert (cup.total, cup.matches.count()) == (400, 400)


@pytest.mark.exhaustive
def test_the_contest_that_is_being_played_is_not_started_again_but_any_other_is(user, rps):
    def run(who=user):
        return presets.run(who, rps, house=False)

    activate(user, rps, ["rock", "paper"])
    first = run()
    assert run() == first
    somebody = type(user).objects.create_user("orga")
    others = run(somebody)
    assert (others != first, run(somebody)) == (True, others)

    services.cancel(first)
    again = run()
    assert again != first

    activate(user, rps, ["paper"])  # a new version
    newer = run()
    assert newer != again
    activate(user, rps, ["cheat"])  # a new bot
    assert run() not in (first, again, newer)
    assert Tournament.objects.count() == 5
