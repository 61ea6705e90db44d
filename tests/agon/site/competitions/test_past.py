"""People and results in an export: who sees what, equal bytes after an import, no row of real accounts."""

import json
import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition, CompetitionDraft, Organizer
from agon.site.courses.models import Course, Role
from agon.site.matches import leases
from agon.site.tokens.services import issue
from agon.site.tournaments import running, scheduling, services
from tests.agon.site.competitions.test_organizing import opened
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate, duel

pytestmark = pytest.mark.django_db
EXPORT = "/c/spring-cup/settings/export.zip?people=1"


def tables(packed: bytes) -> dict[str, dict]:
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        return {table["title"]: table for table in json.loads(archive.read("history.json"))["tables"]}


@pytest.fixture
def competition(desk, olga, bob) -> Competition:
    """With a ladder, two finished tournaments of which one is released, and a course of olga's."""
    made = opened(desk)
    bots = [*activate(bob, made, ["Rita", "=1+1"]), *activate(olga, made, ["House"])]
    Bot.objects.filter(name="House").update(house=True)
    for name, release in (("Open cup", "public"), ("Held back", "organizers")):
        cup = services.create(olga, made, name, "round_robin", 2, 1, [bot.bot for bot in bots])
        services.start(cup, olga)
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, ["House", "Rita", "=1+1"]))
        scheduling.tick()
        running.release(cup, release, olga)
    course = Course.objects.create(slug="class", title="Class 1")
    course.competitions.add(made)
    course.staff.create(user=olga, role=Role.TEACHER)
    course.students.create(number="1", name="Bob Black", email="b@school.example", pseudonym="p", user=bob)
    course.milestones.create(title="Joined", rule="joined", policy={"kind": "last_accepted"}, points="2.50")
    return made


def test_what_is_exported_is_what_everyone_sees_and_a_course_for_its_staff(desk, olga, bob, competition):
    packed = desk.get(EXPORT).content
    by_title = tables(packed)
    assert list(by_title) == ["Leaderboard", "Tournament: Open cup", "Course: Class 1"]
    columns = by_title["Tournament: Open cup"]["columns"]
    cup = [dict(zip(columns, row, strict=True)) for row in by_title["Tournament: Open cup"]["rows"]]
    shown = [(row["rank"], row["bot"], row["author"]) for row in cup]
    assert shown == [("2", "Rita", "bob"), ("3", "=1+1", "bob")]
    [student] = by_title["Course: Class 1"]["rows"]
    assert student[:5] == ["1", "Bob Black", "b@school.example", "", "bob"]
    assert [table["is_private"] for table in by_title.values()] == [False, False, True]
    assert all(table["source"].startswith("http") for table in by_title.values())
    # Another organizer, who is no staff of the course, gets no name.
    outsider = User.objects.create_user("other")
    Organizer.objects.create(competition=competition, user=outsider)
    assert "Course: Class 1" not in tables(browser_of(outsider).get(EXPORT).content)
    with zipfile.ZipFile(BytesIO(desk.get("/c/spring-cup/settings/export.zip").content)) as archive:
        assert archive.namelist() == ["competition.json", "text.md"]  # without the choice, as before
    token = {"Authorization": f"Bearer {issue(olga, 'laptop', ['organize'])[1]}"}
    by_program = Client().get("/api/v1/competitions/spring-cup/export?people=true", headers=token)
    assert by_program.content == packed


def test_imported_it_is_a_table_to_read_and_exported_again_equal_bytes(desk, olga, competition):
    packed = desk.get(EXPORT).content
    Competition.objects.update(slug="old", title="Old")
    before = (User.objects.count(), Bot.objects.count(), Course.objects.count())
    desk.post("/competitions/import/", {"file": SimpleUploadedFile("any.zip", packed)})
    draft = CompetitionDraft.objects.get()
    assert "3 tables" in desk.get(draft.get_absolute_url()).content.decode()
    desk.post(f"/competitions/drafts/{draft.pk}/open/")
    assert desk.get(EXPORT).content == packed
    assert (User.objects.count(), Bot.objects.count(), Course.objects.count()) == before  # no row was forged

    stranger = Client()
    page = stranger.get("/c/spring-cup/history/").content.decode()
    assert "nobody here has checked them" in page
    assert "Tournament: Open cup" in page
    assert "Class 1" not in page
    assert "/c/spring-cup/history/" in stranger.get("/c/spring-cup/").content.decode()
    assert stranger.get("/c/spring-cup/history/2/").status_code == 404  # names
    assert "Bob Black" in desk.get("/c/spring-cup/history/2/").content.decode()
    table = stranger.get("/c/spring-cup/history/1/").content.decode()
    assert "Nobody here has checked it" in table
    assert "Rita" in table
    assert "/bots/" not in table  # and it links to no bot of this site
    assert 'href="/users/' not in table
    assert "Rita" not in stranger.get("/c/spring-cup/?part=board").content.decode()
    assert stranger.get("/c/old/history/").status_code == 404
    assert stranger.get(f"/c/spring-cup/history/{'9' * 30}/").status_code == 404
