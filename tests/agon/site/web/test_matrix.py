"""The head-to-head matrix, its links, and the numbers of the standings that open the matches behind them."""

import re
from fractions import Fraction

import pytest

from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import running, scheduling, services, standings
from agon.site.web.tournaments import matrix, views
from agon.statistics.strength import Certainty, Strength
from tests.support.factories import active_bots, duel

NAMES = ["Ada", "Bea", "=Cleo"]


@pytest.fixture
def cup(user, db):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES)
    cup = services.create(user, rps, "Cup", "round_robin", 2, 1, bots)
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES))
    scheduling.tick()
    return cup


def test_every_cell_opens_the_matches_behind_it(client, cup):
    page = client.get(f"/tournaments/{cup.pk}/matrix").content.decode()
    assert "Ada against Bea: 100 % of 4 matches" in page
    assert "Ada is stronger than Bea" in page or "do not separate Ada from Bea" in page
    cells = re.findall(r'heat-\d+"><a href="([^"]+)"', page)
    assert len(cells) == 6
    for address in cells:
        listed = client.get(address.replace("&amp;", "&")).content.decode()
        assert listed.count('id="match-link-') == 4


def test_how_sure_the_winner_is_is_said_with_minus_signs():
    certainty = Certainty(0, 1, Strength(119.4, -98.2, 383.1), 0.81)
    assert "(95 % interval −99 to 384)" in matrix.certainty(certainty, NAMES, 200)


def test_means_of_many_matches_are_shown_as_decimals_and_plain_shares_as_they_are(client, cup, monkeypatch):
    row = standings.current_standings(cup)[0]
    values = (("mean", Fraction(127, 194)), ("wins", Fraction(-7, 2)))
    monkeypatch.setattr(views, "shown_standings", lambda _: (row._replace(tie_breaks=values),))
    page = client.get(cup.get_absolute_url()).content.decode()
    assert '<td class="num wide">0.655</td><td class="num wide">−3 1/2</td>' in page


def test_the_numbers_of_the_standings_open_their_matches(client, cup):
    page = client.get(cup.get_absolute_url()).content.decode()
    links = re.findall(r'<a (?:class="[^"]*" )?href="([^"]*tournament=[^"]*bot=[^"]*)">(\d+)</a>', page)
    assert [number for _address, number in links] == ["8", "8", "8", "4", "8"]
    for address, number in links:
        listed = client.get(address.replace("&amp;", "&")).content.decode()
        assert listed.count('id="match-link-') == int(number)


@pytest.fixture
def disputed(cup, user):
    """Another cup: =Cleo has won against Ada, and is taken out before the end."""
    bots = [entrant.bot for entrant in cup.entrants.select_related("bot")]
    made = services.create(user, cup.competition, "Disputed cup", "round_robin", 2, 1, bots)
    services.start(made)
    for _ in range(11):
        match = leases.claim("w")
        leases.finish(match, duel(match, ["=Cleo", "Ada", "Bea"]))
    running.disqualify(made, 2, user, "It was written by another author.")
    scheduling.tick()
    return made


def test_the_numbers_open_no_matches_that_do_not_count(client, disputed):
    page = client.get(disputed.get_absolute_url()).content.decode()
    links = re.findall(r'<a (?:class="[^"]*" )?href="([^"]*tournament=[^"]*bot=[^"]*)">(\d+)</a>', page)
    assert [number for _address, number in links] == ["3", "3", "3", "0"]
    for address, number in links:
        listed = client.get(address.replace("&amp;", "&")).content.decode()
        assert listed.count('id="match-link-') == int(number)


def test_strengths_are_those_of_matches_that_count(client, disputed):
    rows = client.get(f"/tournaments/{disputed.pk}/matrix").context["matrix"].rows
    strengths = {row.entrant.name: row.strength.rating for row in rows}
    assert strengths["Ada"] > strengths["=Cleo"] > strengths["Bea"]
    assert strengths["=Cleo"] == pytest.approx(0, abs=1e-6)  # nothing that counts is known of it


def test_rows_are_sorted_by_a_link_and_bad_values_change_nothing(client, cup):
    def order(query):
        page = client.get(f"/tournaments/{cup.pk}/matrix{query}").content.decode()
        return re.findall(r'<th scope="row">([^<]+)</th>', page)

    assert order("") == order("?sort=nonsense") == order("?sort=99") == NAMES
    assert order("?sort=strength")[0] == "Ada"
    assert order("?sort=2")[0] in ("Ada", "Bea")


def test_the_csv_has_a_row_for_each_pair_and_no_formula(client, cup):
    answer = client.get(f"/tournaments/{cup.pk}/matrix.csv")
    lines = answer.content.decode().splitlines()
    assert lines[0] == "bot,opponent,matches,share"
    assert "Ada,Bea,4,1" in lines
    assert "Bea,'=Cleo,4,1" in lines
    assert len(lines) == 7


def test_it_is_not_computed_again_for_each_match_of_a_running_tournament(client, cup, monkeypatch):
    cup = services.create(
        cup.organizer,
        cup.competition,
        "Cup",
        "round_robin",
        2,
        1,
        [entrant.bot for entrant in cup.entrants.all()],
    )
    services.start(cup)
    calls = []
    fitted = matrix.strengths
    monkeypatch.setattr(matrix, "strengths", lambda *facts: calls.append(facts) or fitted(*facts))
    for address in ("matrix", "matrix.csv", "matrix?sort=strength"):
        match = leases.claim("w")
        leases.finish(match, duel(match, NAMES))
        assert client.get(f"/tournaments/{cup.pk}/{address}").status_code == 200
    assert len(calls) == 1
