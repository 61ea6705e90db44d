"""Bots leave play and return: what becomes of their versions, matches, tournaments, names and files."""

import pytest
from django.contrib.admin.models import LogEntry
from django.db import IntegrityError, transaction
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.access import Act
from agon.site.bots.models import Bot, FormerName
from agon.site.bots.naming import BadName
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import BotState, State
from agon.site.core.db.leases import ATTEMPTS
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import leaving_play, qualification
from agon.site.use_cases.leaving_play import ActionNotAllowed
from agon.site.workers import building
from games.core.reason import NO_REASON
from tests.support.factories import activate, played, submit
from tests.support.reasons import said

PROGRAM = b"print('READY')\n"


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def admin(db):
    return User.objects.create_superuser("orga")


def again(row):
    return type(row).objects.get(pk=row.pk)


def ladder_match(submissions):
    return queueing.queue(
        submissions[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, submissions[:4], seed=38
    )


def leave(act, submission, admin):
    by = admin if act == Act.STOP else submission.bot.owner
    leaving_play.perform(act, submission.bot, by, "It cheats.")


LEAVING = [
    (Act.STOP, BotState.STOPPED),
    (Act.WITHDRAW, BotState.WITHDRAWN),
    (Act.DELETE, BotState.DELETED),
]


@pytest.mark.parametrize(("act", "state"), LEAVING)
def test_who_leaves_play_is_off_the_leaderboard_and_not_seated_any_more(competition, five, admin, act, state):
    leave(act, five[0], admin)

    bot = again(five[0].bot)
    assert (bot.state, bot.active, again(five[0]).state) == (state, None, State.OUT)
    assert "a" not in [row.bot for row in rows(competition)]
    assert ladder.top_up(competition) > 0
    seated = set(Match.objects.filter(state="queued").values_list("seats__submission", flat=True))
    assert seated == {submission.pk for submission in five[1:]}


def test_a_withdrawn_match_counts_for_nobody_and_is_not_void(competition, five, admin):
    queued = ladder_match(five)
    leave(Act.STOP, five[0], admin)

    assert str(again(queued).reason) == "One of its bots was withdrawn, stopped, or deleted."
    assert not Match.objects.filter(state=MatchState.VOID).exists()
    assert ladder._unplayed(competition) == {}
    assert set(Rating.objects.values_list("played", flat=True)) == {0}
    assert leases.claim("w") is None


def test_too_few_are_left_for_the_ladder_which_waits(competition, five, user):
    for submission in five[:2]:
        leaving_play.withdraw(submission.bot, user)
    assert ladder.top_up(competition) == 0
    Bot.objects.update(changed=timezone.now() - leaving_play.ABSENCE)
    leaving_play.reenter(five[0].bot, user)
    assert ladder.top_up(competition) > 0


@pytest.mark.parametrize(("act", "state"), LEAVING)
def test_what_is_being_played_ends_normally_and_counts(competition, five, admin, act, state):
    ladder_match(five)
    match = leases.claim("w")
    leave(act, five[0], admin)

    assert again(match).state == MatchState.RUNNING
    assert leases.finish(match, played(match))
    assert again(match).state == MatchState.FINISHED
    assert Rating.objects.get(rated__submission=five[0]).played == 1
    assert (again(five[0]).state, again(five[0].bot).state) == (State.OUT, state)


def test_but_its_third_failure_makes_it_void_all_the_same(five, user):
    ladder_match(five)
    Match.objects.update(attempt=ATTEMPTS - 1)
    match = leases.claim("w")
    leaving_play.withdraw(five[0].bot, user)
    assert leases.fail(match, said("the disk is full"))
    assert again(match).state == MatchState.VOID


@pytest.mark.first(3)
@pytest.mark.parametrize("state", [State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING])
@pytest.mark.parametrize(("act", "left"), LEAVING)
def test_versions_on_their_way_are_rejected(user, competition, five, admin, state, act, left):
    new = submit(user, competition, "a", state)
    leave(act, five[0], admin)
    assert (again(new).state, str(again(new).reason)) == (
        State.REJECTED,
        "The bot was withdrawn, stopped, or deleted before this version was tested.",
    )
    assert building.claim() is None
    assert qualification.start_due() == 0


def test_a_build_that_ends_too_late_keeps_nothing(user, competition, settings):
    receive(user, competition, "a", "a.py", PROGRAM)
    building_now = building.claim()
    leaving_play.withdraw(building_now.bot, user)
    assert not building.renew(building_now)
    assert not building.fail(building_now, said("x"))
    assert again(building_now).state == State.REJECTED


def test_a_qualification_match_that_ends_too_late_decides_nothing(user, competition, five, admin):
    new = submit(user, competition, "a", State.BUILT)
    qualification.start(new)
    match = leases.claim("w")
    leaving_play.stop(five[0].bot, admin, reasons.stopped("x"))
    assert leases.finish(match, played(match))
    assert (again(match).state, again(new).state) == (MatchState.FINISHED, State.REJECTED)
    assert again(five[0].bot).active is None


def test_nor_does_one_that_is_void_too_late(user, competition, five, admin):
    new = submit(user, competition, "a", State.BUILT)
    qualification.start(new)
    Match.objects.update(attempt=ATTEMPTS - 1)
    match = leases.claim("w")
    leaving_play.stop(five[0].bot, admin, reasons.stopped("x"))
    assert leases.fail(match, said("the disk is full"))
    assert (again(match).state, again(new).state) == (MatchState.VOID, State.REJECTED)


def test_a_newcomer_gets_other_opponents_when_one_has_left(user, competition, five, admin):
    new = submit(user, competition, "new", State.BUILT)
    first = qualification.start(new)
    opponent = first.seats.get(number=1).submission
    leaving_play.stop(opponent.bot, admin, reasons.stopped("x"))

    assert again(first).state == MatchState.WITHDRAWN
    second = again(new).qualification
    assert (second.state, second.pk == first.pk) == (MatchState.QUEUED, False)
    assert opponent not in [seat.submission for seat in second.seats.all()]
    match = leases.claim("w")
    leases.finish(match, played(match))
    assert again(new).state == State.ACTIVE


@pytest.mark.parametrize("act", [Act.STOP, Act.WITHDRAW])
def test_it_returns_with_the_version_and_the_rating_it_had(competition, five, admin, act):
    Rating.objects.filter(rated__submission=five[0]).update(rating=1631, played=40)
    leave(act, five[0], admin)
    Bot.objects.update(changed=timezone.now() - leaving_play.ABSENCE)
    back = Act.RELEASE if act == Act.STOP else Act.REENTER
    leaving_play.perform(back, five[0].bot, admin if act == Act.STOP else five[0].bot.owner)

    bot = again(five[0].bot)
    assert (bot.state, bot.active, bot.reason) == (BotState.ENTERED, five[0], NO_REASON)
    assert [(row.points, row.played) for row in rows(competition) if row.bot == "a"] == [(1631, 40)]


@pytest.mark.parametrize("name", ["a", "A", "Ａ"])
def test_no_new_version_brings_a_stopped_bot_back(user, competition, five, admin, name):
    leaving_play.stop(five[0].bot, admin, reasons.stopped("It cheats."))
    with pytest.raises(Refused, match=r"a is stopped\. New versions are not accepted"):
        receive(user, competition, name, "a.py", PROGRAM)
    assert five[0].bot.submissions.count() == 1


def test_nor_does_the_same_program_under_another_name(user, competition, admin):
    submission = receive(user, competition, "a", "a.py", PROGRAM)
    leaving_play.stop(submission.bot, admin, reasons.stopped("It cheats."))
    with pytest.raises(Refused, match="This program belongs to a, which is stopped"):
        receive(user, competition, "b", "a.py", PROGRAM)
    assert not Bot.objects.filter(name="b").exists()
    bob = User.objects.create_user("bob")  # a program that is handed out may be anybody's
    assert receive(bob, competition, "b", "a.py", PROGRAM).number == 1


@pytest.mark.parametrize("act", [Act.WITHDRAW, Act.REENTER, Act.RENAME, Act.DELETE, Act.RELEASE])
def test_the_owner_of_a_stopped_bot_can_do_nothing_with_it(user, five, admin, act):
    leaving_play.stop(five[0].bot, admin, reasons.stopped("It cheats."))
    with pytest.raises(ActionNotAllowed, match="the bot is stopped"):
        leaving_play.perform(act, five[0].bot, user, "another")
    assert again(five[0].bot).state == BotState.STOPPED


def test_what_was_done_is_in_the_log_with_who_and_why(user, five, admin):
    leaving_play.perform(Act.STOP, five[0].bot, admin, "It cheats.")
    leaving_play.perform(Act.RELEASE, five[0].bot, admin)
    leaving_play.perform(Act.RENAME, five[0].bot, user, "z")
    entries = LogEntry.objects.order_by("pk").values_list("user__username", "change_message")
    assert list(entries) == [
        ("orga", "Stopped: It cheats."),
        ("orga", "Let play again."),
        ("ada", "Renamed from a to z."),
    ]


def test_the_database_itself_refuses_an_active_version_of_a_bot_that_has_left(five):
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.filter(pk=five[0].bot_id).update(state=BotState.STOPPED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.filter(pk=five[0].bot_id).update(state="asleep")


# --- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "words"), [("b", "is taken"), ("Ｂ", "is taken"), ("<script>", "1 to 40")])
def test_a_name_that_cannot_be_had_is_refused(user, five, name, words):
    with pytest.raises(BadName, match=words):
        leaving_play.rename(five[0].bot, user, name)
    assert again(five[0].bot).name == "a"


def test_a_bot_may_be_written_otherwise(user, five, competition):
    leaving_play.rename(five[0].bot, user, "A")
    assert again(five[0].bot).name == "A"
    assert "A" in [row.bot for row in rows(competition)]


@pytest.mark.parametrize("name", ["a", "A", "ａ"])
def test_the_old_name_is_kept_for_its_owner_for_a_while(user, five, competition, name):
    bob = User.objects.create_user("bob")
    theirs = receive(bob, competition, "theirs", "t.py", PROGRAM).bot
    leaving_play.rename(five[0].bot, user, "z")
    with pytest.raises(Refused, match="renamed less than 30 days ago"):
        receive(bob, competition, name, "a.py", PROGRAM)
    with pytest.raises(BadName, match="renamed less than 30 days ago"):
        leaving_play.rename(theirs, bob, name)
    FormerName.objects.update(given_up="2020-01-01T00:00:00Z")
    assert receive(bob, competition, name, "a.py", PROGRAM).bot.owner == bob


def test_its_owner_may_take_the_old_name_again(user, five):
    leaving_play.rename(five[0].bot, user, "z")
    leaving_play.rename(five[1].bot, user, "a")
    assert again(five[1].bot).name == "a"


def test_the_old_name_of_a_bot_that_never_competed_is_free_at_once(user, competition):
    bob = User.objects.create_user("bob")
    bot = receive(user, competition, "a", "a.py", PROGRAM).bot
    leaving_play.rename(bot, user, "z")
    assert receive(bob, competition, "a", "a.py", PROGRAM).bot.owner == bob


def test_nobody_reserves_many_names_by_renaming(user, five, competition):
    bob = User.objects.create_user("bob")
    for name in ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]:
        leaving_play.rename(again(five[0].bot), user, name)
    assert FormerName.objects.count() == 5
    assert receive(bob, competition, "a", "a.py", PROGRAM).bot.owner == bob
    with pytest.raises(Refused, match="renamed less than 30 days ago"):
        receive(bob, competition, "n6", "n.py", PROGRAM)


def test_the_name_of_a_deleted_bot_is_kept_for_its_owner_for_a_while(user, five, competition):
    bob = User.objects.create_user("bob")
    leaving_play.delete(five[0].bot, user)
    with pytest.raises(Refused, match="deleted less than 30 days ago"):
        receive(bob, competition, "A", "a.py", PROGRAM)
    mine = receive(user, competition, "a", "a.py", PROGRAM).bot
    assert (mine.pk == five[0].bot_id, mine.name) == (False, "a")
    leaving_play.rename(mine, user, "z")
    Bot.objects.filter(pk=five[0].bot_id).update(changed="2020-01-01T00:00:00Z")
    assert receive(bob, competition, "A", "a.py", PROGRAM).bot.owner == bob


def test_nor_does_another_bot_get_it_by_a_rename(user, five, competition):
    bob = User.objects.create_user("bob")
    theirs = receive(bob, competition, "theirs", "a.py", PROGRAM).bot
    leaving_play.delete(five[0].bot, user)
    with pytest.raises(BadName, match="deleted less than 30 days ago"):
        leaving_play.rename(theirs, bob, "a")
    leaving_play.rename(five[1].bot, user, "a")
    assert again(five[1].bot).name == "a"


def test_a_name_with_which_nobody_has_competed_is_free_at_once(user, competition):
    bob = User.objects.create_user("bob")
    leaving_play.delete(receive(user, competition, "a", "a.py", PROGRAM).bot, user)
    assert receive(bob, competition, "a", "a.py", PROGRAM).bot.owner == bob
