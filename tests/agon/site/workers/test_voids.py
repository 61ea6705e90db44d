"""Void matches are counted, and stop the bot that makes them: with the real ladder and the real leases."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from agon.contest.attempts import FailureKind
from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots import reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import BotState
from agon.site.core.db.leases import ATTEMPTS
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import leases, states
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from agon.site.tournaments import services
from agon.site.use_cases import leaving_play, void_rule
from tests.support.factories import activate, played
from tests.support.reasons import said

pytestmark = pytest.mark.slow


HOUSE = ["Ann", "Ben", "Cid", "Dot", "Eve"]


@pytest.fixture
def house(competition):
    submissions = activate(house_user(), competition, HOUSE)
    Bot.objects.update(house=True)
    Rating.objects.update(played=settings.AGON_LADDER_MATCHES)
    return submissions


def end(match, void, callbacks):
    """End a claimed match: played, or given up after its last attempt."""
    with callbacks(execute=True):
        if void:
            Match.objects.filter(pk=match.pk).update(attempt=ATTEMPTS)
            leases.fail(Match.objects.get(pk=match.pk), said("the box was lost"))
        else:
            leases.finish(match, played(match))


def go_on(competition, matches, breaks, callbacks, host="host", end=end):
    """Play the ladder; `breaks(names, n)` says which matches are void. How many were played or void."""
    done = 0
    while done < matches:
        ladder.top_up(competition)
        match = leases.claim(f"{host}:{done % 3}")
        if match is None:
            break
        names = [seat.name for seat in match.seats.all()]
        end(match, breaks(names, done), callbacks)
        done += 1
    return done


def test_a_newcomer_that_breaks_its_matches_is_stopped(
    user, competition, house, django_capture_on_commit_callbacks
):
    activate(user, competition, ["Evil"])

    def breaks(names, n):
        return "Evil" in names and n % 5 != 0

    go_on(competition, 400, breaks, django_capture_on_commit_callbacks)

    evil = Bot.objects.get(name="Evil")
    assert (evil.state, evil.active) == (BotState.STOPPED, None)
    assert "Evil" not in [row.bot for row in rows(competition)]
    assert evil.reason.code == reasons.VOIDS
    void = Match.objects.filter(pk__in=evil.reason.matches)
    assert {match.state for match in void} == {State.VOID}
    assert all(match.seats.filter(submission__bot=evil).exists() for match in void)
    assert f"began with {len(void)} of its matches" in str(evil.reason)
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.change_message) == ("house", f"Stopped: {evil.reason}")
    assert set(Bot.objects.exclude(pk=evil.pk).values_list("state", flat=True)) == {BotState.ENTERED}


def fail_first(match, fails, callbacks):
    """End a claimed match by a result; if it `fails`, only at its second attempt."""
    with callbacks(execute=True):
        if fails and match.attempt == 1:
            leases.fail(match, said("the box was lost"), kind=FailureKind.BOX, asked=(0,))
        else:
            leases.finish(match, played(match))


@pytest.mark.exhaustive
def test_one_whose_matches_fail_and_are_then_played_is_stopped_too(
    user, competition, house, django_capture_on_commit_callbacks
):
    activate(user, competition, ["Evil"])

    def breaks(names, n):
        return "Evil" in names and n % 5 != 0

    go_on(competition, 400, breaks, django_capture_on_commit_callbacks, end=fail_first)

    evil = Bot.objects.get(name="Evil")
    assert (evil.state, evil.active) == (BotState.STOPPED, None)
    assert not Match.objects.filter(state=State.VOID).exists()
    assert set(evil.reason.matches) <= set(FailedAttempt.objects.values_list("match", flat=True))
    assert set(Bot.objects.exclude(pk=evil.pk).values_list("state", flat=True)) == {BotState.ENTERED}


@pytest.mark.exhaustive
def test_and_none_whose_matches_are_played_again_because_the_host_fails(
    user, competition, house, django_capture_on_commit_callbacks
):
    activate(user, competition, ["Good"])
    go_on(competition, 200, lambda names, n: n % 20 < 9, django_capture_on_commit_callbacks, end=fail_first)
    assert FailedAttempt.objects.count() > 25
    assert not Bot.objects.filter(state=BotState.STOPPED).exists()


@pytest.mark.exhaustive
def test_a_newcomer_on_a_host_that_fails_is_not(user, competition, house, django_capture_on_commit_callbacks):
    activate(user, competition, ["Good"])
    go_on(competition, 100, lambda names, n: n % 20 < 9, django_capture_on_commit_callbacks)
    assert Match.objects.filter(state=State.VOID).count() > 25
    assert not Bot.objects.filter(state=BotState.STOPPED).exists()


def test_for_a_void_match_one_is_played_without_the_bot_that_most_of_them_are_of(
    user, competition, house, django_capture_on_commit_callbacks
):
    [evil] = activate(user, competition, ["Evil"])
    Rating.objects.filter(rated__submission=evil).update(played=settings.AGON_LADDER_MATCHES)
    match = ladder.queueing.queue(
        competition, Match.Kind.LADDER, Match.Queue.BULK, [house[0], evil, *house[1:3]]
    )
    end(leases.claim("host:1"), True, django_capture_on_commit_callbacks)
    assert Match.objects.get(pk=match.pk).state == State.VOID
    replacement = Match.objects.get(state=State.QUEUED)
    assert (replacement.kind, replacement.seats.filter(submission=evil).exists()) == (
        Match.Kind.LADDER,
        False,
    )


def test_where_too_few_others_are_there_none_is(user, competition, django_capture_on_commit_callbacks):
    four = activate(user, competition, ["a", "b", "c", "d"])
    ladder.queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    end(leases.claim("host:1"), True, django_capture_on_commit_callbacks)
    assert not Match.objects.filter(state=State.QUEUED).exists()


def past(competition, submissions, void, host="host"):
    """A match that is over; it took a second."""
    match = ladder.queueing.queue(competition, Match.Kind.TOURNAMENT, Match.Queue.BULK, submissions)
    match = leases.claim(f"{host}:1")
    transition = states.GIVE_UP if void else states.FINISH
    ended = leases.now()
    started = ended - timedelta(seconds=1)
    if void:
        FailedAttempt.objects.create(
            match=match, kind="platform", worker=match.worker, started=started, ended=ended
        )
    return match.move(transition, started=started, finished_at=ended)


@pytest.fixture
def blamed(user, competition, house):
    """Bot Evil, with what is evidence enough; nobody has looked yet."""
    [evil] = activate(user, competition, ["Evil"])
    for n in range(36):
        past(competition, house[n % 2 : n % 2 + 4], False)
        if n % 3 == 0:
            past(competition, [evil, *house[n % 3 : n % 3 + 3]], True)
    return evil


def test_let_play_again_it_is_not_stopped_for_what_is_past(competition, blamed, db):
    last = Match.objects.filter(state=State.VOID).last()
    admin = User.objects.create_superuser("orga")
    void_rule.of_competition(competition, last)
    assert Bot.objects.get(name="Evil").state == BotState.STOPPED
    leaving_play.release(Bot.objects.get(name="Evil"), admin)
    void_rule.of_competition(competition, last)
    assert Bot.objects.get(name="Evil").state == BotState.ENTERED


@pytest.mark.exhaustive
def test_withdrawing_and_returning_wipes_no_slate_clean(user, competition, blamed):
    leaving_play.withdraw(blamed.bot, user)
    Bot.objects.update(changed=timezone.now() - leaving_play.ABSENCE)
    leaving_play.reenter(blamed.bot, user)
    void_rule.of_competition(competition, Match.objects.filter(state=State.VOID).last())
    assert Bot.objects.get(name="Evil").state == BotState.STOPPED


def test_a_withdrawn_bot_is_stopped_too_so_that_it_cannot_return(user, competition, blamed):
    leaving_play.withdraw(blamed.bot, user)
    void_rule.of_competition(competition, Match.objects.filter(state=State.VOID).last())
    assert Bot.objects.get(name="Evil").state == BotState.STOPPED


def test_a_deleted_one_is_put_out_of_its_tournaments_once(user, competition, house, blamed):
    cup = services.create(
        user, competition, "Cup", "drawn", 1, 1, [submission.bot for submission in (*house, blamed)]
    )
    services.start(cup)
    leaving_play.delete(blamed.bot, user)
    for _ in range(2):
        void_rule.of_competition(competition, Match.objects.filter(state=State.VOID).last())
    assert Bot.objects.get(name="Evil").state == BotState.DELETED
    assert cup.entrants.exclude(stopped="").get().name == "Evil"
    assert LogEntry.objects.filter(change_message__startswith="Stopped").count() == 1


def test_void_matches_are_counted_and_withdrawn_ones_are_not(user, competition, house):
    [evil] = activate(user, competition, ["Evil"])
    for _ in range(3):
        past(competition, [evil, *house[:3]], True)
    past(competition, [evil, *house[:3]], False)
    ladder.queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, [evil, *house[:3]])
    leaving_play.withdraw(evil.bot, user)
    assert void_rule.counted(Submission.objects.filter(pk=evil.pk)).get().voids == 3
    assert void_rule.counted_of_bots(Bot.objects.filter(pk=evil.bot_id)).get().voids == 3
    assert void_rule.counted(Submission.objects.filter(pk=house[4].pk)).get().voids == 0
