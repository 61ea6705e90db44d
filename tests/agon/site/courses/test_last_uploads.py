"""Which upload counts for a milestone: it cannot be chosen after the deadline."""

import pytest
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.courses import assessing, judging
from agon.site.courses.models import Assessment
from agon.site.matches.models import Match
from agon.site.use_cases import closing_accounts, leaving_play, qualification
from tests.agon.site.courses.conftest import PASSWORD, joined
from tests.support.factories import submit

from .judged import (
    ALICE,
    BORIS,
    add,
    bot_of,
    course,
    dice,
    judge,
    keep_programs,
    on_commit,
    pass_deadline,
    play,
    standing,
    student,
    text,
)

__all__ = ["course", "dice", "on_commit"]

pytestmark = pytest.mark.django_db


def test_leaving_play_or_another_version_after_the_deadline_changes_nothing(teacher, course, dice, on_commit):
    """Authors who see a defeat coming cannot withdraw, nor put a better version in its place."""
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    joined(teacher, course, BORIS)
    alice, boris = bot_of("1", "Alpha", course), bot_of("2", "Beta", course)
    pass_deadline(milestone)
    bot_of("2", "Beta", course)  # version 2, after the deadline
    on_commit(judging.tick)
    on_commit(assessing.tick)
    on_commit(play, ["Dice", "Alpha", "Beta"], 4)
    on_commit(leaving_play.withdraw, alice.bot, student("1"))
    judge(on_commit, ["Dice", "Alpha", "Beta"])
    assert {assessment.submission for assessment in Assessment.objects.all()} == {alice, boris}
    assert {assessment.state for assessment in Assessment.objects.all()} == {"failed"}
    assert not Match.objects.filter(kind="assessment", state="withdrawn").exists()


@pytest.mark.parametrize("act", ["withdraw", "delete"])
def test_who_leaves_play_while_the_last_upload_is_checked_cannot_choose_the_one_before(
    teacher, course, dice, on_commit, act
):
    milestone = add(teacher, dice)
    alice = joined(teacher, course, ALICE)
    first = bot_of("1", "Alpha", course)
    last = submit(student("1"), course.competitions.get(), "Alpha")
    address = f"{first.bot.get_absolute_url()}{act}/"
    pass_deadline(milestone)
    assert "still being checked for Beat it" in text(alice.post(address, follow=True))
    first.bot.refresh_from_db()
    last.refresh_from_db()
    assert (first.bot.state, last.state) == ("entered", State.QUALIFYING)
    on_commit(judging.tick)
    assert not Assessment.objects.exists()
    Submission.objects.filter(pk=last.pk).update(created=timezone.now())  # too late to count
    assert alice.post(address).status_code == 302
    first.bot.refresh_from_db()
    assert first.bot.state != "entered"


def test_who_closes_the_account_while_the_last_upload_is_checked_cannot_choose_the_one_before(
    teacher, course, dice, on_commit
):
    milestone = add(teacher, dice)
    alice = joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    last = submit(student("1"), course.competitions.get(), "Alpha")
    address = f"/u/{student('1').username}/close/"
    pass_deadline(milestone)
    assert "still being checked for Beat it" in text(alice.post(address, {"password": PASSWORD}, follow=True))
    assert student("1").closed is None
    on_commit(qualification.activate, last)
    keep_programs()
    assert alice.post(address, {"password": PASSWORD}).status_code == 302
    assert student("1").closed is not None
    judge(on_commit, ["Alpha", "Dice"])
    assert Assessment.objects.get().submission == last
    assert standing(teacher, "1") == "passed"


def test_an_administrator_closes_the_account_of_a_student_at_once(teacher, course, dice, admin_user):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    submit(student("1"), course.competitions.get(), "Alpha")
    pass_deadline(milestone)
    closing_accounts.close(student("1"), admin_user, "the school asked for it")
    assert student("1").closed is not None


def test_an_upload_counts_whose_check_passes_only_after_that_of_a_later_one(teacher, course, dice, on_commit):
    """Slow to build and in time, beside one that is quick to build and too late."""
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    last = submit(student("1"), course.competitions.get(), "Alpha")
    pass_deadline(milestone)
    bot_of("1", "Alpha", course)  # too late
    on_commit(qualification.activate, last)
    on_commit(judging.tick)
    assert Assessment.objects.get().submission == last
