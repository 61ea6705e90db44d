"""The numbers of finished matches of the competitions are exact, whatever was counted when."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.matches import played
from agon.site.matches.models import Match
from tests.support.plans import plan_of, rows_read

pytestmark = [pytest.mark.django_db, pytest.mark.production]
FEW = 300  # rows


@pytest.fixture
def other_competition():
    return Competition.objects.create(slug="other", game="samurai", title="Other")


@pytest.fixture
def soon(monkeypatch):
    """Matches are counted once and for all as soon as they are there."""
    monkeypatch.setattr(played, "LATEST_COMMIT", timedelta())


def add(competition, state="finished", count=1, first=None):
    """first: the number of the first one, if it is not the next."""
    common = {"kind": "ladder", "queue": "bulk", "seed": 1}
    return Match.objects.bulk_create(
        Match(pk=first and first + place, competition=competition, state=state, **common)
        for place in range(count)
    )


def test_only_matches_that_were_played_to_their_ends_count(competition, other_competition):
    for state in Match.State:
        add(competition, state)
    add(other_competition, count=2)
    assert played.by_competition() == {competition.pk: 1, other_competition.pk: 2}


def test_what_came_and_ended_since_the_last_count_is_counted(competition, other_competition, soon):
    waiting = add(competition, "queued", 4)
    add(competition, count=5)
    assert played.by_competition() == {competition.pk: 5}
    Match.objects.filter(pk__in=[waiting[0].pk, waiting[3].pk]).update(state="finished")
    add(other_competition, "running")
    add(other_competition, count=6)
    assert played.by_competition() == {competition.pk: 7, other_competition.pk: 6}
    assert played.by_competition() == {competition.pk: 7, other_competition.pk: 6}


def test_matches_that_a_long_transaction_shows_after_many_later_ones_are_counted(competition):
    old = add(competition, count=5)
    Match.objects.update(created=timezone.now() - timedelta(hours=1))
    next_number = old[-1].pk + 1
    add(competition, count=7, first=next_number + 100_000)
    assert played.by_competition() == {competition.pk: 12}
    add(competition, "queued", 20, first=next_number)
    add(competition, count=3, first=next_number + 20)
    assert played.by_competition() == {competition.pk: 15}


def test_matches_of_a_competition_that_is_deleted_are_not_counted(competition, other_competition, soon):
    add(competition, count=9)
    add(other_competition, count=9)
    assert played.by_competition() == {competition.pk: 9, other_competition.pk: 9}
    other_competition.delete()
    add(competition, count=5)
    assert played.by_competition()[competition.pk] == 14


@pytest.mark.postgres
def test_matches_that_were_counted_once_are_not_read_again(competition, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL says how many rows it read")
    monkeypatch.setattr(played, "LATEST_COMMIT", timedelta())
    add(competition, count=3000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    assert played.by_competition() == {competition.pk: 3000}
    with CaptureQueriesContext(connection) as captured:
        assert played.by_competition() == {competition.pk: 3000}
    for query in captured:
        assert max(rows_read(plan_of(query["sql"]))) <= FEW, query["sql"]
