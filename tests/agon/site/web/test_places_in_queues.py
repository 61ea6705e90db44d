"""Wherever somebody waits, the page says the place in the queue, about how long, and why."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.comparisons import services as comparisons
from agon.site.competitions.models import Competition
from agon.site.core import disk_space
from agon.site.matches import leases, queueing, usage
from agon.site.matches.models import Match
from agon.site.tournaments import reruns, scheduling, services
from agon.site.tournaments.reruns import Choice
from agon.site.trials.models import Trial
from agon.site.use_cases import build_order, qualification, waiting
from agon.site.use_cases.waiting import Why
from agon.site.workers import building
from tests.support.factories import played, submit

from .conftest import browser_of

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def text(address, client=None, language="en"):
    """What a page shows, in single blanks; nothing that an earlier page has computed."""
    cache.delete_many([f"match-queue-{queue}" for queue in Match.Queue])
    html = (client or Client()).get(address, headers={"accept-language": language}).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace(" .", ".").replace(" ,", ",")


def queue(four, count=1, kind=Match.Kind.LADDER, name=Match.Queue.BULK):
    competition = four[0].bot.competition
    return [queueing.queue(competition, kind, name, four) for _ in range(count)]


def took(four, seconds):
    """A finished match, which took so long."""
    [match] = queue(four)
    claimed = leases.claim("w")
    leases.finish(claimed, played(claimed))
    Match.objects.filter(pk=match.pk).update(seconds=seconds)


def test_a_match_says_its_place_and_how_long_by_what_matches_took_and_by_the_workers(four):
    took(four, 600.0)
    matches = queue(four, 5)
    playing = {leases.claim("v"): 2, leases.claim("w"): 6}

    def page(match):
        for running, minutes in playing.items():
            begun(running, minutes)
        return text(match.get_absolute_url())

    first, second, third = map(page, matches[2:])
    # Matches take 10 min. Those that are played end after 4 and 8 min; the next of the first worker after 14.
    assert "Place 1 in the queue, about 4 minutes until it begins. All workers are busy." in first
    assert "Place 2 in the queue, about 8 minutes until it begins." in second
    assert "Place 3 in the queue, about 14 minutes until it begins." in third
    assert "in the queue" not in text(matches[0].get_absolute_url())


def begun(match, minutes):
    """Let a match have begun so many minutes ago, as far as a page says: it may take up to 54 s."""
    Match.objects.filter(pk=match.pk).update(started=timezone.now() - timedelta(minutes=minutes - 0.4))


def test_a_match_that_takes_unusually_long_is_expected_to_take_as_long_again(four):
    took(four, 0.02)
    matches = queue(four, 2)
    begun(leases.claim("v"), 30)
    assert "Place 1 in the queue, about 30 minutes until it begins." in text(matches[1].get_absolute_url())
    japanese, russian = (text(matches[1].get_absolute_url(), language=language) for language in ("ja", "ru"))
    assert re.search(r"順番待ちの1番目です（開始まで約\d+分）。 すべてのワーカーが使用中です。", japanese)
    assert re.search(
        r"Место в очереди: 1, до начала примерно \d+ минут\w?. Все исполнители заняты\.", russian
    )


def test_a_page_that_waits_learns_of_its_new_place(four):
    took(four, 10.0)
    queue(four, 2)
    leases.claim("v")
    [third] = queue(four)
    html = Client().get(third.get_absolute_url()).content.decode()
    [seen] = re.findall(r"seen=([\w-]+)", html)
    address = f"{third.get_absolute_url()}?part=match&seen={seen}"
    assert Client().get(address).status_code == 204
    leases.claim("w")
    cache.clear()
    assert "Place 1 in the queue" in text(address)


def test_matches_that_somebody_waits_for_come_first(four):
    [bulk] = queue(four)
    queue(four, 3, name=Match.Queue.INTERACTIVE)
    assert "Place 4 in the queue." in text(bulk.get_absolute_url())  # no match was played: no estimate


def test_without_a_worker_it_says_so_and_promises_no_time(four):
    took(four, 10.0)
    [match] = queue(four)
    assert "A worker takes it in a moment." in text(match.get_absolute_url())
    Match.objects.filter(state=Match.State.FINISHED).update(finished_at=timezone.now() - timedelta(minutes=2))
    page = text(match.get_absolute_url())
    assert "Place 1 in the queue. No worker has played anything for a minute." in page


def test_a_match_of_authors_who_used_their_time_waits_for_that(four):
    [match] = queue(four)
    usage.charge(four[0].bot_id, 5000)
    page = text(match.get_absolute_url())
    assert "One of its bots, or an author, has used up the worker time of this hour." in page
    assert "in the queue" not in page


def test_a_full_disk_is_said_to_hold_everything_up(four, monkeypatch, settings):
    [match] = queue(four)
    settings.AGON_FREE_MIB = 1 << 40
    assert disk_space.shortage()
    assert "The disk of this site is nearly full." in text(match.get_absolute_url())


def test_matches_of_a_tournament_are_played_in_their_order(four, organizer):
    ladder = queue(four)[0]
    cup = services.create(organizer, four[0].bot.competition, "Cup", "rotations", 2, 1, [s.bot for s in four])
    services.start(cup)
    places = [waiting.of_match(match).number for match in cup.matches.order_by("pk")]
    assert places == list(range(2, 2 + len(places)))
    assert waiting.of_match(ladder).number == 1
    page = text(cup.get_absolute_url())
    assert "Place 2 in the queue." in page
    assert "The first matches are being played." not in page
    leases.claim("v")
    leases.claim("w")
    page = text(cup.get_absolute_url())
    assert "The first matches are being played." in page
    assert "in the queue" not in page


def test_a_page_of_a_waiting_match_takes_few_queries(four, django_assert_max_num_queries, signed_in):
    took(four, 1.0)
    [match] = queue(four)
    cache.clear()
    # PostgreSQL is asked for the time, and now and then for its size.
    more = 2 if connection.vendor == "postgresql" else 0
    with django_assert_max_num_queries(18 + more):
        signed_in.get(match.get_absolute_url())


@pytest.fixture
def received(user, competition):
    return submit(user, competition, "Vera", State.RECEIVED)


def test_a_submission_says_its_place_among_the_builds(user, competition, received, monkeypatch):
    rival = User.objects.create_user("rival")
    submit(rival, competition, "Uwe", State.BUILDING)
    for number in range(2):  # who has uploaded less comes first
        submit(user, competition, f"Vera {number}", State.RECEIVED)
    submit(rival, competition, "Udo", State.RECEIVED)
    address, browser = received.get_absolute_url(), browser_of(user)
    order = list(build_order.waiting().values_list("bot__name", flat=True))
    assert order == ["Udo", "Vera", "Vera 0", "Vera 1"]
    assert "Place 2 in the queue. All workers are busy." in text(address, browser)
    cache.set(build_order.MEAN_KEY, 3.0)
    assert "Place 2 in the queue, about 6 seconds until it begins." in text(address, browser)


def test_the_time_of_those_ahead_counts_what_the_builder_does_between_builds(user, received):
    browser, start = browser_of(user), timezone.now()

    def after(seconds):
        return start + timedelta(seconds=seconds)

    cache.delete_many([build_order.MEAN_KEY, build_order.COUNT_KEY])
    build_order.note_build(2.0, after(-9), None, after(0))
    assert build_order.usual_seconds() == 2.0
    for number in range(60):  # each waited, and the builder played for three seconds in between
        build_order.note_build(2.0, after(-9), after(5 * number), after(5 * number + 5))
    assert build_order.usual_seconds() == pytest.approx(5.0, rel=0.01)
    submit(User.objects.create_user("rival"), received.bot.competition, "Uwe", State.BUILDING)
    assert "about 5 seconds until it begins" in text(received.get_absolute_url(), browser)
    for _ in range(60):  # nobody waited while the builder was idle for an hour
        build_order.note_build(2.0, after(3999), after(400), after(4002))
    assert build_order.usual_seconds() == pytest.approx(2.0, rel=0.01)


def test_a_build_that_the_platform_failed_at_says_when_it_is_tried_again(user, received):
    Submission.objects.filter(pk=received.pk).update(lease_until=timezone.now() + timedelta(seconds=299.9))
    page = text(received.get_absolute_url(), browser_of(user))
    assert "It waits about 5 minutes more. The platform failed to build it" in page


def test_a_submission_that_a_builder_takes_while_it_is_shown_is_not_said_to_wait_for_worker_time(received):
    assert building.claim() == received
    assert waiting.of_submission(received) is None


def test_a_submission_that_qualifies_says_the_place_of_its_match(user, competition, four):
    Bot.objects.filter(pk__in=[submission.bot_id for submission in four[:3]]).update(house=True)
    ahead = queue(four, 1, name=Match.Queue.INTERACTIVE)
    vera = submit(user, competition, "Vera", State.BUILT)
    qualification.start(vera)
    vera.refresh_from_db()
    match = vera.qualifications.get()
    assert ahead[0].pk < match.pk
    assert "Place 2 in the queue" in text(vera.get_absolute_url(), browser_of(user))


def test_of_an_author_one_submission_at_a_time_qualifies(user, competition, four):
    Bot.objects.filter(pk__in=[submission.bot_id for submission in four[:3]]).update(house=True)
    for name in ("Vera", "Wilma"):
        qualification.start(submit(user, competition, name, State.BUILT))
    leases.claim("w")
    [left] = Match.objects.filter(state=Match.State.QUEUED)
    page = text(left.qualifies.get_absolute_url(), browser_of(user))
    assert "The submissions of an author play their qualification matches one at a time." in page


def test_a_comparison_says_where_its_next_match_waits(user, competition, four):
    Bot.objects.filter(pk__in=[opponent.bot_id for opponent in four[1:]]).update(house=True)
    newer = submit(user, competition, four[0].bot.name)
    qualification.activate(newer)
    for number, submission in enumerate(Submission.objects.all()):
        Submission.objects.filter(pk=submission.pk).update(artifact="built", artifact_digest=str(number))
    newer.refresh_from_db()
    competition.matches.all().delete()
    started = comparisons.start(user, newer, Submission.objects.get(pk=four[0].pk))
    page = text(started.get_absolute_url(), browser_of(user))
    assert "Place 1 in the queue" in page
    leases.claim("w")
    assert "in the queue" not in text(started.get_absolute_url(), browser_of(user))
    second = started.matches.filter(state=Match.State.QUEUED).first()
    assert waiting.of_match(second).why == Why.ON_DEMAND


@pytest.fixture
def trial(user, competition, four):
    """trial(person, state, ...): a try of that person."""

    def made(person, state="queued", **fields):
        return Trial.objects.create(
            owner=user if person == "ada" else None, person=person, network=person, name="Your program",
            language="python", text="", opponent=four[0], state=state,
            **{"competition": competition, **fields},
        )  # fmt: skip

    return made


def test_the_wait_of_a_try_is_that_of_the_games_that_are_tried_before(competition, trial):
    slow = Competition.objects.create(slug="slow", game=competition.game, title="Slow")
    for number in range(5):
        trial(f"quick {number}", "finished", used=1.0)
        trial(f"slow {number}", "finished", used=9.0, competition=slow)
    trial("first", "running", competition=slow)
    for number in range(3):
        trial(f"waits {number}", competition=slow)
    assert waiting.of_trial(trial("ada")).seconds == 36.0
    unknown = Competition.objects.create(slug="unknown", game=competition.game, title="Unknown")
    trial("new", competition=unknown)  # takes as long as all others on average
    assert waiting.of_trial(trial("last")).seconds == pytest.approx(9 + 3 * 9 + 1 + 5)


def test_a_try_says_its_place_among_the_tries(trial):
    trial("past", "finished", used=2.0)
    trial("first", "running")
    trial("second")
    own = trial("ada")
    place = waiting.of_trial(own)
    assert (place.number, place.seconds, place.why) == (2, 4.0, Why.BUSY)


def test_matches_that_are_run_again_say_where_they_wait(four, organizer):
    cup = services.create(organizer, four[0].bot.competition, "Cup", "rotations", 1, 1, [s.bot for s in four])
    services.start(cup)
    while claimed := leases.claim("w"):
        leases.finish(claimed, played(claimed))
    scheduling.tick()
    queue(four)
    again = reruns.begin(cup, Choice(numbers=(cup.matches.first().pk,)), organizer, "a broken host")
    assert again.matches.count() == 1
    assert "Place 2 in the queue" in text(reverse("tournament_rerun", args=[cup.pk]), browser_of(organizer))


def test_a_small_tournament_does_not_wait_for_a_large_one_that_began_before(four, organizer):
    bots = [submission.bot for submission in four]
    large = services.create(organizer, four[0].bot.competition, "Large", "rotations", 10, 1, bots)
    services.start(large)
    small = services.create(organizer, four[0].bot.competition, "Small", "rotations", 1, 1, bots)
    services.start(small)
    places = [waiting.of_match(match).number for match in small.matches.order_by("pk")]
    assert places == [1, 3, 5, 7]  # in turn with those of the other
