"""A tournament in the browser: the form, its estimate, steering it, its standings and its archive."""

import io
import re
import zipfile

import pytest
from django.test import Client

from agon.site.archives import storing
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.scheduling import tick
from tests.support.factories import activate, played

from .conftest import browser_of

NEW = "/c/samurai/tournaments/new/"


@pytest.fixture
def desk(organizer) -> Client:
    """The organizer's browser."""
    return browser_of(organizer)


@pytest.fixture
def filled(four) -> dict[str, object]:
    bots = [submission.bot_id for submission in four]
    return {"name": "Spring cup", "format": "rotations", "rounds": "1", "seed": "7", "bots": bots}


def made(desk: Client, filled: dict[str, object]) -> Tournament:
    desk.post(NEW, filled)
    return Tournament.objects.get()


def test_the_form_makes_a_draft_and_leads_to_it(desk, filled):
    response = desk.post(NEW, filled)

    cup = Tournament.objects.get()
    assert response.headers["Location"] == cup.get_absolute_url()
    assert (cup.name, cup.seed, cup.state, cup.entrants.count()) == ("Spring cup", 7, "draft", 4)
    assert "4 matches" in desk.get(cup.get_absolute_url()).content.decode()


def test_a_competition_may_have_thousands_of_bots_to_choose_from(desk, filled):
    """The form sends two fields for each bot that is chosen, and one for each that is not."""
    many = filled | {f"place-{number}": "" for number in range(100_000, 103_000)}
    assert desk.get(f"{NEW}estimate/", many).status_code == 200
    assert desk.post(NEW, many).status_code == 302
    assert Tournament.objects.get().entrants.count() == 4


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("format", "round_robin"),
        ("format", "nonsense"),
        ("rounds", "0"),
        ("rounds", "a lot"),
        ("seed", "-1"),
        ("bots", []),
        ("bots", [999]),
    ],
)
def test_what_is_wrong_is_said_at_its_field(desk, filled, field, value):
    response = desk.post(NEW, filled | {field: value})

    assert response.status_code == 422
    assert set(response.context["form"].errors) == {field}
    assert not Tournament.objects.exists()


def test_too_few_entrants_are_said_at_the_entrants(desk, filled):
    response = desk.post(NEW, filled | {"bots": filled["bots"][:3]})

    assert "expected 4 or more" in response.context["form"].errors["bots"][0]


def test_the_form_says_how_many_matches_it_makes(desk, filled):
    estimate = desk.get(f"{NEW}estimate/", filled | {"rounds": "5"}).content.decode()

    assert "20 matches" in estimate
    wrong = desk.get(f"{NEW}estimate/", filled | {"rounds": "1000000"}).content.decode()
    assert re.search(r"<p[^>]*>\s*Rounds: ", wrong)
    assert "Choose entrants" in desk.get(f"{NEW}estimate/").content.decode()


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        (0.2, "less than a second"),
        (0.25, "about 1 second"),
        (1.6, "about 6 seconds"),
        (14.9, "about 1 minute"),
        (75, "about 5 minutes"),
        (1495, "about 100 minutes"),
        (1800, "about 2 hours"),
        (42_000, "about 47 hours"),
        (43_200, "about 2 days"),
        (86_400, "about 4 days"),
    ],
)
def test_how_long_it_will_take_is_said_as_people_say_it(desk, filled, mean, words):
    cup = made(desk, filled)
    desk.post(f"{cup.get_absolute_url()}start")
    match = leases.claim("w")
    leases.finish(match, played(match))
    Match.objects.filter(pk=match.pk).update(seconds=mean)
    assert f"{words} of play" in desk.get(f"{NEW}estimate/", filled).content.decode()  # 4 matches


def test_self_play_is_offered_and_the_original_contest_is_filled_in(desk, user):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = [submission.bot_id for submission in activate(user, rps, ["Rita", "Sue", "Tom"])]
    form = desk.get("/c/rps/tournaments/new/").context["form"]
    assert [name for name, _title in form.fields["format"].choices][:2] == ["round_robin", "round_robin_self"]
    assert (form["format"].value(), form["rounds"].value()) == ("round_robin_self", 100)

    chosen = {"format": "round_robin_self", "rounds": "2", "seed": "1", "bots": bots}
    assert "18 matches" in desk.get("/c/rps/tournaments/new/estimate/", chosen).content.decode()
    desk.post("/c/rps/tournaments/new/", chosen | {"name": "With oneself"})
    assert Tournament.objects.get().format == "round_robin_self"


def test_it_is_started_paused_resumed_and_cancelled(desk, filled):
    cup = made(desk, filled)
    for action, state in (
        ("start", "running"),
        ("pause", "paused"),
        ("resume", "running"),
        ("cancel", "cancelled"),
    ):
        assert desk.post(f"{cup.get_absolute_url()}{action}").headers["Location"] == cup.get_absolute_url()
        cup.refresh_from_db()
        assert cup.state == state
        assert state in desk.get(cup.get_absolute_url()).content.decode()


def test_what_was_given_up_does_not_count_as_played(desk, filled):
    cup = made(desk, filled)
    desk.post(f"{cup.get_absolute_url()}start")
    match = leases.claim("w")
    leases.finish(match, played(match))
    desk.post(f"{cup.get_absolute_url()}cancel")

    page = desk.get(cup.get_absolute_url()).content.decode()

    assert '<progress max="4" value="1"' in page
    assert "1 of 4 matches" in page
    assert "3 without a result" in page


def test_what_cannot_be_done_now_is_said(desk, filled):
    cup = made(desk, filled)

    page = desk.post(f"{cup.get_absolute_url()}resume", follow=True).content.decode()
    assert "You cannot do this now: the tournament is draft." in page

    for action in ("start", "pause"):
        desk.post(f"{cup.get_absolute_url()}{action}")
    page = desk.post(f"{cup.get_absolute_url()}start", follow=True).content.decode()
    assert "You cannot do this now: the tournament is paused." in page


def test_it_is_played_to_its_standings_and_its_archive(desk, filled, client):
    cup = made(desk, filled)
    desk.post(f"{cup.get_absolute_url()}start")
    while (match := leases.claim("w")) is not None:
        leases.finish(match, played(match))
    tick()

    page = client.get(cup.get_absolute_url()).content.decode()
    assert "finished" in page
    assert "4 of 4 matches" in page
    listing = client.get(f"/c/samurai/matches/?tournament={cup.pk}").content.decode()
    listed = {int(number) for number in re.findall(r'<tr id="match-(\d+)"', listing)}
    assert listed == set(cup.matches.values_list("pk", flat=True))
    assert len(listed) == 4
    assert all(name in page for name in ("Rita", "Sue", "Tom", "Una"))
    assert "The archive is being made." in page
    storing.make_next()
    assert "/archive" in client.get(cup.get_absolute_url()).content.decode()

    answer = client.get(f"{cup.get_absolute_url()}archive")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="spring-cup-{cup.pk}.zip"'
    names = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist()
    assert any(name.endswith("manifest.json") for name in names)
    assert sum(name.endswith("record.json") for name in names) == 4


def test_an_open_page_is_told_only_what_is_new(desk, filled):
    cup = made(desk, filled)
    desk.post(f"{cup.get_absolute_url()}start")
    address = f"{cup.get_absolute_url()}?part=progress"
    seen = desk.get(address).context["stamp"]

    assert desk.get(f"{address}&seen={seen}").status_code == 204
    match = leases.claim("w")
    leases.finish(match, played(match))
    assert "1 of 4 matches" in desk.get(f"{address}&seen={seen}").content.decode()
