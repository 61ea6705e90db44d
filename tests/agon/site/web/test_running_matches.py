"""The page of a match that is being played: what it shows, to whom, and that it starts over with it."""

import json
import random
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.matches import broadcasts, leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import running, services
from agon.site.tournaments.models import Tournament
from games.core.compliance.harness import game_under_test
from games.core.compliance.scripted import play
from games.core.manifest import all_games, load
from games.core.public import public_frames
from tests.support.factories import activate, active_bots, played
from tests.support.reasons import said

from .conftest import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(four) -> Match:
    """A match of Samurai that a worker plays."""
    queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, four, seed=3)
    claimed = leases.claim("w")
    assert claimed is not None
    return claimed


def show(match, count):
    """Publish the first frames of some match of that game, as a worker does; returns all that may be seen."""
    info = match.competition.info
    player = game_under_test(info).player
    driver = play(info, [player(random.Random(seat)) for seat in range(info.max_seats)], 5)
    frames = public_frames(info.slug, driver.frames)
    broadcasts.publish(match, list(zip(driver.frame_steps, frames, strict=False))[:count], count, False)
    return frames


def live(match, client=None, **asked):
    answer = (client or Client()).get(f"{match.get_absolute_url()}live.json", asked)
    return answer.json() if answer.status_code == 200 else answer.status_code


def page(match, client=None):
    return (client or Client()).get(match.get_absolute_url()).content.decode()


def test_a_page_gets_the_frames_so_far_and_then_what_is_new(match):
    assert live(match)["frames"] == []
    frames = show(match, 3)
    first = live(match)
    assert (first["state"], first["attempt"], first["from"]) == ("running", 1, 0)
    assert first["frames"] == frames[:3]
    assert [seat["name"] for seat in first["seats"]] == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"]
    assert (first["scores"], first["ranks"], first["faults"]) == ([], [], [])
    show(match, 6)
    news = live(match, attempt=1, **{"from": 3})
    assert (news["from"], news["frames"]) == (3, frames[3:6])
    assert news["told"][0]["title"] == "Turn 3, day"
    assert [line["us"] for line in news["told"][0]["lines"]] == [None] * 4  # how long bots think is theirs
    assert live(match, attempt=1, **{"from": 6})["frames"] == []


def test_the_words_are_in_the_readers_language(match):
    show(match, 3)
    told = Client(headers={"accept-language": "ja"}).get(f"{match.get_absolute_url()}live.json").json()
    assert told["told"][1]["title"] != live(match)["told"][1]["title"] == "Turn 1, day"


def test_only_while_a_page_asks_a_worker_sees_that_somebody_watches(match):
    assert not broadcasts.is_watched(match)
    page(match)
    assert not broadcasts.is_watched(match)  # the page alone shows nothing yet
    live(match)
    assert broadcasts.is_watched(match)


def test_frames_of_an_attempt_that_was_lost_are_never_shown_again(match):
    show(match, 5)
    assert 'data-live="' in page(match)
    assert leases.fail(match, said("the disk broke"))
    assert live(match) == {"state": "queued", "attempt": 1}
    assert "so it is played again from the start." in page(match)
    again = leases.claim("v")
    assert again is not None
    assert (again.pk, again.attempt) == (match.pk, 2)
    assert live(again, attempt=1, **{"from": 5})["frames"] == []
    assert "so it is played again from the start." in page(again)
    frames = show(again, 2)
    news = live(again, attempt=1, **{"from": 5})  # what the open page asks for
    assert (news["attempt"], news["from"], news["frames"]) == (2, 0, frames[:2])


def test_an_open_page_fetches_itself_anew_when_a_match_is_played_again(match):
    address = f"{match.get_absolute_url()}?part=match"
    assert "seen=running-1" in page(match)
    assert Client().get(f"{address}&seen=running-1").status_code == 204
    leases.fail(match, said("the disk broke"))
    leases.claim("v")
    assert 'seen=running-2"' in Client().get(f"{address}&seen=running-1").content.decode()


@pytest.mark.parametrize("end", ["finished", "void"])
def test_when_it_is_over_the_page_shows_no_live_match_any_more(match, end):
    show(match, 5)
    if end == "finished":
        leases.finish(match, played(match))
    else:
        for _ in range(3):
            leases.fail(match, said("the disk broke"))
            match = leases.claim("w") or match
    assert live(match)["state"] == end
    assert "frames" not in live(match)
    assert "data-live" not in page(match)


def test_a_cache_that_was_emptied_costs_frames_and_no_page(match):
    show(match, 5)
    cache.clear()
    assert live(match)["frames"] == []


