"""A draft can be changed and copied, and says when it starts."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.tournaments import editing, entering, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from tests.support.factories import active_bots

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


@pytest.fixture
def draft(user, rps, bots):
    return services.create(user, rps, "Cup", "round_robin", 3, 7, bots[:3], {"ordered": False})


@pytest.fixture
def desk(client, boss):
    client.force_login(boss)
    return client


def shown(desk, address) -> dict[str, object]:
    """The values of the form at this address, as a browser sends them."""
    page = desk.get(address)
    form = page.context["form"]
    sent = {field.html_name: field.value() for field in form if field.value() not in (None, "", False)}
    places = {f"place-{bot.pk}": bot.place for bot in page.context["bots"] if bot.place}
    return sent | places | {"seen": page.context.get("seen", "")}


def edit_address(draft):
    return f"/tournaments/{draft.pk}/edit"


def facts(cup):
    cup.refresh_from_db()
    entrants = [entrant.bot.name for entrant in cup.entrants.select_related("bot")]
    return (cup.name, cup.format, cup.rounds, cup.seed, cup.format_settings["ordered"], entrants)


def test_saving_the_form_as_it_is_changes_nothing(desk, draft):
    before = facts(draft)
    assert desk.post(edit_address(draft), shown(desk, edit_address(draft))).status_code == 302
    assert facts(draft) == before == ("Cup", "round_robin", 3, 7, False, ["a", "b", "c"])
    assert not Act.objects.filter(verb="edit").exists()


def test_a_draft_is_changed_with_an_entry_in_its_log(desk, boss, draft, bots):
    sent = shown(desk, edit_address(draft)) | {"name": "Final", "rounds": "5", "setting-ordered": "yes"}
    sent |= {"bots": [bot.pk for bot in bots], f"place-{bots[3].pk}": "0"}
    assert desk.post(edit_address(draft), sent).status_code == 302
    assert facts(draft) == ("Final", "round_robin", 5, 7, True, ["d", "a", "b", "c"])
    entry = Act.objects.last()
    assert (entry.verb, entry.actor, entry.subject) == ("edit", boss, "Final")
    assert entry.details == {"changed": ["format_settings", "name", "rounds", "bots"]}


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(desk, draft):
    mine, theirs = (shown(desk, edit_address(draft)) for _ in range(2))
    desk.post(edit_address(draft), theirs | {"name": "Theirs"})
    refused = desk.post(edit_address(draft), mine | {"name": "Mine"})
    assert refused.status_code == 422
    assert "This draft was changed meanwhile." in refused.text
    assert facts(draft)[0] == "Theirs"


def test_another_draft_than_was_shown_is_not_started(desk, draft):
    """Two organizers: one looks at the page, the other one edits the draft, the first one presses Start."""
    page = desk.get(f"/tournaments/{draft.pk}/").content.decode()
    seen = re.search('name="seen" value="(.+)"', page)[1]
    address = edit_address(draft)
    desk.post(address, shown(desk, address) | {"rounds": "9"})
    answer = desk.post(f"/tournaments/{draft.pk}/start", {"seen": seen}, follow=True)
    assert "This draft was changed meanwhile. Check it, then start it." in answer.content.decode()
    draft.refresh_from_db()
    assert (draft.state, draft.rounds) == ("draft", 9)
    seen = re.search('name="seen" value="(.+)"', answer.content.decode())[1]
    desk.post(f"/tournaments/{draft.pk}/start", {"seen": seen})
    draft.refresh_from_db()
    assert draft.state == "running"


def test_a_tournament_that_was_started_cannot_be_edited(desk, boss, draft):
    sent = shown(desk, edit_address(draft))
    services.start(draft)
    assert desk.get(edit_address(draft)).status_code == 302
    desk.post(edit_address(draft), sent | {"name": "Mine"})
    assert facts(draft)[0] == "Cup"


def test_what_cannot_be_is_refused_at_its_field(desk, draft):
    sent = shown(desk, edit_address(draft))
    for field, bad in (("name", "a\u202eb"), ("name", "a\0b"), ("rounds", "0"), ("seed", "-1"), ("bots", [])):
        refused = desk.post(edit_address(draft), sent | {field: bad})
        assert (refused.status_code, list(refused.context["form"].errors)) == (422, [field])
    assert facts(draft)[0] == "Cup"


def test_only_its_organizers_edit_a_draft(client, draft, rival_client):
    assert client.get(edit_address(draft)).status_code == 302
    assert rival_client.get(edit_address(draft)).status_code == 404
    assert rival_client.post(edit_address(draft), {"name": "Mine"}).status_code == 404


@pytest.fixture
def rival_client(django_user_model):
    from django.test import Client

    rival = Client()
    rival.force_login(django_user_model.objects.create_user("rival"))
    return rival


def test_where_owners_enter_they_stay_when_the_draft_is_edited(desk, boss, user, rps, bots):
    draft = services.create(boss, rps, "Open", "round_robin", 1, 1, [], sources_open=True)
    services.enter(draft, bots[:2])
    address = edit_address(draft)
    desk.post(address, shown(desk, address) | {"name": "Opened", "bots": [], "sources_open": ""})
    draft.refresh_from_db()
    assert (draft.name, draft.sources_open, draft.entrants.count()) == ("Opened", True, 2)


def test_an_owner_who_enters_meanwhile_hinders_no_organizer(desk, boss, user, rps, bots):
    draft = services.create(boss, rps, "Open", "round_robin", 1, 1, [], sources_open=True)
    address = edit_address(draft)
    form = shown(desk, address)
    entering.enter(draft, bots[0], user)
    assert desk.post(address, form | {"name": "Opened"}).status_code == 302
    draft.refresh_from_db()
    assert (draft.name, draft.entrants.get().bot) == ("Opened", bots[0])


@pytest.mark.parametrize("language", ["en", "ja", "ru"])
def test_the_announced_time_is_filled_in_as_browsers_read_it(desk, draft, language):
    time = datetime(2100, 1, 31, 18, 34, tzinfo=UTC)
    Tournament.objects.filter(pk=draft.pk).update(starts_at=time)
    page = desk.get(edit_address(draft), headers={"accept-language": language}).text
    assert 'value="2100-01-31T18:34:00"' in page


def test_a_copy_is_filled_in_but_for_its_seed_and_its_time(desk, draft):
    Tournament.objects.filter(pk=draft.pk).update(starts_at=timezone.now() + timedelta(hours=1))
    sent = shown(desk, f"/c/rps/tournaments/new/?copy={draft.pk}")
    assert "starts_at" not in sent
    assert sent["seed"] != 7
    desk.post("/c/rps/tournaments/new/", sent)
    copy = Tournament.objects.first()
    assert copy.pk != draft.pk
    assert facts(copy) == ("Cup", "round_robin", 3, copy.seed, False, ["a", "b", "c"])
    for nonsense in ("x", "0", "9" * 40, "-1"):
        assert desk.get(f"/c/rps/tournaments/new/?copy={nonsense}").status_code == 200


def test_entrants_see_until_when_they_may_upload(client, user, boss, rps, bots):
    start = Start(timezone.now() + timedelta(hours=3), Tournament.Field.PEOPLE)
    services.create(boss, rps, "Final", "round_robin", 1, 1, [], {}, start)
    client.force_login(user)
    for address in ("/c/rps/", "/c/rps/submit/", "/c/rps/tournaments/"):
        page = client.get(address).text
        assert "versions are frozen" in page
        assert "data-countdown=" in page
    listed = client.get("/c/rps/tournaments/").text
    assert "starts by itself:" in listed
    assert "draft" not in listed.partition("<tbody>")[2]


def test_two_digests_of_a_draft_differ_after_any_change(draft, bots):
    seen = {editing.digest(draft)}
    for change in ({"rounds": 4}, {"seed": 8}, {"name": "x"}, {"release": "organizers"}):
        for name, value in change.items():
            setattr(draft, name, value)
        draft.save()
        seen.add(editing.digest(draft))
    services.enter(draft, bots[1:])
    seen.add(editing.digest(draft))
    assert len(seen) == 6
