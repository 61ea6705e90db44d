"""Milestones that ask for matches: what is judged, when, by which matches, and what the pages show."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.courses import assessing, judging
from agon.site.courses.models import Assessment, Judging, Milestone
from agon.site.matches.models import Match, Seat
from agon.site.use_cases import erasing, leaving_play
from tests.agon.site.courses.conftest import joined, links_of, take
from tests.agon.site.web.conftest import browser_of
from tests.agon.site.web.test_every_page import ASKED_OF_FORMS
from tests.support.factories import activate, submit

from .judged import (
    ALICE,
    BORIS,
    COURSE,
    NEW,
    add,
    bot_of,
    course,
    dice,
    judge,
    keep_programs,
    on_commit,
    pass_deadline,
    standing,
    student,
    text,
)

__all__ = ["course", "dice", "on_commit"]

pytestmark = pytest.mark.django_db


def test_after_the_deadline_the_versions_that_count_are_judged_by_matches(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    alice, boris = (joined(teacher, course, name) for name in (ALICE, BORIS))
    strong, _weak = bot_of("1", "Strong", course), bot_of("2", "Weak", course)
    assert judge(on_commit) == 0  # the deadline is to come
    assert standing(teacher, "1") == "not yet"
    pass_deadline(milestone)
    judge(on_commit, ["Strong", "Dice", "Weak"])
    assert standing(teacher, "1") == "passed"
    assert standing(teacher, "2") == "missed"
    assert standing(teacher, "3") == "missed"  # did not join
    evidence = Assessment.objects.get(student__number="1")
    assert evidence.submission == strong
    page = text(alice.get(evidence.get_absolute_url()))
    assert "passed: 12 of 12" in page  # 12 of 20 are needed: the other 8 need not be played
    assert "Alice" not in page  # a student's page names no student
    assert boris.get(evidence.get_absolute_url()).status_code == 404
    assert "evidence" in text(teacher.get(f"{COURSE}progress/"))


@pytest.mark.production
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no clock of its own")
def test_a_machine_whose_clock_is_ahead_judges_nothing_early(teacher, course, dice, on_commit, monkeypatch):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Strong", course)
    Milestone.objects.update(judge_at=timezone.now())
    ahead = milestone.deadline + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    judging.tick()
    assert not Judging.objects.exists()


def test_thresholds_give_points_by_the_share_everywhere_and_all_matches_that_matter_are_played(
    teacher, course, dice, on_commit
):
    milestone = add(teacher, dice, share="", points="", steps="80 10\n40 % 5\n60: 7,5")
    assert milestone.points == 10
    alice, _boris = (joined(teacher, course, name) for name in (ALICE, BORIS))
    bot_of("1", "Alpha", course), bot_of("2", "Beta", course)
    card = text(alice.get(COURSE)).replace("\xa0", " ")
    assert "40 % give 5 points, 60 % give 7.5 points, 80 % give 10 points." in card
    # Of 20 matches: P(X >= 8 | 0.4) = 58.4 %, P(X >= 8 | 0.35) = 39.9 %, P(X >= 12 | 0.6) = 59.6 %
    assert "At least 5 points: who truly wins 40 % gets them with a probability of 58 %" in card
    assert "who wins 35 % with 40 %" in card
    assert "At least 7.5 points: who truly wins 60 % gets them with a probability of 60 %" in card
    pass_deadline(milestone)
    # Alpha wins 13 of the first 13, then loses: 13 of 20 are 65 %. Beta loses them all.
    played: list[int] = []

    def strengths(match):
        if match.assessment.submission.bot.name == "Beta":
            return ["Dice", "Beta"]
        played.append(match.pk)
        return ["Alpha", "Dice"] if len(played) <= 13 else ["Dice", "Alpha"]

    judge(on_commit, strengths)
    assert len(played) == 20
    assert Assessment.objects.get(student__number="1").matches_counted == 18  # 5 losses: 80 % is out of reach
    assert standing(teacher, "1") == "passed: 7.5 of 10 points"
    assert standing(teacher, "2") == "missed"
    assert re.search(r"1,Alice Anders,,,7.5", text(teacher.get(f"{COURSE}grades.csv")))
    evidence = Assessment.objects.get(student__number="1")
    assert "passed: 13 of 18, 7.5 points" in text(alice.get(evidence.get_absolute_url()))
    page = text(teacher.get(f"{COURSE}milestones/{milestone.pk}/judging/")).replace("\xa0", " ")
    assert "at least 7.5 points" in page
    form = text(teacher.get(f"{COURSE}milestones/{milestone.pk}/"))
    assert "40 5\n60 7.5\n80 10</textarea>" in form
    # Other thresholds hold from the next judging on; fewer points of the milestone hold at once.
    Milestone.objects.update(points=6)
    assert standing(teacher, "1") == "passed: 6 of 6 points"


def test_ranking_above_a_bot_with_95_percent_confidence_is_one_choice(teacher, course, dice):
    milestone = add(teacher, dice, rule="above", share="", most_matches="")
    assert (milestone.rule, milestone.terms["percent"], milestone.terms["margin"]) == ("beats", 55, 5)
    page = text(teacher.get(f"{COURSE}progress/")).replace("\xa0", " ")
    assert "Rank above Dice with 95 % confidence, by matches against it" in page
    assert "one that truly wins 50 % passes with a probability of 5 %" in page
    form = text(teacher.get(f"{COURSE}milestones/{milestone.pk}/"))
    assert '<option value="above" selected>' in form


def test_each_seat_is_taken_equally_often(teacher, course, dice, on_commit):
    milestone = add(teacher, dice, most_matches="20", share="99")
    joined(teacher, course, ALICE)
    version = bot_of("1", "Strong", course)
    pass_deadline(milestone)
    judge(on_commit, ["Strong", "Dice"])
    seats = Seat.objects.filter(match__kind="assessment", submission=version)
    assert seats.filter(number=0).count() == seats.filter(number=1).count() == 10
    assert Match.objects.filter(kind="assessment").count() == 20


def test_equal_ranks_are_half_a_win(teacher, course, dice, on_commit):
    milestone = add(teacher, dice, most_matches="10", share="50")
    joined(teacher, course, ALICE)
    bot_of("1", "Even", course)
    pass_deadline(milestone)
    judge(on_commit, [])
    assert Assessment.objects.get().state == "passed"
    assert Assessment.objects.get().halves == 10


def test_who_joins_after_the_deadline_with_a_bot_of_before_is_judged(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    joined(teacher, course, BORIS)
    bot_of("2", "Beta", course)
    alice = User.objects.create_user("alice")
    activate(alice, course.competitions.get(), ["Alpha"])
    keep_programs()
    pass_deadline(milestone)
    judge(on_commit, ["Alpha", "Dice", "Beta"])
    assert (standing(teacher, "1"), standing(teacher, "2")) == ("missed", "missed")
    browser_of(alice).post(links_of(teacher, course)["Alice Anders"], {"as_myself": "1"})
    assert standing(teacher, "1") == "not yet"
    judge(on_commit, ["Alpha", "Dice", "Beta"])
    assert standing(teacher, "1") == "passed"


def test_students_see_what_a_teacher_changed_of_a_milestone_and_when(teacher, course, dice):
    """A deadline that is moved once it is known who missed it is moved before everyone's eyes."""
    milestone = add(teacher, dice)
    alice = joined(teacher, course, ALICE)
    assert "Changes by the teachers" not in text(alice.get(COURSE))
    form = {"title": "Beat it", "rule": "accepted", "points": "7.5", "policy": "grace", "minutes": "30"}
    form |= {"deadline": "2030-06-01T12:00", "revision": "1"}
    assert teacher.post(f"{COURSE}milestones/{milestone.pk}/", form).status_code == 302
    page = text(alice.get(COURSE))
    told = " ".join(page.partition('id="changes-title"')[2].split()).replace("\xa0", " ")
    assert "<del>June 1, 2030, 6 p.m. (UTC, UTC+00:00)</del> → <ins>June 1, 2030, noon" in told
    assert "<dt>Points</dt><dd><del>10</del> → <ins>7.5</ins>" in told
    assert "<del>Beat Dice in at least 60 % of 20 matches" in told
    assert "→ <ins>30 minutes late still count as in time.</ins>" in told
    assert "<dt>Title</dt>" not in told