def test_many_frames_arrive_in_order_however_often_they_were_published(coup, user):
    submissions = activate(user, coup, ["a", "b"])
    queueing.queue(coup, Match.Kind.LADDER, Match.Queue.BULK, submissions)
    match = leases.claim("w")
    frames = [(number - 1, {"number": number}) for number in range(300)]
    sent = 0
    for count in (1, 5, 64, 65, 200, 300):
        broadcasts.publish(match, frames[:count], count - sent, False)
        sent = count
        assert broadcasts.published(match).frames == frames[:count]
    cache.clear()
    broadcasts.publish(match, frames, 1, False)
    assert broadcasts.published(match).frames == frames  # what was lost is there again
    more = [*frames, *((number - 1, {"number": number}) for number in range(300, 400))]
    broadcasts.publish(match, more, 10, False)  # those between could not be published
    assert broadcasts.published(match).frames == more
    broadcasts.forget(match, len(more))
    assert broadcasts.published(match).frames == []


@pytest.mark.production
def test_a_match_of_a_tournament_is_watched_by_those_who_may_see_its_result(competition, bob, organizer):
    own = active_bots(bob, competition, ["Ann", "Bea", "Cyn", "Dot"])
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, own)
    services.start(cup)
    match = leases.claim("w")
    show(match, 3)
    readers = {"stranger": User.objects.create_user("stranger"), "entrant": bob, "organizer": organizer}

    def watching():
        """Who is shown frames; to the others there is no such match."""
        answers = {name: live(match, browser_of(reader)) for name, reader in readers.items()}
        assert all(answer == 404 or len(answer["frames"]) == 3 for answer in answers.values())
        return {name for name, answer in answers.items() if answer != 404}

    assert watching() == {"stranger", "entrant", "organizer"}
    running.release(cup, Tournament.Release.ENTRANTS, organizer)
    assert watching() == {"entrant", "organizer"}
    running.release(cup, Tournament.Release.ORGANIZERS, organizer)
    assert watching() == {"organizer"}
    assert live(match) == 404
    cache.clear()
    live(match)
    assert not broadcasts.is_watched(match)  # who may not see it does not make a worker publish


def long_ago(match):
    Match.objects.filter(pk=match.pk).update(started=timezone.now() - timedelta(seconds=10))
    cache.clear()


@pytest.mark.production
def test_the_front_page_and_the_leaderboard_link_to_running_matches(match, competition, coup):
    link = f'href="{match.get_absolute_url()}"'
    assert link not in Client().get("/").content.decode()  # it may be over in a moment
    long_ago(match)
    front, board = (
        Client().get(address).content.decode() for address in ("/", competition.get_absolute_url())
    )
    assert "Watch live" in front
    for text in (front, board):
        assert f"{link}>#{match.pk}</a>" in text
    assert link not in Client().get(coup.get_absolute_url()).content.decode()
    leases.finish(match, played(match))
    cache.clear()
    assert "Watch live" not in Client().get("/").content.decode()


def test_nobody_is_told_of_matches_whose_results_are_not_released(competition, organizer):
    own = active_bots(organizer, competition, ["Ann", "Bea", "Cyn", "Dot"])
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, own)
    services.start(cup)
    match = leases.claim("w")
    running.release(cup, Tournament.Release.ORGANIZERS, organizer)
    long_ago(match)
    for browser in (Client(), browser_of(organizer)):  # the list is the same for all readers
        assert f'href="{match.get_absolute_url()}"' not in browser.get("/").content.decode()


def test_a_page_of_a_running_match_takes_few_queries(match, django_assert_max_num_queries, signed_in):
    show(match, 5)
    with django_assert_max_num_queries(15):
        page(match, signed_in)
    with django_assert_max_num_queries(8):
        live(match, signed_in)


def test_a_game_that_says_nothing_of_what_is_public_cannot_be_watched(match, monkeypatch):
    monkeypatch.setattr("agon.site.web.matches.views.is_watchable", lambda slug: False)
    monkeypatch.setattr("agon.site.web.matches.replay_views.is_watchable", lambda slug: False)
    show(match, 5)
    assert "data-live" not in page(match)
    assert live(match) == {"state": "running", "attempt": 1}
    assert not broadcasts.is_watched(match)


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_every_game_of_the_project_can_be_watched(slug, user):
    competition = Competition.objects.create(slug=slug, game=slug, title=slug)
    bots = activate(user, competition, list("abcd")[: load(slug).max_seats])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, bots)
    match = leases.claim("w")
    frames = show(match, 7)
    answer = live(match)
    assert answer["frames"] == json.loads(json.dumps(frames[:7]))
    assert len(answer["told"]) == 7
