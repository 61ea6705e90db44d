"""The final of a competition: made when it opens, announced, and started by itself."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from agon.contest.formats import FORMATS
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.events.models import Event
from agon.site.tournaments import deadlines
from agon.site.tournaments.models import Tournament
from tests.agon.site.competitions.test_organizing import FORM, change, draft, opened
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate

pytestmark = pytest.mark.django_db


def wall(days: int) -> str:
    return f"{timezone.now() + timedelta(days=days):%Y-%m-%dT%H:%M}"


FINAL = {"final_format": "round_robin", "final_rounds": "2", "time_zone": "UTC"}


def test_everyone_sees_it_with_its_time_from_the_opening_on(desk, olga):
    opened(desk, **FINAL, final_starts=wall(7), prizes="1: A cup")
    final = Tournament.objects.get()
    assert (final.format, final.rounds, final.state, final.organizer) == ("round_robin", 2, "draft", olga)
    assert final.starts_at == Competition.objects.get().final_starts
    assert final.awards
    for path in ("/", "/c/spring-cup/", "/c/spring-cup/tournaments/"):
        assert final.get_absolute_url() in Client().get(path).content.decode()
    assert Client().get(final.get_absolute_url()).status_code == 200
    assert Event.objects.filter(kind="tournament.announced").exists()
    assert set(Act.objects.values_list("verb", flat=True)) == {"open competition", "create", "award"}


def test_it_starts_by_itself_with_the_bots_of_people_that_are_active_then(desk, user):
    competition = opened(desk, **FINAL, final_starts=wall(7))
    activate(user, competition, ["Rita", "Sue"])
    house = activate(user, competition, ["Stone"])[0].bot
    type(house).objects.filter(pk=house.pk).update(house=True)
    deadlines.tick()
    assert Tournament.objects.get().state == "draft"
    Tournament.objects.update(starts_at=timezone.now() - timedelta(seconds=1))
    deadlines.tick()
    final = Tournament.objects.get()
    assert final.state == "running"
    assert {entrant.name for entrant in final.entrants.all()} == {"Rita", "Sue"}
    assert final.matches.count() == final.total > 0


def test_it_is_changed_on_its_own_page_and_not_by_the_settings(desk):
    competition = opened(desk, **FINAL, final_starts=wall(7))
    form = desk.get("/c/spring-cup/settings/").context["form"]
    assert form.fields["final_starts"].disabled
    change(desk, competition, title="Summer cup", final_format="", final_starts="")
    competition.refresh_from_db()
    assert (competition.title, competition.time_zone) == ("Summer cup", "Europe/Berlin")
    assert competition.final_format == "round_robin"
    assert competition.final_starts == Tournament.objects.get().starts_at
    final = Tournament.objects.get()
    assert desk.get(f"/tournaments/{final.pk}/edit").status_code == 200
    assert browser_of(final.organizer).post(f"/tournaments/{final.pk}/cancel").status_code == 302


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"final_format": "duel"}, "final_format", "duel"),
        ({"final_format": ""}, "final_format", "Choose the format"),
        ({"final_starts": ""}, "final_starts", "Say when the final starts"),
        ({"final_starts": "2027-02-30T10:00"}, "final_starts", "valid date"),
        ({"final_starts": "2027-03-28T02:30", "time_zone": "Europe/Berlin"}, "final_starts", "skip"),
        ({"final_rounds": ""}, "final_rounds", "Say how many rounds"),
        ({"final_rounds": "0"}, "final_rounds", "1"),
        ({"final_rounds": "9" * 30}, "final_rounds", "100000"),
        ({"final_format": "single_elimination"}, "final_rounds", "no rounds to choose"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(desk, changes, field, words):
    answer = desk.post("/competitions/new/", FORM | FINAL | {"final_starts": wall(7)} | changes)
    assert answer.status_code == 422
    assert any(words in error for error in answer.context["form"].errors[field])
    assert not CompetitionDraft.objects.exists()


def test_a_final_in_the_past_is_told_before_and_opens_nothing(desk):
    made = draft(desk, **FINAL, final_starts="2020-01-01T10:00")
    assert "The final starts in the past" in desk.get(made.get_absolute_url()).content.decode()
    page = desk.post(f"/competitions/drafts/{made.pk}/open/", follow=True).content.decode()
    assert "The final starts in the past. Choose a later time." in page
    assert not Competition.objects.exists()
    assert not Tournament.objects.exists()
    assert CompetitionDraft.objects.filter(pk=made.pk).exists()


def test_a_final_before_entry_closes_is_told_and_can_be_opened(desk):
    made = draft(desk, **FINAL, final_starts=wall(7), entry_closes=wall(8))
    page = desk.get(made.get_absolute_url()).content.decode()
    assert "The final starts before entry closes" in page
    later = draft(desk, **FINAL, final_starts=wall(9), entry_closes=wall(8), slug="later")
    assert "before entry closes" not in desk.get(later.get_absolute_url()).content.decode()
    desk.post(f"/competitions/drafts/{made.pk}/open/")
    assert Tournament.objects.exists()


def test_exported_imported_and_exported_again_the_bytes_are_equal(desk):
    opened(desk, **FINAL, final_starts=wall(7), prizes="1: A cup", sources="closed", records="played")
    first = desk.get("/c/spring-cup/settings/export.zip").content
    Competition.objects.update(slug="old", title="Old")
    desk.post("/competitions/import/", {"file": SimpleUploadedFile("any.zip", first)})
    desk.post(f"/competitions/drafts/{CompetitionDraft.objects.get().pk}/open/")
    assert desk.get("/c/spring-cup/settings/export.zip").content == first
    assert Tournament.objects.count() == 2


@pytest.mark.first(3)
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_final_of_every_format_is_made_or_refused_in_words(desk, format):
    chosen = FORMATS[format]
    needs = chosen.takes_rounds and chosen.proposed_rounds is None
    made = draft(desk, final_format=format, final_rounds="3" if needs else "", final_starts=wall(7))
    page = desk.post(f"/competitions/drafts/{made.pk}/open/", follow=True)
    assert page.status_code == 200
    assert Tournament.objects.filter(format=format).exists() is Competition.objects.exists()
