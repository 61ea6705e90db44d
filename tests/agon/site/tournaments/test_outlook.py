"""What the page of a tournament, and the API, say before it begins and while it runs."""

import re
from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from tests.support.factories import activate, active_bots, duel

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


def play(limit=1000, worker="host:core0:1"):
    while limit and (match := leases.claim(worker)) is not None:
        leases.finish(match, duel(match, NAMES))
        limit -= 1


def page(cup, reader=None):
    cache.clear()
    browser = Client()
    if reader is not None:
        browser.force_login(reader)
    text = browser.get(cup.get_absolute_url()).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def fields(cup):
    cache.clear()
    return Client().get(f"/api/v1/tournaments/{cup.pk}").json()


def announce(boss, rps, **more):
    starts = services.Start(timezone.now() + timedelta(hours=2), Tournament.Field.PEOPLE)
    return services.create(boss, rps, "Cup", "round_robin", 1, 1, [], starts=starts, **more)


def test_before_it_begins_everyone_reads_who_would_enter_now_and_what_it_takes(boss, rps, bots, user):
    cup = announce(boss, rps)
    text = page(cup)
    assert "Who would enter now (4)" in text
    assert "12 matches" in text  # 4 · 3 / 2 pairs in both seatings
    assert "Not known yet: no match of this competition was measured." in text
    assert "Points decide. Equal bots share the rank." in text
    cost = fields(cup)["cost"]
    assert (cost["entrants"], cost["matches"], cost["likely"]) == (4, 12, None)
    assert (cost["worker_seconds"], cost["workers"], cost["seconds"]) == (None, 0, None)

    activate(user, rps, ["e"])
    cache.clear()
    open_page = Client().get(f"{cup.get_absolute_url()}?part=progress&seen=old").content.decode()
    assert "(5)" in open_page


def test_the_time_is_that_of_matches_that_were_played_here_by_workers_that_were_there(boss, rps, bots):
    earlier = services.create(boss, rps, "Earlier", "round_robin", 1, 1, bots)
    services.start(earlier, boss)
    play(3, "host:core0:1")
    play(3, "host:core1:1")
    play(6, "host:core1:2")  # the same worker, restarted
    Match.objects.update(seconds=5.0)
    cup = announce(boss, rps)
    cost = fields(cup)["cost"]
    assert (cost["worker_seconds"], cost["workers"], cost["seconds"]) == (60.0, 2, 30.0)
    text = page(cup)
    assert "about 1 minute of playing time" in text
    assert "about 30 seconds if the 2 workers that have played in the last hour play nothing else" in text

    Match.objects.update(finished_at=timezone.now() - timedelta(hours=3))


def test_too_few_entrants_are_no_estimate(boss, rps, user):
    cup = announce(boss, rps)
    assert fields(cup)["cost"] is None
    assert "too few bots would enter now" in page(cup)
    assert "No bot has entered yet." in page(cup)


def test_the_field_is_not_told_to_strangers_where_the_organizer_chose_it(boss, rps, bots):
    cup = services.create(boss, rps, "Secret", "round_robin", 1, 1, bots)
    assert Client().get(cup.get_absolute_url()).status_code == 404
    assert Client().get(f"/api/v1/tournaments/{cup.pk}").status_code == 404


def test_the_end_is_unknown_until_some_matches_are_over_and_then_a_range(boss, rps, bots):
    cup = services.create(boss, rps, "Cup", "round_robin", 5, 1, bots)
    services.start(cup, boss)
    cup.refresh_from_db()
    assert fields(cup)["progress"]["ends_from"] is None
    play(30)
    # Thirty in the last five minutes: thirty more take about as long.
    began = timezone.now() - timedelta(minutes=5)
    Tournament.objects.filter(pk=cup.pk).update(started=began)
    ended = cup.matches.filter(state="finished")
    for number, match in enumerate(ended.order_by("index"), start=1):
        Match.objects.filter(pk=match.pk).update(finished_at=began + timedelta(seconds=10 * number))
    progress = fields(cup)["progress"]
    assert (progress["done"], progress["total"], progress["is_estimate"]) == (30, 60, False)
    earliest, latest = (datetime.fromisoformat(progress[name]) for name in ("ends_from", "ends_to"))
    in_five_minutes = timezone.now() + timedelta(minutes=5)
    assert earliest < in_five_minutes < latest
    assert timedelta(minutes=2) < latest - earliest < timedelta(minutes=12)
    assert re.search(r"about [23] minutes to about \d+ minutes left", page(cup))

    Match.objects.filter(tournament=cup, state="finished").update(
        finished_at=timezone.now() - timedelta(minutes=2)
    )
    assert fields(cup)["progress"]["ends_from"] is None  # nothing has ended for a minute
    assert "When it will be over is not known now." in page(cup)
    services.pause(cup, boss)
    assert fields(cup)["progress"]["ends_from"] is None


