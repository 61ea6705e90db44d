"""The forms on a tournament's page: one for each act, so that Enter never carries out another one."""

import html
import re

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from tests.support.factories import active_bots, duel

NAMES = ["a", "b", "c"]
QUESTION = "This takes about 60 minutes of worker time: 6 matches. Start it?"


@pytest.fixture
def rps(user):
    """A competition that ada runs."""
    made = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    made.organizers.create(user=user)
    return made


@pytest.fixture
def cup(user, rps):
    bots = active_bots(user, rps, NAMES)
    return services.create(user, rps, "Cup", "round_robin", 1, 1, bots)


@pytest.fixture
def desk(client, user, cup):
    client.force_login(user)
    return client


def forms(page: str) -> dict[str, str]:
    """The forms of a page by their act."""
    texts = re.findall(r"<form.*?</form>", page, re.DOTALL)
    by_act = [(re.search(r'name="act" value="(\w+)"', form), form) for form in texts]
    return {act[1]: form for act, form in by_act if act}


def test_each_act_has_a_form_with_one_button(desk, cup):
    services.start(cup)
    left = {"act": "withdraw", "entrant": "1", "reason": "it loops"}
    desk.post(f"/tournaments/{cup.pk}/organize", left)
    by_act = forms(desk.get(cup.get_absolute_url()).text)
    assert set(by_act) == {"withdraw", "disqualify", "reinstate", "release", "prize", "priority"}
    assert {form.count("<button") for form in by_act.values()} == {1}
    assert 'name="prize"' in by_act["prize"]
    assert all('name="reason"' in by_act[act] for act in ("withdraw", "disqualify", "reinstate"))


def test_release_and_disqualification_ask_first(desk, cup):
    services.start(cup)
    by_act = forms(desk.get(cup.get_absolute_url()).text)
    assert {act for act, form in by_act.items() if 'name="confirm"' in form} == {"release", "disqualify"}


def test_only_those_who_have_left_can_be_reinstated(desk, cup):
    services.start(cup)
    address = f"/tournaments/{cup.pk}/organize"
    desk.post(address, {"act": "withdraw", "entrant": "1", "reason": "it loops"})
    by_act = forms(desk.get(cup.get_absolute_url()).text)
    options = {act: re.findall(r'<option value="(\d)"', by_act[act]) for act in ("withdraw", "reinstate")}
    assert options == {"withdraw": ["0", "2"], "reinstate": ["1"]}


def test_no_bot_leaves_before_one_was_chosen(desk, cup):
    """The first of the list was chosen already: a reason and Enter withdrew it."""
    services.start(cup)
    by_act = forms(desk.get(cup.get_absolute_url()).text)
    first = {act: re.search(r"<option[^>]*>", by_act[act]) for act in ("withdraw", "disqualify")}
    assert {option and option[0] for option in first.values()} == {'<option value="">'}
    sent = {"act": "withdraw", "entrant": "", "reason": "it loops"}
    answer = desk.post(f"/tournaments/{cup.pk}/organize", sent, follow=True)
    assert answer.status_code == 200
    assert not cup.entrants.exclude(left="").exists()


def test_after_the_end_a_bot_can_be_disqualified_but_not_withdrawn(desk, cup):
    services.start(cup)
    Tournament.objects.update(state="finished", finished_at=timezone.now())
    address = f"/tournaments/{cup.pk}/organize"
    assert {"disqualify", "withdraw"} & set(forms(desk.get(cup.get_absolute_url()).text)) == {"disqualify"}
    page = desk.post(address, {"act": "disqualify", "entrant": "1", "reason": "copied"}, follow=True).text
    assert "reinstate" in forms(page)
    page = desk.post(address, {"act": "withdraw", "entrant": "0", "reason": "it loops"}, follow=True).text
    assert "The tournament is over: a bot can only be disqualified." in page


def test_organizers_give_a_final_a_larger_share(desk, cup):
    services.start(cup)
    address = f"/tournaments/{cup.pk}/organize"
    desk.post(address, {"act": "priority", "priority": "4"})
    cup.refresh_from_db()
    assert cup.priority == Tournament.Priority.FINAL
    assert Act.objects.last().verb == "priority"
    for nonsense in ("0", "3", "-1", "x", "9" * 30):
        page = desk.post(address, {"act": "priority", "priority": nonsense}, follow=True).text
        assert "There is no such priority." in page
    cup.refresh_from_db()
    assert cup.priority == Tournament.Priority.FINAL


def measured(cup: Tournament, seconds: float) -> None:
    """One match of this competition took so long."""
    first = services.create(cup.organizer, cup.competition, "First", "round_robin", 1, 1, bots(cup))
    services.start(first)
    match = leases.claim("w")
    leases.finish(match, duel(match, NAMES))
    Match.objects.filter(pk=match.pk).update(seconds=seconds)


def bots(cup):
    return [entrant.bot for entrant in cup.entrants.select_related("bot")]


@pytest.mark.parametrize(("seconds", "asks"), [(599.0, []), (601.0, [QUESTION])])
def test_more_than_an_hour_of_worker_time_asks_before_it_starts(desk, cup, seconds, asks):
    assert (
        'name="confirm" value="This takes' not in desk.get(cup.get_absolute_url()).text
    )  # nothing is measured
    measured(cup, seconds)
    page = desk.get(cup.get_absolute_url()).text  # 6 matches
    assert re.findall(r'name="confirm" value="(This takes[^"]*)"', page) == asks


def test_the_original_contest_asks_too(admin_client, cup):
    measured(cup, 100.0)
    page = admin_client.get("/c/rps/tournaments/").text
    [question] = re.findall(r'name="confirm" value="([^"]*)"', page)
    assert question == "This takes about 25 hours of worker time: 900 matches. Start it?"


def fields(form: str) -> dict[str, str]:
    """What a browser without scripts sends of what is hidden in a form."""
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    texts = re.findall(r'<textarea name="(\w+)" hidden[^>]*>\n(.*?)</textarea>', form, re.DOTALL)
    return {name: html.unescape(value) for name, value in hidden + texts}


def test_without_scripts_a_costly_act_is_asked_on_a_page_and_done_as_it_was_sent(user, cup):
    services.start(cup)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    address = f"/tournaments/{cup.pk}/organize"
    sent = fields(forms(browser.get(cup.get_absolute_url()).text)["disqualify"])
    sent |= {"entrant": "1", "reason": '\n"it" <b>loops</b>'}
    here = {"referer": f"http://testserver{cup.get_absolute_url()}"}
    for form, referer, back in (
        (sent, here["referer"], here["referer"]),
        (sent, "https://evil.example/", "/"),
    ):
        asked = browser.post(address, form, headers={"referer": referer})
        assert (asked.status_code, "no-store" in asked["Cache-Control"]) == (200, True)
        assert "Disqualify this bot?" in asked.text
        assert "<b>" not in asked.text
        assert f'href="{back}"' in asked.text
    assert not cup.entrants.exclude(left="").exists()
    assert (
        browser.post(address, sent | {"csrfmiddlewaretoken": "x"}).status_code == 403
    )  # asks strangers nothing
    confirmed = fields(re.search(r'<form class="card stack".*?</form>', asked.text, re.DOTALL)[0])
    assert "confirm" not in confirmed
    assert browser.post(address, confirmed).status_code == 302
    [out] = cup.entrants.exclude(left="")
    assert (out.number, out.left) == (1, "disqualified")
    assert Act.objects.last().reason == '"it" <b>loops</b>'