def test_a_bot_that_is_deleted_after_the_deadline_is_judged_and_erased_after_that(
    teacher, course, dice, on_commit
):
    """Without its program there would be no verdict: an empty cell among the grades instead of 0."""
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    joined(teacher, course, BORIS)
    alice, boris = bot_of("1", "Alpha", course), bot_of("2", "Beta", course)
    pass_deadline(milestone)
    on_commit(leaving_play.delete, alice.bot, student("1"))  # before the sweep
    on_commit(judging.tick)
    on_commit(assessing.tick)
    Match.objects.filter(kind="assessment").update(state="finished")  # the moment between two cycles
    on_commit(leaving_play.delete, boris.bot, student("2"))
    assert erasing.erase_due() == 0
    Match.objects.filter(kind="assessment").update(state="queued")
    judge(on_commit, ["Dice", "Alpha", "Beta"])
    assert (standing(teacher, "1"), standing(teacher, "2")) == ("missed", "missed")
    assert re.search(r"1,Alice Anders,,,0\.?0*,", text(teacher.get(f"{COURSE}grades.csv")))
    assert erasing.erase_due() == 2
    assert set(Submission.objects.filter(bot__house=False).values_list("artifact", flat=True)) == {""}


def test_whether_a_judging_needs_a_program_is_one_question(
    teacher, course, dice, on_commit, django_assert_num_queries
):
    """Between two questions, a judging that is to come may begin, and neither answer names it."""
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    version = bot_of("1", "Alpha", course)
    assert version.bot.name == "Alpha"  # it is read by now
    for wanted in (True, True, False):
        with django_assert_num_queries(1):
            assert judging.needs(version) == wanted
        if Assessment.objects.exists():
            judge(on_commit, ["Alpha", "Dice"])
        else:
            pass_deadline(milestone)
            on_commit(judging.tick)


