"""From a finished build to an active or rejected submission."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import ATTEMPTS
from agon.site.leaderboards.models import Leaderboard, Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from tests.support.factories import activate, played, submit
from tests.support.reasons import said

pytestmark = pytest.mark.production


def try_out(submission, faults=None):
    """Play the qualification match of a built submission."""
    qualification.start(submission)
    match = leases.claim("w")
    assert match.qualifies == submission
    leases.finish(match, played(match, faults))
    submission.refresh_from_db()
    return match


def seat_of(match, submission):
    return match.seats.get(submission=submission).number


@pytest.fixture
def house(user, competition):
    submissions = activate(user, competition, ["Keeper", "Greedy", "Even", "Wanderer", "StarterPy"])
    Bot.objects.update(house=True)
    return {submission.bot.name: submission for submission in submissions}


def test_a_newcomer_plays_the_weakest_house_bots_ahead_of_bulk_work(user, competition, house):
    newcomer = submit(user, competition, "Rita", State.BUILT)

    match = qualification.start(newcomer)

    strength = {bot.name: bot.strength for bot in competition.info.house}
    seated, *opponents = [seat.submission for seat in match.seats.all()]
    assert seated == newcomer
    assert [strength[opponent.bot.name] for opponent in opponents] == sorted(
        strength[name] for name in house
    )[:3]
    assert (match.kind, match.queue) == (Match.Kind.QUALIFICATION, Match.Queue.INTERACTIVE)
    newcomer.refresh_from_db()
    assert newcomer.state == State.QUALIFYING


def test_the_first_bot_of_a_competition_plays_itself(user, competition):
    newcomer = submit(user, competition, "Rita", State.BUILT)

    match = qualification.start(newcomer)

    assert [seat.submission for seat in match.seats.all()] == [newcomer] * 4


def test_who_plays_without_a_fault_is_active_and_gets_a_rated_match_at_once(user, competition, house):
    newcomer = submit(user, competition, "Rita", State.BUILT)

    qualified = try_out(newcomer)

    assert newcomer.state == State.ACTIVE
    assert newcomer.bot.active == newcomer
    first = leases.claim("w", [Match.Queue.INTERACTIVE])
    assert first.kind == Match.Kind.LADDER
    assert newcomer in [seat.submission for seat in first.seats.all()]
    assert not qualified.seats.filter(submission__rated__rating__played__gt=0).exists()


@pytest.mark.parametrize("state", ["closed", "archived"])
def test_who_becomes_active_in_a_competition_that_is_over_gets_no_rated_match(
    user, competition, house, state
):
    newcomer = submit(user, competition, "Rita", State.BUILT)
    Competition.objects.filter(pk=competition.pk).update(state=state)

    try_out(newcomer)

    assert newcomer.state == State.ACTIVE
    assert not Match.objects.filter(kind=Match.Kind.LADDER).exists()


def test_faults_of_the_opponents_reject_nobody(user, competition, house):
    newcomer = submit(user, competition, "Rita", State.BUILT)

    try_out(newcomer, faults={(0, 1): ("crash", "exit status 1")})

    assert newcomer.state == State.ACTIVE


def test_who_makes_a_fault_is_rejected_and_told_which(user, competition, house):
    newcomer = submit(user, competition, "Rita", State.BUILT)

    try_out(newcomer, faults={(3, 0): ("timeout", "no answer within 1000 ms")})

    assert newcomer.state == State.REJECTED
    assert str(newcomer.reason) == (
        "It committed a fault in its qualification match (too slow): turn 4, night: no answer within 1000 ms"
    )
    assert newcomer.bot.active is None
    assert newcomer.qualification is not None


def test_a_new_version_replaces_the_old_one_on_the_leaderboard(user, competition, house):
    [old] = activate(user, competition, ["Rita"])
    new = submit(user, competition, "Rita", State.BUILT)

    try_out(new)

    old.refresh_from_db()
    assert (old.state, new.state) == (State.REPLACED, State.ACTIVE)
    assert [(row.bot, row.version, row.played) for row in rows(competition) if row.bot == "Rita"] == [
        ("Rita", 2, 0)
    ]


def test_a_rejected_version_leaves_the_old_one_active(user, competition, house):
    [old] = activate(user, competition, ["Rita"])
    new = submit(user, competition, "Rita", State.BUILT)

    try_out(new, faults={(0, 0): ("crash", "exit status 1")})

    assert Bot.objects.get(name="Rita").active == old


def test_a_version_that_is_ready_after_a_newer_one_does_not_replace_it(user, competition, house):
    slow = submit(user, competition, "Rita", State.BUILT)
    [quick] = activate(user, competition, ["Rita"])

    try_out(slow)

    assert slow.state == State.REPLACED
    assert Bot.objects.get(name="Rita").active == quick


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["older first", "newer first"])
def test_of_two_versions_that_become_active_at_once_one_competes(user, competition, order):
    versions = [submit(user, competition, "Rita"), submit(user, competition, "Rita")]
    first, second = (versions[number] for number in order)
    begun = Event()

    def activate_second():
        begun.set()
        try:
            qualification.activate(second)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            qualification.activate(first)
            waiting = thread.submit(activate_second)
            begun.wait()
            wait_for_a_lock()
        waiting.result(60)
    assert [row.version for row in rows(competition)] == [2]
    assert list(Submission.objects.order_by("number").values_list("state", flat=True)) == [
        State.REPLACED,
        State.ACTIVE,
    ]


def wait_for_a_lock():
    """Until somebody waits for one of ours. SQLite does not tell, but has one writer at a time."""
    deadline = time.monotonic() + 60
    while connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        assert time.monotonic() < deadline


def test_an_activation_raises_the_version_of_the_leaderboard(user, competition):
    activate(user, competition, ["Rita"])

    assert Leaderboard.objects.get(competition=competition).version == 1


def test_a_failure_of_the_platform_rejects_nobody_and_is_made_up_for_later(user, competition, house):
    newcomer = submit(user, competition, "Rita", State.BUILT)
    void = qualification.start(newcomer)
    for _ in range(ATTEMPTS):
        leases.fail(leases.claim("w"), said("no sandbox"))

    newcomer.refresh_from_db()
    assert newcomer.state == State.BUILT
    assert str(newcomer.reason) == (
        "The platform failed to play the qualification match and will try again: the platform failed"
    )
    assert qualification.start_due() == 0

    Match.objects.filter(pk=void.pk).update(finished_at=timezone.now() - timedelta(minutes=2))
    assert qualification.start_due() == 1
    newcomer.refresh_from_db()
    assert (newcomer.state, str(newcomer.reason)) == (State.QUALIFYING, "")
    assert newcomer.qualification.pk > void.pk


def test_every_active_submission_has_a_rating_and_no_other_has(user, competition, house):
    submit(user, competition, "Rita", State.BUILT)

    assert set(Rating.objects.values_list("rated__submission", flat=True)) == set(
        Submission.objects.filter(state=State.ACTIVE).values_list("pk", flat=True)
    )
