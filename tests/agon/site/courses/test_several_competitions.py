"""A course over several competitions: who takes part, which bots count for a milestone, who may do what."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition, Organizer, Participant
from agon.site.courses import assessing, judging
from agon.site.courses.models import Assessment, Course, Milestone, Student
from agon.site.matches.models import Match, Seat
from tests.agon.site.courses.conftest import joined
from tests.agon.site.courses.judged import keep_programs, pass_deadline
from tests.agon.site.courses.judged import on_commit as on_commit
from tests.agon.site.courses.test_by_program import api as api
from tests.support.factories import activate

pytestmark = pytest.mark.django_db
HERE = "/courses/strategy-101/"
ALICE = "Alice Anders"
FORM = {"title": "First", "points": "10", "deadline": "2030-06-01T18:00", "policy": "last_accepted"}


def text(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def duels(tina) -> Competition:
    made = Competition.objects.create(slug="duels", game="honest_rps", title="Duels")
    Organizer.objects.create(competition=made, user=tina)
    return made


def add(teacher, slug="duels"):
    return text(teacher.post(f"{HERE}competitions/", {"add": slug}, follow=True))


def test_students_take_part_in_all_of_them_under_one_pseudonym(teacher, course, duels):
    second = User.objects.create_user("second")
    teacher.post(f"{HERE}staff/", {"name": "second", "role": "teacher"})
    early = joined(teacher, course, ALICE)
    assert '<option value="duels">Duels</option>' in text(teacher.get(HERE))
    assert "Duels" in add(teacher)
    joined(teacher, course, "Boris Blau")  # afterwards
    users = Student.objects.filter(joined__isnull=False).values_list("user__username", "pseudonym")
    assert len(users) == 2
    for username, pseudonym in users:
        assert username == pseudonym
        assert Participant.objects.filter(user__username=username).count() == 2
    assert duels.organizers.filter(user=second).exists()  # a teacher runs them all
    page = text(early.get(HERE))
    assert 'href="/c/duels/submit/"' in page or 'id="submit-duels"' in page
    assert ALICE not in page


def test_a_teacher_who_may_not_sign_in_now_keeps_no_competition_out(teacher, course, duels):
    second = User.objects.create_user("second")
    teacher.post(f"{HERE}staff/", {"name": "second", "role": "teacher"})
    User.objects.filter(pk=second.pk).update(is_active=False)
    page = add(teacher)
    assert "There is no account" not in page
    assert duels in course.competitions.all()
    assert duels.organizers.filter(user=second).exists()


def test_a_teacher_who_is_one_of_very_many_organizers_keeps_no_competition_out(
    teacher, course, duels, monkeypatch
):
    monkeypatch.setattr(organizing, "MOST_ORGANIZERS", 1)
    assert "At most 1 organizers" not in add(teacher)
    assert duels in course.competitions.all()


def test_a_milestone_is_about_one_of_them(teacher, course, duels, admin_user, api):
    [dice] = activate(admin_user, duels, ["Dice"])
    type(dice.bot).objects.update(house=True)
    add(teacher)
    alice = joined(teacher, course, ALICE)
    form = text(teacher.get(f"{HERE}milestones/new/"))
    assert ">Dice (Duels)<" in form
    answer = teacher.post(f"{HERE}milestones/new/", FORM | {"rule": "accepted"})
    assert (answer.status_code, Milestone.objects.count()) == (422, 0)
    assert "Choose the competition in which it is asked for." in text(answer)
    for slug in ("strategy-101", "duels"):
        competition = Competition.objects.get(slug=slug)
        facts = FORM | {"rule": "accepted", "title": slug, "competition": str(competition.pk)}
        assert teacher.post(f"{HERE}milestones/new/", facts).status_code == 302
    beats = {
        "rule": "beats",
        "opponent": str(dice.bot_id),
        "share": "60",
        "most_matches": "20",
        "margin": "0",
    }
    assert teacher.post(f"{HERE}milestones/new/", FORM | beats | {"title": "Beat"}).status_code == 302
    assert Milestone.objects.get(title="Beat").competition == duels
    # Alice enters a bot in one of them alone.
    activate(Student.objects.get(name=ALICE).user, duels, ["Alpha"])
    grades = api("GET", "/api/v1/courses/strategy-101/grades")[1]
    [own] = [grade["milestones"] for grade in grades if grade["name"] == ALICE]
    titles = [milestone["title"] for milestone in api("GET", "/api/v1/courses/strategy-101/milestones")[1]]
    assert dict(zip(titles, [milestone["verdict"] for milestone in own], strict=True)) == {
        "strategy-101": "pending",
        "duels": "passed",
        "Beat": "pending",
    }
    assert "In Duels." in text(alice.get(HERE))
    due = text(alice.get("/c/duels/submit/"))
    assert "Beat" in due
    assert ">strategy-101</a> ·" not in due  # what is asked for elsewhere


def test_a_judged_milestone_that_asks_for_another_game_is_judged_in_that_game(
    teacher, course, duels, admin_user, on_commit
):
    samurai = course.competitions.get()
    dice, *_others = activate(admin_user, duels, ["Dice", "Clerk"])
    foe, *_others = activate(admin_user, samurai, ["Foe", "Ox", "Elk", "Yak"])
    Bot.objects.update(house=True)
    add(teacher)
    joined(teacher, course, ALICE)
    user = Student.objects.get(name=ALICE).user
    activate(user, duels, ["Alpha"])
    activate(user, samurai, ["Beta"])
    keep_programs()
    form = FORM | {"rule": "beats", "share": "60", "most_matches": "20", "margin": "0"}
    page = f"{HERE}milestones/new/"
    for opponent in (dice.bot, foe.bot):
        changes = {"opponent": str(opponent.pk), "revision": "1"}
        assert teacher.post(page, form | changes).status_code == 302
        milestone = Milestone.objects.get()
        page = f"{HERE}milestones/{milestone.pk}/"
        pass_deadline(milestone)
        on_commit(judging.tick)
        on_commit(assessing.tick)
        matches = Match.objects.filter(kind="assessment", state="queued")
        assert {match.competition for match in matches} == {opponent.competition}
        where = Seat.objects.filter(match__in=matches).values_list("submission__bot__competition", flat=True)
        assert set(where) == {opponent.competition_id}
        Match.objects.update(state="finished")
        Assessment.objects.update(state="failed", matches_counted=20)


def test_only_what_the_teacher_runs_can_be_added_and_what_is_asked_for_stays(
    teacher, course, duels, api, assistant
):
    Competition.objects.create(slug="foreign", game="coup", title="Foreign")
    assert ">Foreign<" not in text(teacher.get(HERE))
    assert "Choose a competition that you run." in add(teacher, "foreign")
    assert "Choose a competition that you run." in add(teacher, "no\0such")
    assert assistant.post(f"{HERE}competitions/", {"add": "duels"}).status_code == 404
    teacher.post(f"{HERE}competitions/", {"remove": "strategy-101"})
    assert course.competitions.count() == 1  # the last one stays
    address = "/api/v1/courses/strategy-101/competitions"
    assert api("POST", address, {"competition": "foreign"})[0] == 422
    assert api("POST", address, {"competition": "none"})[0] == 404
    assert api("POST", address, {"competition": "duels"})[1]["competitions"] == ["duels", "strategy-101"]
    wanted = {"title": "First", "rule": "accepted", "points": 1, "competition": "duels"}
    milestones = "/api/v1/courses/strategy-101/milestones"
    status, made = api("POST", milestones, wanted)
    assert (status, made["competition"]) == (201, "duels")
    assert api("POST", milestones, wanted | {"competition": "foreign"})[0] == 422
    assert (
        api("POST", milestones, wanted | {"competition": "none"})[1]["errors"][0]["pointer"] == "/competition"
    )
    status, problem = api("DELETE", f"{address}/duels")
    assert (status, "A milestone asks for this competition" in problem["detail"]) == (422, True)
    teacher.post(f"{HERE}milestones/{made['id']}/", {"delete": "1"})
    assert api("DELETE", f"{address}/duels")[1]["competitions"] == ["strategy-101"]
    assert Course.objects.get().competitions.count() == 1