def test_a_version_that_is_still_checked_is_waited_for(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    bot_of("1", "Alpha", course)
    late = submit(student("1"), course.competitions.get(), "Alpha", State.QUALIFYING)
    pass_deadline(milestone)
    judge(on_commit)
    assert not Assessment.objects.exists()
    milestone.refresh_from_db()
    assert milestone.judge_at > timezone.now()  # it is looked at again
    Submission.objects.filter(pk=late.pk).update(state=State.ACTIVE, activated=timezone.now())
    keep_programs()
    Milestone.objects.update(judge_at=timezone.now())
    judge(on_commit, ["Alpha", "Dice"])
    assert Assessment.objects.get().submission == late


@pytest.mark.exhaustive
def test_a_student_with_an_extension_is_judged_later_against_the_same_version(
    teacher, course, dice, on_commit
):
    take(teacher, course, "id,name,extension\n1,Alice Anders,1h\n2,Boris Blau,0\n3,Chiyo Sato,0\n")
    milestone = add(teacher, dice)
    joined(teacher, course, ALICE)
    joined(teacher, course, BORIS)
    bot_of("1", "Alpha", course)
    bot_of("2", "Beta", course)
    pass_deadline(milestone)
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    assert [assessment.student.number for assessment in Assessment.objects.all()] == ["2"]
    milestone.refresh_from_db()
    assert milestone.judge_at == milestone.deadline + timedelta(minutes=61)
    first = dice.active
    activate(dice.owner, course.competitions.get(), ["Dice"])  # the opponent gets another version
    keep_programs()
    pass_deadline(milestone, minutes=62)
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    assert Judging.objects.get().opponent == first
    opponents = Seat.objects.filter(match__kind="assessment", name="Dice").values_list(
        "submission", flat=True
    )
    assert set(opponents) == {first.pk}
    assert standing(teacher, "1") == "passed"


def test_the_house_bots_can_be_tried_before_and_count_for_nobody(teacher, course, dice, on_commit):
    milestone = add(teacher, dice)
    page = f"{COURSE}milestones/{milestone.pk}/judging/"
    on_commit(teacher.post, page, {"act": "try"})
    judge(on_commit, ["Clerk", "Dice"])
    tried = Assessment.objects.get()
    assert (tried.student, tried.submission.bot.name, tried.state) == (None, "Clerk", "passed")
    assert "Clerk" in text(teacher.get(page))
    assert text(teacher.get(f"{COURSE}grades.csv")).count("Beat it") == 1
    assert Submission.objects.get(pk=tried.submission_id).rated.rating.played == 0


def test_the_page_says_how_likely_a_bot_passes(teacher, course, dice):
    """For 60 % of 100 matches: the binomial distribution gives 18 %, 54 % and 87 %."""
    milestone = add(teacher, dice, most_matches="100")
    page = text(teacher.get(f"{COURSE}milestones/{milestone.pk}/judging/"))
    rows = re.findall(
        r'<th scope="row" class="num">(\d+) %</th><td class="num">(\d+) ?%', page.replace("\xa0", " ")
    )
    assert dict(rows) == {"50": "3", "55": "18", "60": "54", "65": "87", "70": "99"}
    alice = joined(teacher, course, ALICE)
    card = text(alice.get(COURSE))
    assert "Beat Dice in at least 60 % of 100 matches, each seat equally often." in card
    assert "one that wins 60 % with 54 %" in card


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"deadline": ""}, "Give a deadline"),
        ({"opponent": ""}, "Choose the bot to beat."),
        ({"opponent": "999999"}, "Select a valid choice"),
        ({"share": "100"}, "less than or equal to 99"),
        ({"share": ""}, "Expected a number from 1 to 99."),
        ({"most_matches": "401"}, "less than or equal to 400"),
        ({"most_matches": "ten"}, "Enter a whole number."),
        ({"share": "95", "margin": "10"}, "too close to none or all"),
        ({"margin": "3"}, "Select a valid choice"),
        ({"points": ""}, "Expected a number of points."),
        ({"steps": "40 5\nmany"}, "Line 2: expected a share and points, such as 60 8; got “many”."),
        ({"steps": "40 5\n60 5"}, "more points for each greater share"),
        ({"steps": "101 5"}, "expected a share and points"),
        ({"steps": "40 5\u202e"}, "expected a share and points"),
        ({"steps": "40 5", "margin": "5"}, "Points by thresholds take all matches."),
        ({"steps": "\n".join(f"{share} {share}" for share in range(1, 12))}, "at most 10 thresholds"),
        ({"rule": "above", "opponent": ""}, "Choose the bot to beat."),
    ],
)
def test_a_rule_that_cannot_be_judged_is_refused_with_its_field(teacher, course, dice, changes, words):
    form = {"title": "T", "rule": "beats", "points": "1", "deadline": "2030-06-01T18:00"}
    form |= {
        "policy": "last_accepted",
        "opponent": str(dice.pk),
        "share": "60",
        "most_matches": "20",
        "margin": "0",
    }
    answer = teacher.post(NEW, form | changes)
    assert answer.status_code == 422
    assert words in text(answer).replace("\xa0", " ")
    assert not Milestone.objects.exists()


