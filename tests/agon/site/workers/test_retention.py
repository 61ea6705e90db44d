"""Records are kept for as long as their competition says, and no account crowds out what others keep."""

import hashlib
import os
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.archives import chain
from agon.site.archives.models import Day
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing, records
from agon.site.matches.models import Match, Recording, Seat, Stderr
from agon.site.tournaments import reruns, services
from agon.site.tournaments.reruns import Choice
from agon.site.workers import tasks
from tests.support.factories import activate, played
from tests.support.plans import plan_of, rows_read

pytestmark = [pytest.mark.django_db, pytest.mark.production]
DAY = timedelta(days=1)


@pytest.fixture
def four(user, competition):
    return activate(user, competition, ["a", "b", "c", "d"])


@pytest.fixture
def others(competition):
    return activate(User.objects.create_user("bob"), competition, ["e", "f", "g", "h"])


def play(competition, four, days_ago=0, noise=0):
    """A finished rated match; the bot in seat 0 wrote `noise` random bytes to standard error."""
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four)
    return play_next(days_ago, noise)


def play_next(days_ago=0, noise=0):
    match = leases.claim("w")
    result = played(match)
    if noise:
        result = replace(result, stderr=(os.urandom(noise), *result.stderr[1:]))
    assert leases.finish(match, result)
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - days_ago * DAY)
    return Match.objects.get(pk=match.pk)


def lines_of(match):
    with Day.objects.get(date=match.finished_at.date()).lines.open() as lines:
        return lines.read().decode()


def kept(matches):
    return [Recording.objects.filter(match=match).exists() for match in matches]


def test_what_a_match_stores_is_counted_for_its_seats(competition, four):
    match = play(competition, four, noise=5000)
    recording = Recording.objects.get(match=match)
    sizes = dict(match.seats.values_list("number", "stored_bytes"))
    written = sum(len(stderr.data) + len(stderr.asks) for stderr in Stderr.objects.all())
    total = len(recording.record) + len(recording.times) + len(recording.files) + written
    assert total - 4 < sum(sizes.values()) <= total
    assert sizes[0] - sizes[1] > 4900


def test_records_older_than_the_competition_keeps_are_removed_and_results_stay(competition, four, client):
    matches = [play(competition, four, days) for days in (5, 3, 1)]
    scores = list(Seat.objects.order_by("id").values_list("score", "rank", "won"))
    competition.keep_days = 2
    competition.save()
    tasks.remove_old_records()
    assert kept(matches) == [False, False, True]
    assert Stderr.objects.filter(seat__match__in=matches[:2]).count() == 0
    assert list(Seat.objects.order_by("id").values_list("score", "rank", "won")) == scores
    page = client.get(matches[0].get_absolute_url())
    assert page.status_code == 200
    assert "was removed; its result stays" in page.content.decode()
    assert client.get(f"{matches[0].get_absolute_url()}record.json").status_code == 404
    assert "was removed" not in client.get(matches[2].get_absolute_url()).content.decode()
    assert "kept for 2 days" in client.get(f"{competition.get_absolute_url()}rules/").content.decode()


def test_without_a_number_of_days_records_are_kept_while_there_is_room(competition, four):
    matches = [play(competition, four, 4000)]
    tasks.remove_old_records()
    assert kept(matches) == [True]


@pytest.mark.parametrize("days", [999_999, 2**31 - 1])
def test_with_more_days_than_the_calendar_has_records_are_kept_while_there_is_room(competition, four, days):
    old = play(competition, four, 4000)
    Competition.objects.filter(pk=competition.pk).update(keep_days=days)
    tasks.remove_old_records()
    assert kept([old]) == [True]
    loud = [play(competition, four, noise=400 << 10) for _ in range(3)]
    Competition.objects.filter(pk=competition.pk).update(keep_mib=1)
    tasks.remove_old_records()
    assert kept([old, *loud]) == [False] * 4


def test_the_account_that_takes_the_most_room_loses_its_oldest_records(competition, four, others):
    quiet = [play(competition, four) for _ in range(3)]
    loud = [play(competition, others, noise=400 << 10) for _ in range(4)]
    late = play(competition, four)
    competition.keep_mib = 1
    competition.save()
    tasks.remove_old_records()
    assert kept([*quiet, late]) == [True] * 4
    assert kept(loud) == [False] * 4  # up to a hundred at once
    assert Seat.objects.aggregate(bytes=Sum("stored_bytes"))["bytes"] < 1 << 20


