"""What the site finds in a bot's matches, and shows: weaknesses with the matches behind each number."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.competitions.models import Competition
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Rated
from agon.site.matches import leases, queueing
from agon.site.matches.models import Fault, Match, Seat
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import insight, qualification
from agon.site.web.leaderboards import insight_views
from agon.statistics.weaknesses.groups import Kind
from tests.support.factories import activate, duel, submit

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bots(user, rps):
    return activate(user, rps, ["Ada", "Bea", "Cid", "Dan"])


def play(first, second, winner: str, faulty=()) -> Match:
    queueing.queue(first.bot.competition, Match.Kind.LADDER, Match.Queue.BULK, [first, second])
    match = leases.claim("w")
    loser = second.bot.name if winner == first.bot.name else first.bot.name
    assert leases.finish(match, duel(match, [winner, loser], faulty))
    Match.objects.filter(state="queued").delete()
    return match


def season(own, others, rounds=8) -> None:
    """The bot wins half of its matches, in both seats, except that the last of the others always wins."""
    for number in range(rounds):
        for place, opponent in enumerate(others):
            wins = (number // 2 + place) % 2 and opponent is not others[-1]
            seated = [own, opponent] if number % 2 else [opponent, own]
            play(*seated, own.bot.name if wins else opponent.bot.name)
    for rival in others:  # so that the rating of the last one follows from others' results, too
        for number in range(rounds):
            if rival is not others[-1]:
                play(rival, others[-1], (rival if number % 4 else others[-1]).bot.name)
    fitting.fit_now(own.bot.competition_id)


def shown_numbers(page: str) -> list[tuple[str, int]]:
    """The address behind each number of matches in the tables, and the number."""
    links = re.findall(r'<td class="num"><a href="([^"]+)" aria-label="[^"]*">(\d+)</a>', page)
    return [(unescape(address), int(number)) for address, number in links]


def test_the_opponent_that_always_wins_is_named_first_on_the_page_of_the_bot(bots):
    own, *others = bots
    season(own, others, 10)
    analysis = insight.insight(own)
    assert (analysis.findings[0].kind, analysis.findings[0].value) == (Kind.OPPONENT, others[-1].bot_id)
    assert analysis.findings[0].share == 0
    assert analysis.findings[0].matches == 10
    page = Client().get(f"/bots/{own.bot_id}/").content.decode()
    assert page.index("Why does it lose?") < page.index("Against Dan") < page.index("Matches to watch")
    assert "Against Bea" not in page
    assert re.search(r'href="/matches/\d+/#step=deciding">#\d+</a>', page)


def test_the_page_of_a_bot_does_not_wait_for_what_it_loses_by(bots):
    own, *others = bots
    season(own, others, 10)
    page = Client().get(f"/bots/{own.bot_id}/").content.decode()
    assert "Why does it lose?" in page
    assert 'hx-get="?part=why" hx-trigger="load"' in page
    assert "Against Dan" not in page
    part = Client().get(f"/bots/{own.bot_id}/?part=why", headers={"HX-Request": "true"}).content.decode()
    assert part.index("Against Dan") < part.index("Matches to watch")
    assert "<main" not in part
    page = Client().get(f"/bots/{own.bot_id}/").content.decode()
    assert part.strip() in page
    assert "part=why" not in page


@pytest.mark.exhaustive
def test_each_number_opens_the_matches_that_it_counts(bots):
    own, *others = bots
    season(own, others, 4)
    play(own, others[0], "Bea", faulty=["Ada"])
    Seat.objects.filter(submission=own, match=Match.objects.order_by("pk").first()).update(slowest=0.95)
    page = Client().get(f"/bots/{own.bot_id}/analysis/").content.decode()
    numbers = shown_numbers(page)
    assert {
        name
        for address, _ in numbers
        for name in ("against=", "seat=", "least=", "result=fault-start", "result=slow")
        if name in address
    } == {"against=", "seat=", "least=", "result=fault-start", "result=slow"}
    for address, number in numbers:
        listed = Client().get(address).content.decode()
        assert listed.count('id="match-link-') == number, address


@pytest.mark.parametrize(
    ("steps", "words"), [([4], "half of them in step 5"), ([4, 6], "half of them in steps 5 to 7")]
)
def test_steps_of_faults_are_numbered_as_on_the_page_of_the_match(bots, steps, words):
    own, *others = bots
    for step in steps:
        match = play(own, others[0], "Bea", faulty=["Ada"])
        Fault.objects.filter(seat__match=match).update(kind="crash", step=step)
    page = Client().get(f"/bots/{own.bot_id}/analysis/").content.decode()
    assert words in page


@pytest.mark.exhaustive
def test_two_versions_are_shown_side_by_side_with_what_the_new_one_gained(user, rps, bots):
    own, *others = bots
    season(own, others, 2)
    new = submit(user, rps, "Ada")
    qualification.activate(new)
    new.refresh_from_db()
    Match.objects.filter(state="queued").delete()
    for number in range(6):
        play(new, others[number % 3], "Ada")
    fitting.fit_now(rps.pk)
    page = Client().get(f"/bots/{own.bot_id}/analysis/?version=2&beside=1").content.decode()
    assert page.index("Weaknesses of version 2") < page.index("Weaknesses of version 1")
    against_bea = {
        number for address, number in shown_numbers(page) if f"against={others[0].bot_id}" in address
    }
    assert against_bea == {2}  # of either version
    for address, number in shown_numbers(page):
        assert Client().get(address).content.decode().count('id="match-link-') == number, address
    before, after = (Rated.objects.get(submission=submission).rating.rating for submission in (own, new))
    assert f"+{round(after) - round(before)}" in Client().get(f"/bots/{own.bot_id}/").content.decode()


def test_matches_of_a_tournament_count_once_everyone_may_see_them(user, rps, bots):
    cup = services.create(user, rps, "Cup", "round_robin", 1, 3, [bot.bot for bot in bots])
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, ["Dan", "Cid", "Bea", "Ada"]))
    scheduling.settle(cup.pk)
    assert insight.insight(bots[0]).matches == 6
    cache.clear()
    Tournament.objects.filter(pk=cup.pk).update(release=Tournament.Release.ORGANIZERS)
    assert insight.insight(bots[0]).matches == 0


def test_only_the_latest_matches_are_read_in_a_fixed_number_of_queries(
    bots, monkeypatch, django_assert_num_queries
):
    own, *others = bots
    season(own, others, 2)
    monkeypatch.setattr(insight, "MOST_MATCHES", 4)
    with django_assert_num_queries(8):
        analysis = insight.insight(own)
    assert analysis.matches == 4
    assert not analysis.is_all
    with django_assert_num_queries(0):
        assert insight.insight(own) == analysis
    with django_assert_num_queries(5):  # the others are for all versions of the competition
        assert insight.insight(others[0]).matches == 4


def test_a_bot_that_never_played_has_a_page_that_says_so(bots):
    assert (
        "This version has not played a rated match yet."
        in Client().get(f"/bots/{bots[0].bot_id}/analysis/").content.decode()
    )


@pytest.mark.first(1)
@pytest.mark.parametrize("query", ["version=99", "version=x&beside=%00", "beside=1", "version=&beside="])
def test_a_version_that_is_not_there_is_ignored(bots, query):
    answer = Client().get(f"/bots/{bots[0].bot_id}/analysis/?{query}")
    assert answer.status_code == 200
    assert "Weaknesses of version 1" in answer.content.decode()
    assert insight_views.versions_of(bots[0].bot) == [bots[0]]


def test_a_result_says_how_much_of_its_limit_the_slowest_answer_was_charged(bots):
    queueing.queue(bots[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, bots[:2])
    match = leases.claim("w")
    played = duel(match, ["Ada", "Bea"])
    # Of 1 s: seat 0 takes 0.2 s each time, and 0.7 s once, of which it is not charged for 0.3 s.
    times = [
        exchange._replace(wall_us=700_000, wait_us=300_000)
        if exchange.step == 3
        else exchange._replace(wall_us=200_000)
        for exchange in played.log.exchanges
        if exchange.seat == 0
    ]
    assert leases.finish(match, replace(played, log=replace(played.log, exchanges=tuple(times))))
    assert [seat.slowest for seat in match.seats.order_by("number")] == [0.4, None]
