"""TV: full-screen pages that play one match after the other."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from agon.site.tournaments.worth_watching import Candidate, choose
from agon.site.workers import tasks
from tests.support.factories import activate, duel
from tests.support.reruns import play

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c"]


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def versions(user, rps):
    return activate(user, rps, NAMES)


def rated_match(rps, seats):
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, list(seats))
    match = leases.claim("w")
    assert leases.finish(match, duel(match, NAMES))
    return match.pk


def seen(address):
    """The match on the screen, and the address of the next one."""
    page = Client().get(address)
    assert page.status_code == 200
    text = page.content.decode()
    matches = re.findall(r'data-log="/matches/(\d+)/log.json"', text)
    [following] = re.findall(r'hx-get="([^"]+)" hx-trigger="next"', text)
    return (int(matches[0]) if matches else None), following.replace("&amp;", "&")


def test_a_screen_shows_each_match_once_and_then_begins_again(rps, versions):
    a, b, c = versions
    matches = [rated_match(rps, pair) for pair in ((a, b), (b, c), (a, c))]

    address, shown = "/c/rps/tv/", []
    for _ in range(6):
        match, address = seen(address)
        shown.append(match)

    assert shown == [*matches[::-1], *matches[::-1]]


def test_a_match_whose_record_was_removed_is_not_shown(rps, versions):
    kept, removed = rated_match(rps, versions[:2]), rated_match(rps, versions[1:])
    rps.keep_days = 1
    rps.save()
    Match.objects.filter(pk=removed).update(finished_at=timezone.now() - timedelta(days=2))
    tasks.remove_old_records()
    assert seen("/c/rps/tv/")[0] == kept


def test_a_screen_for_all_competitions_shows_one_in_which_there_is_a_match(rps, versions):
    Competition.objects.create(slug="empty", game="honest_rps", title="Nothing yet")
    match = rated_match(rps, versions[:2])
    assert seen("/tv/")[0] == match


def test_without_a_match_it_says_so_and_asks_again(rps):
    for address in ("/tv/", "/c/rps/tv/"):
        page = Client().get(address).content.decode()
        assert "No match to show yet" in page
        assert 'hx-trigger="next"' in page


def test_the_board_is_beside_the_match_with_those_who_play_marked(rps, versions):
    rated_match(rps, versions[:2])
    page = Client().get("/c/rps/tv/").content.decode()
    body = page.split("<tbody>")[1]
    rows = re.findall(r"<tr( class=\"own\")?>.*?<span>([abc])</span>", body, re.DOTALL)
    assert sorted(name for marked, name in rows if marked) == ["a", "b"]
    assert sorted(name for _marked, name in rows) == NAMES


@pytest.fixture
def start(boss_of_cups, rps, versions):
    def start(**chosen):
        bots = [version.bot for version in versions]
        cup = services.create(boss_of_cups, rps, "Cup", "round_robin", 1, 1, bots, **chosen)
        services.start(cup, boss_of_cups)
        return cup

    return start


@pytest.fixture
def boss_of_cups(django_user_model, db):
    return django_user_model.objects.create_superuser("boss")


def test_of_a_tournament_only_its_own_matches_are_shown_with_its_standings(start, rps, versions):
    rated_match(rps, versions[:2])
    cup = start()
    play(NAMES)
    scheduling.tick()

    page = Client().get(f"/tournaments/{cup.pk}/tv/").content.decode()
    match, _next = seen(f"/tournaments/{cup.pk}/tv/")
    assert Match.objects.get(pk=match).tournament == cup
    assert re.findall(r"<span>([abc])</span>", page) == NAMES


def test_results_that_are_not_everyones_are_on_no_screen_not_even_their_organizers(start, boss_of_cups):
    cup = start(starts=Start(release=Tournament.Release.ORGANIZERS))
    play(NAMES)
    scheduling.tick()
    organizer = Client()
    organizer.force_login(boss_of_cups)
    for client in (Client(), organizer):
        assert client.get(f"/tournaments/{cup.pk}/tv/").status_code == 404


@pytest.mark.parametrize("odd", ["x", "1,,2", "-1", "9" * 400, "1," * 5000, "%00", "²"])
def test_an_odd_address_is_read_as_far_as_it_makes_sense(rps, versions, odd):
    match = rated_match(rps, versions[:2])
    assert seen(f"/c/rps/tv/?part=1&shown={odd}")[0] == match


def candidate(match, bots=(1, 2), **more):
    return Candidate(match, tuple(bots), tuple(map(str, bots)), 10, **more)


def test_what_these_spectators_have_not_seen_comes_before_all_that_is_better():
    upset, plain = candidate(1, upset=True), candidate(2, (3, 4))
    assert choose([upset, plain]) == upset
    assert choose([upset, plain], [1]) == plain
    assert choose([upset, plain], [2, 1]) == plain  # the one that was shown the longest ago


def test_bots_that_have_just_been_seen_together_wait_for_others():
    again, others = candidate(3, tops=2), candidate(2, (3, 4))
    assert choose([candidate(1), again, others], [1]) == others


def test_the_latest_round_of_a_tournament_comes_first():
    assert choose([candidate(2, round=0), candidate(1, round=1)]) == candidate(1, round=1)


def test_without_candidates_there_is_nothing_to_show():
    assert choose([], [1, 2]) is None
