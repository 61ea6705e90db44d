"""A rated match that was drawn counts, whatever the owner of a bot in it does afterwards."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.access import Act
from agon.site.bots.models import Bot
from agon.site.bots.services import receive
from agon.site.bots.states import BotState, State
from agon.site.leaderboards.models import PairCount, Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import closing_accounts, erasing, leaving_play, qualification
from agon.site.use_cases.leaving_play import ActionNotAllowed
from tests.support.factories import activate, played, submit
from tests.support.reasons import said


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def admin(db):
    return User.objects.create_superuser("orga")


def ladder_match(submissions):
    return queueing.queue(
        submissions[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, submissions[:4], seed=38
    )


def perform(act, words=""):
    return lambda loser: leaving_play.perform(act, loser.bot, loser.bot.owner, words)


def replace(loser):
    newer = submit(loser.bot.owner, loser.bot.competition, loser.bot.name, State.QUALIFYING)
    qualification.enter_play(newer)


def replace_and_withdraw(loser):
    replace(loser)
    perform(Act.WITHDRAW)(loser)


def close_account(loser):
    closing_accounts.close(loser.bot.owner, loser.bot.owner, "", bots_too=True)


DODGES = {
    "withdraw": perform(Act.WITHDRAW),
    "delete": perform(Act.DELETE),
    "rename": perform(Act.RENAME, "another"),
    "new version": replace,
    "new version, then withdraw": replace_and_withdraw,
    "close the account": close_account,
}


@pytest.fixture(params=DODGES.values(), ids=DODGES.keys())
def dodge(request, admin):  # `admin`: the last administrator's account cannot be closed
    return request.param


def end(match):
    assert leases.finish(match, played(match))
    match.refresh_from_db()
    return match.state


def counted(submission):
    return Rating.objects.get(rated__submission=submission).played


def test_a_queued_match_is_played_and_counts(five, dodge):
    drawn = ladder_match(five)
    dodge(five[0])

    match = leases.claim("w")
    assert match == drawn
    assert leases.not_to_begin([match]) == []
    assert end(match) == MatchState.FINISHED
    assert counted(five[0]) == 1
    assert (
        PairCount.objects.filter(first__rated__submission=five[0]).count()
        + (PairCount.objects.filter(second__rated__submission=five[0]).count())
        >= 3
    )


def test_a_running_match_counts(five, dodge):
    ladder_match(five)
    match = leases.claim("w")
    dodge(five[0])
    assert end(match) == MatchState.FINISHED
    assert counted(five[0]) == 1


def test_a_match_that_the_platform_fails_to_play_is_tried_again(five, dodge):
    ladder_match(five)
    match = leases.claim("w")
    dodge(five[0])
    assert leases.fail(match, said("the disk is full"))
    again = leases.claim("w")
    assert again == match
    assert end(again) == MatchState.FINISHED
    assert counted(five[0]) == 1


def test_a_match_that_its_worker_hands_back_is_played(five, dodge):
    ladder_match(five)
    match = leases.claim("w")
    dodge(five[0])
    leases.hand_back([match])
    assert end(leases.claim("w")) == MatchState.FINISHED
    assert counted(five[0]) == 1


def test_many_new_versions_while_a_match_runs_do_not_lose_its_result(five):
    ladder_match(five)
    match = leases.claim("w")
    for _ in range(5):
        replace(five[0])
    assert end(match) == MatchState.FINISHED
    assert counted(five[0]) == 1


def test_a_deleted_bot_keeps_its_program_until_its_drawn_match_is_over(user, competition, five):
    drawn = ladder_match(five)
    five[0].source.name = five[0].source.name or "sources/of-a"
    five[0].save(update_fields=["source"])
    leaving_play.delete(five[0].bot, user)
    erasing.erase_due()
    five[0].refresh_from_db()
    assert five[0].source

    end(leases.claim("w"))
    drawn.refresh_from_db()
    assert drawn.state == MatchState.FINISHED
    erasing.erase_due()
    five[0].refresh_from_db()
    assert not five[0].source


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_administrators_stop_withdraws_the_match(five, admin, is_deleted):
    drawn = ladder_match(five)
    if is_deleted:
        perform(Act.DELETE)(five[0])
    leaving_play.stop(five[0].bot, admin, reasons.stopped("It cheats."))
    drawn.refresh_from_db()
    assert drawn.state == MatchState.WITHDRAWN


def test_a_failed_match_of_a_stopped_bot_is_not_tried_again(five, admin):
    ladder_match(five)
    match = leases.claim("w")
    leaving_play.stop(five[0].bot, admin, reasons.stopped("It cheats."))
    assert leases.fail(match, said("the disk is full"))
    match.refresh_from_db()
    assert match.state == MatchState.WITHDRAWN


def test_a_withdrawn_bot_enters_again_after_an_hour_and_the_message_says_when(user, five):
    bot = five[0].bot
    leaving_play.withdraw(bot, user)
    with pytest.raises(ActionNotAllowed, match=r"in 1\xa0hour|in 59\xa0minutes"):
        leaving_play.perform(Act.REENTER, bot, user)

    Bot.objects.filter(pk=bot.pk).update(changed=timezone.now() - timedelta(minutes=58))
    with pytest.raises(ActionNotAllowed, match=r"in (1\xa0minute|2\xa0minutes)"):
        leaving_play.perform(Act.REENTER, bot, user)

    Bot.objects.filter(pk=bot.pk).update(changed=timezone.now() - timedelta(hours=1))
    leaving_play.perform(Act.REENTER, bot, user)
    bot.refresh_from_db()
    assert bot.state == BotState.ENTERED


def test_a_rename_does_not_shorten_or_lengthen_the_wait(user, five):
    bot = five[0].bot
    leaving_play.withdraw(bot, user)
    leaving_play.rename(bot, user, "another")
    with pytest.raises(ActionNotAllowed):
        leaving_play.perform(Act.REENTER, bot, user)


def test_an_upload_does_not_bring_a_withdrawn_bot_back_early(user, competition, five):
    leaving_play.withdraw(five[0].bot, user)
    with pytest.raises(Exception, match="is withdrawn"):
        receive(user, competition, "a", "a.py", b"print('READY')\n")
