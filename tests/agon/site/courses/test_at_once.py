"""People act on a course at the very moment when others do: no student is in it twice, no change is lost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.courses import assessing, joining, judging, milestones, rosters, services
from agon.site.courses.changing import Refused
from agon.site.courses.joining import NoPlace
from agon.site.courses.models import Assessment, Course, Milestone, Role, Rule, Student
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.teaching.beats import Beats, to_json
from agon.teaching.roster import Person, Roster
from tests.support.at_once import failure_in_between, failures_at_once
from tests.support.factories import activate, played

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]
PASSWORD = "quite a long one 7"


def at_once(*acts) -> list[str]:
    """Do all of them at the same time; what they were told. Anything else that they raise fails the test."""
    failures = failures_at_once(acts)
    assert [failure for failure in failures if not isinstance(failure, Refused | NoPlace)] == []
    return [type(failure).__name__ for failure in failures]


@pytest.fixture
def course(tina) -> Course:
    made = services.create(tina, "Strategy 101", "samurai", "UTC")
    rosters.take_roster(made, Roster((Person("1", "Ada"), Person("2", "Bob"))), 1, tina, remove_missing=False)
    return Course.objects.get(pk=made.pk)


def test_a_link_that_two_follow_at_once_makes_one_account(course):
    link = Student.objects.get(number="1").secret
    told = at_once(*[lambda: joining.join_with_password(link, PASSWORD)] * 2)
    assert told == ["NoPlace"]
    assert User.objects.exclude(username="tina").count() == 1


def test_one_account_gets_one_of_two_places(course):
    ada = User.objects.create_user("ada")
    links = list(Student.objects.values_list("secret", flat=True))
    told = at_once(*[lambda link=link: joining.join_with_account(link, ada) for link in links])
    assert told == ["Refused"]
    assert course.students.filter(user=ada).count() == 1


def test_of_two_rosters_for_one_revision_one_is_taken(course, tina):
    given = [Roster((Person("1", "Ada"), Person("2", "Bob"), Person(number, "New"))) for number in "34"]
    told = at_once(
        *[
            lambda roster=roster: rosters.take_roster(
                course, roster, course.revision, tina, remove_missing=True
            )
            for roster in given
        ]
    )
    assert told == ["Refused"]
    assert course.students.count() == 3


def test_two_teachers_who_remove_each_other_leave_one(course, tina):
    bob = User.objects.create_user("bob")
    services.add_staff(course, "bob", Role.TEACHER, tina)
    told = at_once(
        lambda: services.remove_staff(course, bob.pk, tina),
        lambda: services.remove_staff(course, tina.pk, bob),
    )
    assert told == ["Refused"]
    assert course.staff.count() == 1
    assert course.competitions.get().organizers.count() == 1


@pytest.fixture
def due(course, tina) -> Milestone:
    """A milestone whose deadline is over; both students have a version, and a bot is to be beaten."""
    competition = course.competitions.get()
    dice, *_others = activate(User.objects.create_user("house"), competition, ["Dice", "Clerk", "Moody"])
    Bot.objects.update(house=True)
    for number in "12":
        user = joining.join_with_password(Student.objects.get(number=number).secret, PASSWORD).user
        activate(user, competition, [f"Bot {number}"])  # the game has four seats: two house bots fill them
    over = timezone.now() - timedelta(minutes=5)
    Submission.objects.update(artifact="artifacts/one.tar", created=over - timedelta(hours=1))
    return course.milestones.create(
        title="Beat it", rule=Rule.BEATS, points=1, policy={"kind": "last_accepted"}, deadline=over,
        judge_at=over, opponent=dice.bot, terms=to_json(Beats(60, 10)),
    )  # fmt: skip


def test_two_sweeps_at_once_judge_each_student_once(due):
    assert at_once(*[judging.tick] * 3) == []
    assert sorted(due.judgings.values_list("assessments__student__number", flat=True)) == ["1", "2"]
    assert at_once(*[assessing.tick] * 3) == []
    assert Match.objects.filter(kind="assessment").count() == 2 * 12  # a multiple of the seats


def test_a_milestone_that_is_changed_when_it_is_due_is_judged_by_no_matches_if_it_asks_for_none(due, tina):
    wanted = milestones.wanted_of(due)._replace(rule=Rule.ACCEPTED, beats=None, opponent=None)
    failure = failure_in_between(
        lambda: milestones.change(due, wanted, due.revision, tina),
        lambda: judging.judge_due(due.pk),
        lambda: None,
    )
    assert failure is None
    due.refresh_from_db()
    assert due.judge_at is None
    assert not due.judgings.exists()


def test_workers_that_end_matches_at_once_decide_once_and_queue_no_match_twice(due):
    judging.tick()
    assessing.tick()
    for _round in range(20):
        matches = leases.claim_many("w", ("bulk",), 4)
        if not matches:
            break
        assert at_once(*[lambda match=match: leases.finish(match, played(match)) for match in matches]) == []
    assert set(Assessment.objects.values_list("state", flat=True)) <= {"passed", "failed"}
    assert Match.objects.filter(kind="assessment").count() == 2 * 12  # a multiple of the seats


def test_judging_again_twice_at_once_is_done_once(due, tina):
    judging.tick()
    Assessment.objects.update(state="failed", matches_counted=10)
    told = at_once(*[lambda: judging.again(due, "a reason", tina)] * 2)
    assert told == ["Refused"]
    assert due.judgings.count() == 2