def test_what_came_after_the_last_look_counts_too(competition, four, others):
    competition.keep_mib = 1
    competition.save()
    matches = []
    for _ in range(4):
        matches.append(play(competition, four, noise=400 << 10))
        tasks.remove_old_records()
    assert kept(matches) == [False, False, False, True]  # all that there are, once they are too much


def test_a_look_at_what_is_kept_does_not_read_what_an_earlier_one_has_summed(competition, four):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL says how many rows it read")
    first = play(competition, four)
    matches = Match.objects.bulk_create(
        Match(competition=competition, kind="ladder", queue="bulk", seed=1, state="finished")
        for _ in range(3000)
    )
    Seat.objects.bulk_create(
        Seat(match=match, number=0, submission=four[0], name="a", stored_bytes=100) for match in matches
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    tasks.remove_old_records()
    with CaptureQueriesContext(connection) as captured:
        tasks.remove_old_records()
    selects = [query["sql"] for query in captured if "matches_" in query["sql"]]
    assert len(selects) > 1
    for sql in selects:
        assert max(rows_read(plan_of(sql))) <= 60, sql
    assert kept([first]) == [True]


def test_a_match_with_a_house_bot_counts_for_the_author_alone(competition, four, others):
    house = others
    Bot.objects.filter(owner__username="bob").update(house=True)
    for _ in range(3):
        play(competition, [house[0], *four[1:]], noise=400 << 10)
    theirs = play(competition, house)
    competition.keep_mib = 1
    competition.save()
    tasks.remove_old_records()
    assert Recording.objects.filter(match=theirs).exists()
    assert Recording.objects.count() == 1


def test_records_of_tournaments_stay_and_do_not_count(competition, four, user):
    services.start(
        services.create(user, competition, "Cup", "rotations", 1, 7, [submission.bot for submission in four])
    )
    matches = [play_next(4000, 2 << 20), play(competition, four)]
    assert [match.kind for match in matches] == ["tournament", "ladder"]
    competition.keep_days, competition.keep_mib = 1, 1
    competition.save()
    tasks.remove_old_records()
    assert kept(matches) == [True, True]


def test_records_of_matches_that_were_run_again_stay_and_do_not_count(competition, four, user):
    bots = [submission.bot for submission in four]
    cup = services.create(user, competition, "Cup", "rotations", 1, 7, bots)
    services.start(cup)
    old = play_next(days_ago=5)
    rerun = reruns.begin(cup, Choice(numbers=(old.pk,)), user, "a broken worker")
    new = rerun.matches.get().new
    while play_next(days_ago=5) != new:  # the others of the tournament, too
        pass
    competition.keep_days, competition.keep_mib = 1, 0
    competition.save()

    tasks.remove_old_records()
    reruns.apply(rerun, user)
    tasks.remove_old_records()

    assert cup.matches.filter(pk=new.pk).exists()
    assert kept([old, new]) == [True, True]


def test_the_chain_of_results_holds_after_records_were_removed(competition, four):
    old, older = play(competition, four, 2), play(competition, four, 3)
    digest = hashlib.sha256(records.record_json(old)).hexdigest()
    while chain.close_next():
        pass
    competition.keep_days = 1
    competition.save()
    tasks.remove_old_records()
    assert kept([old, older]) == [False, False]
    assert list(chain.check()) == []
    assert f"{digest}  matches/{old.pk}/record.json" in lines_of(old)


def test_a_record_that_is_removed_before_its_day_is_closed_is_in_the_chain(competition, four):
    match = play(competition, four, 2)
    digest = hashlib.sha256(records.record_json(match)).hexdigest()
    competition.keep_days = 1
    competition.save()
    tasks.remove_old_records()
    while chain.close_next():
        pass
    assert digest in lines_of(match)


def test_a_competitions_page_says_that_records_of_tournaments_are_kept(competition):
    page = Client().get(f"{competition.get_absolute_url()}rules/").content.decode()
    assert "kept while there is room, of tournaments for good" in page
