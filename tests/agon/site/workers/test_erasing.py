"""Programs of deleted bots are erased when nothing needs them, rejected tries with their files."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import reasons, states
from agon.site.bots.models import Bot, Submission
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import BotState, State
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.teams import services as teams
from agon.site.tournaments import reruns, scheduling, services
from agon.site.tournaments.reruns import Choice
from agon.site.use_cases import closing_accounts, erasing, leaving_play
from agon.site.use_cases import teams as closing_teams
from agon.site.use_cases.leaving_play import ActionNotAllowed
from tests.support.factories import activate, played
from tests.support.reasons import said

from .test_life import PROGRAM, again, five, ladder_match

__all__ = ["five"]


def with_files(submission):
    submission.source.save("", ContentFile(PROGRAM), save=False)
    submission.artifact_digest = submission.digest
    submission.artifact.save("", ContentFile(b"tar"), save=False)
    submission.build_log = "built"
    submission.save()
    return submission.source, submission.artifact


def kept(file):
    return file.storage.exists(file.name)


def test_the_programs_of_a_deleted_bot_are_erased(user, five, django_capture_on_commit_callbacks):
    source, artifact = with_files(five[0])
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    gone = again(five[0])
    assert (kept(source), kept(artifact), bool(gone.source), bool(gone.artifact)) == (False,) * 4
    assert (gone.build_log, gone.digest) == ("", five[0].digest)
    assert erasing.erase_due() == 0


def test_but_not_while_a_worker_plays_it(user, five, django_capture_on_commit_callbacks):
    source, artifact = with_files(five[0])
    ladder_match(five)
    match = leases.claim("w")
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    assert kept(source)
    assert kept(artifact)
    leases.finish(match, played(match))
    assert erasing.erase_due() == 1
    assert not kept(artifact)


@pytest.mark.parametrize("paused", [False, True])
def test_nor_while_its_tournament_runs(user, five, competition, paused, django_capture_on_commit_callbacks):
    _, artifact = with_files(five[0])
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in five]
    )
    services.start(cup)
    if paused:
        services.pause(cup)
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    assert kept(artifact)
    services.cancel(cup)
    assert erasing.erase_due() == 1
    assert not kept(artifact)


def test_a_file_that_is_lost_already_hinders_nothing(user, five, django_capture_on_commit_callbacks):
    source, _ = with_files(five[0])
    source.storage.delete(source.name)
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    assert not again(five[0]).source


def rejected(user, competition, name):
    submission = receive(user, competition, name, "a.py", PROGRAM)
    submission.move(states.REJECT, reason=reasons.no_build(said("x")))
    return submission


def test_a_rejected_try_is_removed_with_its_files(
    user, five, competition, django_capture_on_commit_callbacks
):
    new = rejected(user, competition, "a")
    source = new.source
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.remove(new, user)
    assert (again(new).state, kept(source)) == (State.REMOVED, False)
    assert again(five[0].bot).state == BotState.ENTERED
    assert receive(user, competition, "a", "a.py", PROGRAM).number == 3


def test_nothing_but_a_rejected_try_is_removed(user, five):
    with pytest.raises(ActionNotAllowed, match="this one is active"):
        leaving_play.remove(five[0], user)


def test_with_its_last_try_a_bot_goes_and_its_name_is_free(user, competition):
    new = rejected(user, competition, "a")
    leaving_play.remove(new, user)
    assert again(new.bot).state == BotState.DELETED
    assert receive(User.objects.create_user("bob"), competition, "a", "a.py", PROGRAM).number == 1


def test_rejected_and_deleted_bots_use_up_no_place(user, competition, settings):
    settings.AGON_BOTS_PER_USER = 2
    rejected(user, competition, "a")
    rejected(user, competition, "b")
    with pytest.raises(Refused, match="2 of your bots have only rejected versions"):
        receive(user, competition, "c", "c.py", PROGRAM)
    leaving_play.remove(Submission.objects.get(bot__name="a"), user)
    activate(user, competition, ["d"])
    kept = receive(user, competition, "e", "a.py", PROGRAM)
    with pytest.raises(Refused, match="You have 2 bots in this competition"):
        receive(user, competition, "f", "a.py", PROGRAM)
    leaving_play.delete(kept.bot, user)
    assert receive(user, competition, "f", "a.py", PROGRAM).number == 1


def test_removing_tries_does_not_make_room_for_more_within_the_hour(user, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 2
    for name in ("a", "b"):
        leaving_play.remove(rejected(user, competition, name), user)
    with pytest.raises(Refused, match="2 submissions within an hour"):
        receive(user, competition, "c", "a.py", PROGRAM)


@pytest.fixture
def void_cup(user, five, competition):
    """A finished tournament whose only match is void: nobody has a result yet."""
    with_files(five[0])
    cup = services.create(
        user, competition, "Cup", "drawn", 1, 1, [submission.bot for submission in five[:4]]
    )
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        leases.fail(match, said("no sandbox"))
    scheduling.tick()
    return again(cup)


def test_a_void_match_of_a_finished_tournament_is_run_again_although_a_bot_was_deleted(
    user, five, void_cup, django_capture_on_commit_callbacks
):
    assert (void_cup.state, {match.state for match in void_cup.matches.all()}) == ("finished", {"void"})
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    assert erasing.erase_due() == 0
    rerun = reruns.begin(void_cup, Choice(void=True), user, "the host was broken")
    while (match := leases.claim("w")) is not None:
        leases.finish(match, played(match))
    reruns.apply(rerun, user, "it is sound now")


def test_who_deletes_the_bot_does_not_prevent_that_matches_are_run_again(
    user, five, void_cup, django_capture_on_commit_callbacks
):
    """A match with a result, too: perhaps the bot won it by an error."""
    rerun = reruns.begin(void_cup, Choice(void=True), user, "the host was broken")
    while (match := leases.claim("w")) is not None:
        leases.finish(match, played(match))
    reruns.apply(rerun, user)
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    assert erasing.erase_due() == 0
    reruns.begin(void_cup, Choice(bot=0), user, "the referee was wrong")
    assert Match.objects.filter(kind="rerun", state="queued").exists()


@pytest.fixture
def team_of_first(user, five):
    """The bot of the tournament that has a program is that of a team."""
    team = teams.create("Trio", user)
    Bot.objects.filter(pk=five[0].bot_id).update(owner=team.account)
    return team


def test_who_closes_the_team_does_not_prevent_it_either(
    user, team_of_first, void_cup, django_capture_on_commit_callbacks
):
    """A captain would lose nothing by that, unlike a person who closes their account."""
    with django_capture_on_commit_callbacks(execute=True):
        closing_teams.close(team_of_first, user, bots_too=True)
    assert Bot.objects.filter(owner=team_of_first.account, state=BotState.DELETED).exists()
    assert erasing.erase_due() == 0
    reruns.begin(void_cup, Choice(void=True), user, "the host was broken")
    assert Match.objects.filter(kind="rerun", state="queued").exists()


def test_its_program_is_kept_for_two_weeks_only(user, five, void_cup, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(five[0].bot, user)
    for days, erased in ((13, 0), (15, 1)):
        type(void_cup).objects.filter(pk=void_cup.pk).update(
            finished_at=timezone.now() - timedelta(days=days)
        )
        assert erasing.erase_due() == erased
    with pytest.raises(services.BadTournament, match="their programs erased: a"):
        reruns.begin(void_cup, Choice(void=True), user, "the host was broken")


def test_who_closes_the_account_leaves_no_program(user, five, void_cup, django_capture_on_commit_callbacks):
    artifact = again(five[0]).artifact
    with django_capture_on_commit_callbacks(execute=True):
        closing_accounts.close(user, user, "", bots_too=True)
    erasing.erase_due()
    assert not kept(artifact)
