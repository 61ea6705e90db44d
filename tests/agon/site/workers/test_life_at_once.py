"""Bots leave play at the very moment when something else is done with them: nothing is half done."""

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.base import ContentFile

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.access import Act
from agon.site.bots.models import Bot, Submission
from agon.site.bots.naming import BadName
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import BotState, State
from agon.site.leaderboards import ladder, ratings
from agon.site.matches import leases
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import services
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.states import State as TournamentState
from agon.site.use_cases import closing_accounts, leaving_play, qualification
from agon.site.use_cases.leaving_play import ActionNotAllowed
from tests.support.at_once import failure_in_between, failures_at_once
from tests.support.factories import activate, played, submit

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]

PROGRAM = b"print('READY')\n"
ROUNDS = range(4)


def at_once(*acts: Callable[[], object]) -> list[str]:
    """Do all of them at the same time; what they were told, in any order ("" for no objection)."""
    failures = failures_at_once(acts)
    told = [
        str(failure)
        for failure in failures
        if isinstance(failure, Refused | ActionNotAllowed | BadName | BadTournament)
    ]
    assert len(told) == len(failures), failures
    return sorted([*told, *[""] * (len(acts) - len(failures))])


def now(row):
    return type(row).objects.get(pk=row.pk)


def test_of_two_tabs_one_is_told_that_it_is_too_late(user, competition):
    bot = submit(user, competition, "a", State.REJECTED).bot
    withdraw = lambda: leaving_play.perform(Act.WITHDRAW, now(bot), user)  # noqa: E731
    assert at_once(withdraw, withdraw) == ["", "You cannot do this now: the bot is withdrawn."]
    assert LogEntry.objects.count() == 1


def test_an_upload_and_a_deletion(user, competition):
    bot = submit(user, competition, "a", State.REJECTED).bot
    told = at_once(
        lambda: receive(user, competition, "a", "a.py", PROGRAM),
        lambda: leaving_play.perform(Act.DELETE, now(bot), user),
    )
    assert set(told) <= {"", "a was deleted."}
    assert now(bot).state == BotState.DELETED
    assert not bot.submissions.filter(state=State.RECEIVED).exists()


@pytest.mark.parametrize("n", ROUNDS)
def test_a_stop_and_the_end_of_a_qualification(user, competition, n):
    activate(user, competition, ["b", "c", "d", "e"])
    new = submit(user, competition, "a", State.BUILT)
    qualification.start(new)
    match = leases.claim("w")
    result = played(match)
    admin = User.objects.create_superuser("orga")
    told = at_once(
        lambda: leases.finish(match, result),
        lambda: leaving_play.stop(now(new.bot), admin, reasons.stopped("x")),
    )
    assert told == ["", ""]
    bot = now(new.bot)
    assert (bot.state, bot.active) == (BotState.STOPPED, None)
    assert now(new).state in (State.REJECTED, State.OUT)
    assert now(match).state == MatchState.FINISHED


@pytest.mark.parametrize("n", ROUNDS)
def test_a_withdrawal_and_the_ladder(user, competition, n):
    five = activate(user, competition, ["a", "b", "c", "d", "e"])
    told = at_once(
        lambda: ladder.top_up(competition),
        lambda: leaving_play.withdraw(now(five[0].bot), user),
        lambda: ladder.top_up(competition),
    )
    assert told == ["", "", ""]
    queued = Match.objects.filter(state=MatchState.QUEUED)
    assert queued.exists()  # those that were drawn before are played
    queued.delete()
    assert ladder.top_up(competition) > 0
    assert not Seat.objects.filter(match__state=MatchState.QUEUED, submission=five[0]).exists()


@pytest.mark.parametrize("n", ROUNDS)
def test_a_deletion_and_the_start_of_a_tournament(user, competition, n):
    five = activate(user, competition, ["a", "b", "c", "d", "e"])
    Submission.objects.filter(pk=five[0].pk).update(artifact_digest="1" * 64)
    first = now(five[0])
    first.artifact.save("", ContentFile(b"tar"))
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in five]
    )
    at_once(lambda: services.start(now(cup)), lambda: leaving_play.delete(now(first.bot), user))
    started = now(cup).state == TournamentState.RUNNING
    assert first.artifact.storage.exists(first.artifact.name) == started
    assert now(first.bot).state == BotState.DELETED


@pytest.mark.parametrize("n", ROUNDS)
def test_a_stop_and_the_start_of_a_tournament(user, competition, n):
    five = activate(user, competition, ["a", "b", "c", "d", "e"])
    admin = User.objects.create_superuser("orga")
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in five]
    )
    at_once(
        lambda: services.start(now(cup)),
        lambda: leaving_play.stop(now(five[0].bot), admin, reasons.stopped("x")),
    )
    if now(cup).state == TournamentState.RUNNING:
        assert cup.entrants.exclude(stopped="").get().bot == five[0].bot
        assert Match.objects.filter(tournament=cup, state=MatchState.QUEUED).count() == 4


def test_two_bots_that_want_the_same_name(user, competition):
    first, second = (submission.bot for submission in activate(user, competition, ["a", "b"]))
    told = at_once(
        lambda: leaving_play.rename(now(first), user, "z"),
        lambda: leaving_play.rename(now(second), user, "Z"),
    )
    assert told[0] == ""
    assert "is taken in this competition" in told[1]
    assert Bot.objects.filter(name_key="z").count() == 1


def test_an_account_that_is_closed_while_one_of_its_bots_qualifies(user, competition):
    """A qualification that ends locks the bot, and then the leaderboard, which each bot that leaves locks."""
    User.objects.create_superuser("orga")
    activate(user, competition, ["a"])
    qualifying = submit(user, competition, "b").bot
    failure = failure_in_between(
        lambda: Bot.objects.select_for_update(no_key=True).get(pk=qualifying.pk),
        lambda: closing_accounts.close(now(user), now(user), ""),
        lambda: ratings.lock(competition),
    )
    assert failure is None
    assert set(Bot.objects.values_list("state", flat=True)) == {BotState.WITHDRAWN}


def test_an_account_that_is_closed_while_one_of_its_bots_is_stopped(user, competition):
    User.objects.create_superuser("orga")
    first, second = (submission.bot for submission in activate(user, competition, ["a", "b"]))
    failure = failure_in_between(
        lambda: leaving_play.stop(now(second), None, reasons.stopped("x")),
        lambda: closing_accounts.close(now(user), now(user), ""),
        lambda: None,
    )
    assert failure is None
    assert (now(first).state, now(second).state) == (BotState.WITHDRAWN, BotState.STOPPED)
    assert now(user).closed


def test_two_bots_with_the_same_program_that_become_active_at_once_share_a_rating(user, competition):
    activate(user, competition, ["b"])
    first, second = submit(user, competition, "a"), submit(user, competition, "c")
    Submission.objects.filter(pk__in=[first.pk, second.pk]).update(digest="ab" * 32)
    failed = failure_in_between(
        lambda: qualification.enter_play(now(first)),
        lambda: qualification.enter_play(now(second)),
        lambda: None,
    )
    assert failed is None
    assert now(first).rated.rating == now(second).rated.rating
