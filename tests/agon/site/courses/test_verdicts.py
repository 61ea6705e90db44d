"""What becomes of a verdict: judged again, after an extension, while something is gone; and its evidence."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.bots import reasons
from agon.site.bots.models import Submission
from agon.site.bots.states import BotState
from agon.site.courses import assessing, judging
from agon.site.courses.models import Assessment, Judging, Milestone
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.use_cases import closing_accounts, leaving_play
from agon.site.workers import artifact_removal
from tests.agon.site.courses.conftest import joined
from tests.support.factories import duel
from tests.support.reasons import said

from .judged import (
    ALICE,
    BORIS,
    COURSE,
    add,
    bot_of,
    course,
    dice,
    judge,
    on_commit,
    pass_deadline,
    play,
    standing,
    text,
)

__all__ = ["course", "dice", "on_commit"]

pytestmark = pytest.mark.django_db


def test_an_extension_after_a_verdict_has_the_other_version_judged_beside_it_and_it_counts(
    teacher, course, dice, on_commit
):
    """Who saw a result and got time cannot choose: what counts by the new deadline is judged, once."""
    milestone = add(teacher, dice)
    alice, _boris = joined(teacher, course, ALICE), joined(teacher, course, BORIS)
    first = bot_of("1", "Alpha", course)
    bot_of("2", "Beta", course)
    pass_deadline(milestone)
    judge(on_commit, ["Alpha", "Dice", "Beta"])
    assert (standing(teacher, "1"), standing(teacher, "2")) == ("passed", "missed")
    later = bot_of("1", "Alpha", course)  # five minutes late
    page = f"{COURSE}milestones/{milestone.pk}/extensions/"
    answer = teacher.post(page, {"number": "1", "extension": "1m"}, follow=True)
    assert "Alice Anders" in text(answer)
    judge(on_commit)  # nothing else counts by then: no match is played again
    assert Judging.objects.count() == 1
    assert standing(teacher, "1") == "passed"
    teacher.post(page, {"number": "1", "extension": "2h"})
    assert standing(teacher, "1") == "not yet"  # a still later version would count
    assert "Deadline" in text(alice.get(COURSE))
    Milestone.objects.update(deadline=timezone.now() - timedelta(hours=3), judge_at=timezone.now())
    Submission.objects.filter(pk=first.pk).update(created=timezone.now() - timedelta(hours=4))
    Submission.objects.filter(pk=later.pk).update(created=timezone.now() - timedelta(hours=2))
    judge(on_commit, ["Dice", "Alpha"])
    judged = Assessment.objects.filter(student__number="1").values_list("judging__number", "submission")
    assert list(judged) == [(1, first.pk), (2, later.pk)]
    matrix = text(teacher.get(f"{COURSE}progress/"))
    assert "judging 1" in matrix  # the former result, in its own column
    assert re.search(r'>passed: 12 of 12<.*?<span class="badge bad">missed<', matrix, re.DOTALL)
    assert Assessment.objects.filter(student__number="2").count() == 1  # Boris has one verdict as before
    assert "since a deadline was moved" in text(teacher.get(f"{COURSE}milestones/{milestone.pk}/judging/"))
    # It is taken back: the first verdict is about the version that counts again.
    teacher.post(page, {"number": "1", "extension": "0"})
    judge(on_commit)
    assert (standing(teacher, "1"), Judging.objects.count()) == ("passed: 12 of 12", 2)
    assert re.search(r"1,Alice Anders,.*10", text(teacher.get(f"{COURSE}grades.csv")))


def test_a_void_match_is_played_again_and_too_many_decide_nothing(teacher, course, dice, on_commit):
    milestone = add(teacher, dice, most_matches="10")
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    on_commit(judging.tick)
    on_commit(assessing.tick)

    for _attempt in range(3):
        on_commit(leases.fail, leases.claim("w", ("bulk",)), said("no box"))
    assert Match.objects.filter(kind="assessment", state="void").exists()
    judge(on_commit, ["Alpha", "Dice"])
    assessment = Assessment.objects.get()
    assert (assessment.state, assessment.matches_counted % 2) == ("passed", 0)
    assert standing(teacher, "1") == "passed"


@pytest.mark.parametrize("began", [False, True], ids=["before", "meanwhile"])
def test_a_student_whose_bot_is_stopped_misses_the_milestone_until_it_is_judged_again(
    teacher, course, dice, on_commit, admin_user, began
):
    """A bot can bring its stop about, by void matches: that must not keep a defeat from counting."""
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot = bot_of("1", "Alpha", course).bot
    pass_deadline(milestone)
    if began:
        on_commit(judging.tick)
        on_commit(assessing.tick)
        on_commit(play, ["Dice", "Alpha"], 2)
    on_commit(leaving_play.stop, bot, admin_user, reasons.stopped("It broke the rules."))
    judge(on_commit, ["Alpha", "Dice"])
    assessment = Assessment.objects.get()
    assert (assessment.state, standing(teacher, "1")) == ("failed", "missed")
    assert "One of its bots was stopped." in text(teacher.get(assessment.get_absolute_url()))
    on_commit(leaving_play.release, bot, admin_user, "It did not.")
    on_commit(judging.again, milestone, "It was stopped by mistake.", admin_user)
    judge(on_commit, ["Alpha", "Dice"])
    assert standing(teacher, "1") == "failed"  # in the column of the former judging
    assert re.search(r"^1,Alice Anders,.*\b10\b", text(teacher.get(f"{COURSE}grades.csv")), re.MULTILINE)


def test_a_student_whose_bot_is_stopped_while_all_of_its_matches_are_played_misses_the_milestone(
    teacher, course, dice, on_commit, admin_user
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot = bot_of("1", "Alpha", course).bot
    pass_deadline(milestone)
    on_commit(judging.tick)
    on_commit(assessing.tick)
    claimed = list(iter(lambda: leases.claim("w", ("bulk",)), None))
    on_commit(leaving_play.stop, bot, admin_user, reasons.stopped("It broke the rules."))
    for match in claimed:
        on_commit(leases.finish, match, duel(match, ["Alpha", "Dice"]))
    assert judge(on_commit, ["Alpha", "Dice"]) == 0
    assert (Assessment.objects.get().state, standing(teacher, "1")) == ("failed", "missed")


@pytest.mark.parametrize("deleted", ["before", "afterwards"])
def test_a_student_who_deletes_the_bot_misses_the_milestone_all_the_same_if_it_is_stopped(
    teacher, course, dice, on_commit, admin_user, deleted
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot = bot_of("1", "Alpha", course).bot
    pass_deadline(milestone)
    on_commit(judging.tick)
    on_commit(assessing.tick)
    if deleted == "before":
        on_commit(leaving_play.delete, bot, bot.owner)
    on_commit(leaving_play.stop, bot, None, reasons.stopped("Its matches are void."))
    if deleted == "afterwards":
        on_commit(closing_accounts.close, bot.owner, bot.owner, "", True)
    judge(on_commit, ["Alpha", "Dice"])
    assert (Assessment.objects.get().state, standing(teacher, "1")) == ("failed", "missed")


def test_nobody_is_judged_against_a_bot_that_was_stopped_before_their_turn(
    teacher, course, dice, on_commit, admin_user, monkeypatch
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    with monkeypatch.context() as patched:
        patched.setattr(assessing, "RUNNING", 0)  # as if others were judged first
        judge(on_commit)
    on_commit(leaving_play.stop, dice, admin_user, reasons.stopped("It is broken."))
    assert judge(on_commit, ["Dice", "Alpha"]) == 0
    assert (Assessment.objects.get().state, standing(teacher, "1")) == ("cancelled", "not yet")


def test_nobody_misses_a_milestone_because_the_bot_to_beat_is_stopped(
    teacher, course, dice, on_commit, admin_user
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    on_commit(judging.tick)
    on_commit(assessing.tick)
    on_commit(leaving_play.stop, dice, admin_user, reasons.stopped("It is broken."))
    judge(on_commit)
    assert (Assessment.objects.get().state, standing(teacher, "1")) == ("cancelled", "not yet")


def test_judged_again_stands_beside_and_the_last_verdict_counts(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    page = f"{COURSE}milestones/{milestone.pk}/judging/"
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    assert "begins by itself after the deadline" in text(
        teacher.post(page, {"act": "again", "why": "x"}, follow=True)
    )
    pass_deadline(milestone)
    judge(on_commit, ["Dice", "Alpha", "Beta"])
    assert standing(teacher, "1") == "missed"
    assert "Give a reason" in text(teacher.post(page, {"act": "again", "why": " "}, follow=True))
    answer = on_commit(teacher.post, page, {"act": "again", "why": "Dice was\0 broken"})
    assert answer.status_code == 302
    assert "still going on" in text(teacher.post(page, {"act": "again", "why": "more"}, follow=True))
    assert standing(teacher, "1") in ("failed: 0 of 10", "missed")  # the former one, until there is another
    judge(on_commit, ["Alpha", "Dice"])
    grades = text(teacher.get(f"{COURSE}grades.csv"))
    assert re.search(r"1,Alice Anders,.*10", grades)
    matrix = text(teacher.get(f"{COURSE}progress/"))
    assert "judging 1" in matrix
    assert "failed: 0 of" in matrix  # the former result, in its own column
    assert "Dice was" in text(teacher.get(page))
    assert "\0" not in Judging.objects.last().why  # PostgreSQL takes none


def test_nothing_is_judged_while_the_bot_to_beat_is_gone_and_all_is_once_it_is_back(
    teacher, course, dice, on_commit
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    active = dice.active
    type(dice).objects.filter(pk=dice.pk).update(active=None, state=BotState.WITHDRAWN)
    judge(on_commit)
    assert not Judging.objects.exists()
    type(dice).objects.filter(pk=dice.pk).update(active=active, state=BotState.ENTERED)
    Milestone.objects.update(judge_at=timezone.now())
    judge(on_commit, ["Alpha", "Dice"])
    assert Assessment.objects.get().state == "passed"


def test_a_course_that_is_closed_meanwhile_is_judged_to_the_end(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    on_commit(judging.tick)
    on_commit(assessing.tick)
    on_commit(play, ["Alpha", "Dice"], 3)
    teacher.post(f"{COURSE}state/", {"state": "closed"})
    judge(on_commit, ["Alpha", "Dice"])
    assert Assessment.objects.get().state == "passed"


def test_a_judged_milestone_stays_and_keeps_its_evidence(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    judge(on_commit, ["Alpha", "Dice"])
    answer = teacher.post(f"{COURSE}milestones/{milestone.pk}/", {"delete": "1"}, follow=True)
    assert "was judged, and stays" in text(answer)
    assert Milestone.objects.filter(pk=milestone.pk).exists()


def test_programs_that_may_be_judged_are_kept_while_the_course_is_open(teacher, course, dice):
    joined(teacher, course, ALICE)
    versions = [bot_of("1", "Alpha", course) for _number in range(3)]
    long_ago = timezone.now() - timedelta(days=30)
    Submission.objects.update(activated=long_ago)
    add(teacher, dice)
    assert artifact_removal.remove_unneeded() == 0
    teacher.post(f"{COURSE}state/", {"state": "closed"})
    assert artifact_removal.remove_unneeded() == 0  # the deadline is still to come
    Milestone.objects.update(judge_at=None)
    assert artifact_removal.remove_unneeded() == 1
    assert not Submission.objects.get(pk=versions[0].pk).artifact


def test_programs_that_wait_for_a_verdict_are_kept_when_the_course_is_closed(
    teacher, course, dice, on_commit, monkeypatch
):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    counts = bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    with monkeypatch.context() as patched:
        patched.setattr(assessing, "RUNNING", 0)  # as if others were judged first
        judge(on_commit)
    assert Assessment.objects.get().state == "waiting"
    for _number in range(2):
        bot_of("1", "Alpha", course)
    Submission.objects.update(activated=timezone.now() - timedelta(days=30))
    teacher.post(f"{COURSE}state/", {"state": "closed"})
    assert artifact_removal.remove_unneeded() == 0
    judge(on_commit, ["Alpha", "Dice"])
    assert Assessment.objects.get().state == "passed"
    assert artifact_removal.remove_unneeded() == 1
    assert not Submission.objects.get(pk=counts.pk).artifact


def test_who_could_still_upload_when_all_were_judged_again_is_judged_by_the_new_terms_afterwards(
    teacher, course, dice, on_commit
):
    """One student with an extension must not be the only one who is held to what was too hard."""
    milestone = add(teacher, dice, share="90")
    joined(teacher, course, ALICE), joined(teacher, course, BORIS)
    alpha = bot_of("1", "Alpha", course)
    bot_of("2", "Beta", course)
    pass_deadline(milestone)
    judge(on_commit, ["Dice", "Alpha", "Beta"])
    assert (standing(teacher, "1"), standing(teacher, "2")) == ("missed", "missed")
    page = f"{COURSE}milestones/{milestone.pk}/"
    teacher.post(f"{page}extensions/", {"number": "1", "extension": "2h"})
    Milestone.objects.update(terms=milestone.terms | {"percent": 40})
    assert on_commit(teacher.post, f"{page}judging/", {"act": "again", "why": "too hard"}).status_code == 302
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    again = Judging.objects.latest("number")
    assert [assessment.student.number for assessment in again.assessments.all()] == ["2"]
    pass_deadline(milestone, minutes=130)  # Alice uploads nothing
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    assert list(Assessment.objects.filter(judging=again, student__number="1").values_list("submission")) == [
        (alpha.pk,)
    ]
    assert Judging.objects.count() == 2
    assert Assessment.objects.filter(student__number="2").count() == 2  # Boris is not judged a third time
    assert re.search(r"1,Alice Anders,.*10", text(teacher.get(f"{COURSE}grades.csv")))