def test_a_bot_of_a_student_is_not_offered_as_the_one_to_beat(teacher, course, dice):
    joined(teacher, course, ALICE)
    version = bot_of("1", "Alpha", course)
    page = text(teacher.get(NEW))
    assert f">{version.bot.name}<" not in page
    assert not set(re.findall(r'\sname="(\w+)"', page)) & ASKED_OF_FORMS  # a field `matches` broke scripts
    assert ">Dice<" in page


def test_assistants_read_and_judge_nothing_and_others_find_no_page(teacher, course, dice, client):
    milestone = add(teacher, dice)
    page = f"{COURSE}milestones/{milestone.pk}/judging/"
    alice = joined(teacher, course, ALICE)
    assert alice.get(page).status_code == 404
    assert alice.post(page, {"act": "try"}).status_code == 404
    assert client.get(page).status_code == 302
    teacher.post(f"{COURSE}staff/", {"name": "admin", "role": "assistant"})
    assert not Judging.objects.exists()


def test_with_days_of_grace_who_was_in_time_is_judged_at_the_deadline(teacher, course, dice, on_commit):
    """With 1 % a day the last upload that counts may come 99 days later, but for fewer points."""
    milestone = add(teacher, dice, policy="percent_a_day", percent="1")
    joined(teacher, course, ALICE)
    joined(teacher, course, BORIS)
    bot_of("1", "Alpha", course)
    pass_deadline(milestone)
    late = bot_of("2", "Beta", course)  # on the first day after the deadline
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    assert [assessment.student.number for assessment in Assessment.objects.all()] == ["1"]
    assert standing(teacher, "1") == "passed"
    assert standing(teacher, "2") == "not yet"  # a later version of the same day would take its place
    # A day later that is over.
    Submission.objects.filter(pk=late.pk).update(created=timezone.now() - timedelta(days=1, minutes=5))
    Submission.objects.filter(bot__name="Alpha").update(created=timezone.now() - timedelta(days=2))
    Milestone.objects.update(deadline=timezone.now() - timedelta(days=1, minutes=10), judge_at=timezone.now())
    judge(on_commit, ["Alpha", "Beta", "Dice"])
    assert standing(teacher, "2") == "passed, 1 h late"
