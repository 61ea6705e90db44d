"""Played, won, drawn and lost: the board, the page of a bot and the lists behind them count the same."""

import re

import pytest

from agon.site.bots.models import Submission
from agon.site.challenges import services as challenges
from agon.site.competitions.models import Competition
from agon.site.leaderboards import recompute
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from tests.support.factories import activate, duel, submit

pytestmark = pytest.mark.django_db
ADA, BEA, NOBODY = ["Ada", "Bea"], ["Bea", "Ada"], []  # the best first
OUTCOMES = [ADA, ADA, NOBODY, BEA, NOBODY, ADA, BEA]  # 3 won, 2 drawn, 2 lost by Ada


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def two(user, rps) -> list[Submission]:
    return activate(user, rps, ["Ada", "Bea"])


def play(seats, strengths) -> None:
    Match.objects.filter(state=Match.State.QUEUED).delete()
    queueing.queue(seats[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, strengths))


def facts(page: str) -> dict[str, int]:
    pairs = re.findall(r"<dt>([^<]+)</dt><dd[^>]*>(?:<a [^>]*>)?(\d+)", page)
    return {name: int(number) for name, number in pairs}


def test_won_drawn_and_lost_add_up_to_the_matches_played(client, rps, two):
    for strengths in OUTCOMES:
        play(two, strengths)
    ada, bea = Rating.objects.order_by("pk")
    assert (ada.played, ada.won, ada.drawn) == (7, 3, 2)
    assert (bea.played, bea.won, bea.drawn) == (7, 2, 2)
    assert recompute.differences(rps) == []
    shown = facts(client.get(f"/bots/{two[0].bot_id}/").content.decode())
    assert (shown["Rated matches"], shown["Won"], shown["Drawn"], shown["Lost"]) == (7, 3, 2, 2)


def test_drawn_matches_that_were_not_counted_are_found_and_counted_anew(rps, two):
    play(two, NOBODY)
    Rating.objects.update(drawn=0)
    assert len(recompute.differences(rps)) == 2
    recompute.replace(rps)
    assert list(Rating.objects.values_list("drawn", flat=True)) == [1, 1]
    assert recompute.differences(rps) == []


def test_the_number_of_rated_matches_opens_just_these(client, user, rps, two):
    """The list of all matches has more: unrated ones, and those of other versions."""
    ada, bea = two
    play(two, ADA)
    newer = submit(user, rps, "Ada")
    qualification.activate(newer)
    for strengths in OUTCOMES[:3]:
        play([newer, bea], strengths)
    challenges.start(user, newer.bot, [bea.bot], 2)
    page = client.get(f"/bots/{ada.bot_id}/").content.decode()
    address, number = re.search(r'id="rated-matches" href="([^"]+)">(\d+)<', page).groups()
    listed = client.get(address.replace("&amp;", "&")).content.decode()
    assert number == "3"
    assert listed.count('id="match-link-') == 3
    assert "These numbers count the rated matches of version 2." in page


def test_versions_with_one_program_are_counted_together_and_it_says_so(client, user, rps, two):
    ada, bea = two
    play(two, ADA)
    same = submit(user, rps, "Ada")
    Submission.objects.filter(pk=same.pk).update(digest=ada.digest)
    same.refresh_from_db()
    qualification.activate(same)
    play([same, bea], ADA)
    page = client.get(f"/bots/{ada.bot_id}/").content.decode()
    address, number = re.search(r'id="rated-matches" href="([^"]+)">(\d+)<', page).groups()
    listed = client.get(address.replace("&amp;", "&")).content.decode()
    assert number == "2"
    assert listed.count('id="match-link-') == 2
    assert "and of others with the same program" in page


def test_the_board_has_a_column_for_drawn_matches_that_it_can_be_sorted_by(client, rps, two):
    for strengths in OUTCOMES:
        play(two, strengths)
    cid = activate(two[0].bot.owner, rps, ["Cid"])
    play([cid[0], two[1]], [])
    board = client.get("/c/rps/?sort=drawn").content.decode()
    assert "Played, won and drawn count the rated matches" in board
    rows = re.findall(r'id="row-(\d+)"(.*?)</tr>', board, re.DOTALL)
    assert int(rows[0][0]) == cid[0].bot_id
    numbers = dict(rows)[str(two[0].bot_id)]
    assert re.findall(r'<td class="num(?: wide)?">(\d+)', numbers) == ["7", "3", "2"]