def test_of_a_round_robin_the_matches_that_are_open_among_the_leaders_are_shown(boss, rps, bots, monkeypatch):
    monkeypatch.setattr(scheduling, "CHUNK", 12)
    monkeypatch.setattr(scheduling, "LARGEST_CHUNK", 12)
    cup = services.create(boss, rps, "Cup", "round_robin", 2, 1, bots)
    services.start(cup, boss)
    play(11)
    cup.refresh_from_db()
    assert (cup.scheduled, cup.total) in {(12, 24), (24, 24)}
    left = {
        tuple(sorted(scheduled.seats))
        for scheduled in scheduling.scheduled_matches(cup)
        if not cup.matches.filter(index=scheduled.index, state="finished").exists()
    }
    outlook = fields(cup)["next"]
    assert outlook["top"] == 3
    shown = {tuple(sorted(stage["entrants"])) for stage in outlook["open"]}
    leading = {0, 1, 2}  # a beats b beats c beats d
    assert shown == {pair for pair in left if set(pair) <= leading}
    assert "Open among the first 3:" in page(cup)


def test_of_a_swiss_tournament_the_pairings_of_the_round_are_shown_and_when_the_next_is_drawn(
    boss, rps, bots
):
    cup = services.create(boss, rps, "Cup", "swiss", 2, 1, bots)
    services.start(cup, boss)
    assert fields(cup)["progress"]["round"] == 1
    play(1)
    outlook = fields(cup)["next"]
    assert [stage["matches"] for stage in outlook["open"]] == [1]
    assert "round 1 of 2" in page(cup)
    assert "The next round is drawn when all matches of this one are over." in page(cup)
    play(1)
    scheduling.tick()
    assert fields(cup)["progress"]["round"] == 2
    [first, second] = fields(cup)["next"]["open"]
    assert {*first["names"], *second["names"]} == {*NAMES}


def test_of_a_knock_out_the_ties_in_play_are_shown_with_their_score_and_stage(boss, rps, bots):
    cup = services.create(boss, rps, "Cup", "single_elimination", 1, 1, bots, {"best_of": 3, "third": False})
    services.start(cup, boss)
    outlook = fields(cup)["next"]
    assert [(stage["title"], stage["number"], stage["of"]) for stage in outlook["stages"]] == [
        ("Semifinals", 1, 2)
    ]
    assert len(outlook["open"]) == 2
    while Tournament.objects.get(pk=cup.pk).state == State.RUNNING:
        outlook = fields(cup)["next"]
        if outlook["stages"][0]["title"] == "Final":
            break
        play(1)
        scheduling.tick()
    [final] = outlook["open"]
    assert set(final["names"]) <= {*NAMES}
    assert outlook["stages"][0]["number"] == 2
    assert "What decides next" in page(cup)
    assert "Final" in page(cup)


def test_who_may_not_see_results_learns_no_pairing_that_follows_from_them(boss, rps, bots):
    cup = services.create(boss, rps, "Cup", "swiss", 2, 1, bots)
    running.release(cup, Tournament.Release.ORGANIZERS, boss)
    services.start(cup, boss)
    play(2)
    scheduling.tick()
    assert fields(cup)["next"] is None
    assert "What decides next" not in page(cup)
    assert "What decides next" in page(cup, boss)
    assert fields(cup)["progress"]["done"] == 2


def test_in_games_of_many_seats_too(boss, user):
    four = Competition.objects.create(slug="samurai", game="samurai", title="Samurai")
    names = [f"s{number}" for number in range(9)]
    bots = active_bots(user, four, names)
    cup = services.create(boss, four, "Cup", "single_elimination", 1, 1, bots)
    services.start(cup, boss)
    outlook = fields(cup)["next"]
    assert outlook["stages"][0]["of"] is None  # how many tables follow is not known
    assert all(len(stage["entrants"]) == 4 for stage in outlook["open"])


@pytest.mark.first(2)
@pytest.mark.parametrize("format", ["until_decided", "groups", "double_elimination", "balanced", "drawn"])
def test_every_format_says_something_while_it_runs(boss, rps, bots, format):
    cup = services.create(boss, rps, "Cup", format, 1, 1, bots)
    services.start(cup, boss)
    play(3)
    assert "What decides next" in page(cup)
    assert fields(cup)["next"]["follows"]


def test_a_large_field_is_counted_and_its_first_are_shown(boss, rps, user, django_assert_max_num_queries):
    activate(user, rps, [f"bot{number:04}" for number in range(300)])
    cup = announce(boss, rps)
    with django_assert_max_num_queries(40):
        text = page(cup)
    assert "Who would enter now (300)" in text
    assert "and 240 more" in text
