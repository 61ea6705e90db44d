"""A course whose students are judged by matches against a house bot: fixtures, and acts of its teacher."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.courses import assessing, judging
from agon.site.courses.models import Course, Milestone, Student
from agon.site.matches import leases
from agon.site.matches.models import Match
from tests.agon.site.courses.conftest import take
from tests.support.factories import activate, duel

COURSE = "/courses/duels/"
NEW = f"{COURSE}milestones/new/"
ALICE, BORIS = "Alice Anders", "Boris Blau"


def text(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def course(teacher):
    facts = {"title": "Duels", "game": "honest_rps", "time_zone": "UTC"}
    assert teacher.post("/courses/new/", facts).status_code == 302
    made = Course.objects.get(slug="duels")
    take(teacher, made, "id,name\n1,Alice Anders\n2,Boris Blau\n3,Chiyo Sato\n")
    return made


@pytest.fixture
def dice(course, admin_user):
    """The house bot that is to be beaten, and another one."""
    submissions = activate(admin_user, course.competitions.get(), ["Dice", "Clerk"])
    for submission in submissions:
        submission.bot.house = True
        submission.bot.save()
    keep_programs()
    return submissions[0].bot


def keep_programs():
    """As if all versions had been built."""
    Submission.objects.update(artifact="artifacts/one.tar")


def add(teacher, dice, **changes) -> Milestone:
    form = {
        "title": "Beat it",
        "rule": "beats",
        "points": "10",
        "deadline": "2030-06-01T18:00",
        "policy": "last_accepted",
        "opponent": str(dice.pk),
        "share": "60",
        "most_matches": "20",
        "margin": "0",
    }
    answer = teacher.post(NEW, form | changes)
    assert answer.status_code == 302, text(answer)
    return Milestone.objects.latest("pk")


def student(number: str):
    return Student.objects.get(number=number).user


def bot_of(number: str, name: str, course) -> Submission:
    [version] = activate(student(number), course.competitions.get(), [name])
    keep_programs()
    version.refresh_from_db()
    return version


def pass_deadline(milestone, minutes: int = 5):
    """As if it was so long ago."""
    moment = timezone.now() - timedelta(minutes=minutes)
    Milestone.objects.filter(pk=milestone.pk).update(deadline=moment, judge_at=moment)
    Submission.objects.filter(bot__house=False).update(created=moment - timedelta(hours=1))


def play(strengths, most=1000) -> int:
    """Play what is queued for assessments, as workers do; returns how many matches."""
    number = 0
    while number < most and Match.objects.filter(kind="assessment", state="queued").exists():
        match = leases.claim("w", ("bulk",))
        leases.finish(match, duel(match, strengths(match) if callable(strengths) else strengths))
        number += 1
    return number


@pytest.fixture
def on_commit(django_capture_on_commit_callbacks):
    """Runs what follows commits, in a test's one transaction."""

    def run(act, *args):
        with django_capture_on_commit_callbacks(execute=True):
            return act(*args)

    return run


def judge(on_commit, strengths=(), most=1000) -> int:
    """A sweep, all matches, and the sweeps that follow."""
    played = 0
    for _sweep in range(20):
        on_commit(judging.tick)
        on_commit(assessing.tick)
        more = on_commit(play, strengths, most - played)
        played += more
        if not more:
            break
    return played


def standing(teacher, number: str) -> str:
    page = text(teacher.get(f"{COURSE}progress/"))
    row = next(row for row in page.split("<tr>")[2:] if f"<td>{number}</td>" in row)
    return re.search(r'class="badge[^"]*">([^<]+)<', row)[1]
