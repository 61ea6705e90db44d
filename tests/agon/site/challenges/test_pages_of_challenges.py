"""The pages of challenges: the buttons that lead there, the form, the live results, the lists."""

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges import services
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.teams import services as team_services
from agon.site.use_cases import leaving_play, teams
from tests.agon.site.api.conftest import Program
from tests.support.factories import activate, duel

pytestmark = pytest.mark.django_db


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def ada(user, rps) -> Bot:
    return activate(user, rps, ["Ada"])[0].bot


@pytest.fixture
def bea(bob, rps) -> Bot:
    return activate(bob, rps, ["Bea"])[0].bot


@pytest.fixture
def browser(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def browser_of(somebody) -> Client:
    client = Client()
    client.force_login(somebody)
    return client


def text(response) -> str:
    return response.content.decode().replace("\xa0", " ")


def test_authors_with_a_bot_here_can_challenge_others_from_the_leaderboard(browser, ada, bea):
    page = text(browser.get("/c/rps/"))
    assert f'id="challenge-{bea.pk}" href="/c/rps/challenge/?bot={bea.pk}"' in page
    assert f'id="challenge-{ada.pk}"' not in page
    newcomer = browser_of(User.objects.create_user("eve"))
    for reader in (Client(), newcomer):
        assert "/challenge/" not in text(reader.get("/c/rps/"))


def test_no_row_of_a_closed_competition_has_the_button(browser, rps, ada, bea):
    Competition.objects.filter(pk=rps.pk).update(state=Competition.State.CLOSED)
    assert "/challenge/" not in text(browser.get("/c/rps/"))
    assert "challenge-bot" not in text(browser.get(f"/bots/{bea.pk}/"))
    assert "This competition is closed." in text(browser.get("/c/rps/challenge/"))
    assert browser.post("/c/rps/challenge/", {"bot": ada.pk}).status_code == 422


def test_the_page_of_a_bot_has_the_button_for_those_who_may(browser, bob, ada, bea):
    assert 'id="challenge-bot"' in text(browser.get(f"/bots/{bea.pk}/"))
    assert 'id="challenge-bot"' not in text(browser.get(f"/bots/{ada.pk}/"))
    assert 'id="challenge-others"' in text(browser.get(f"/bots/{ada.pk}/"))
    assert 'id="challenge-bot"' not in text(Client().get(f"/bots/{bea.pk}/"))
    leaving_play.withdraw(bea, bob)
    assert 'id="challenge-bot"' not in text(browser.get(f"/bots/{bea.pk}/"))


def test_the_form_knows_whom_and_starts_it(browser, ada, bea):
    form = text(browser.get(f"/c/rps/challenge/?bot={bea.pk}"))
    assert f'<option value="{bea.pk}" selected>Bea (bob)</option>' in form
    sent = {"bot": ada.pk, "opponent-1": bea.pk, "number": 4}
    page = browser.post("/c/rps/challenge/", sent, follow=True)
    challenge = Challenge.objects.get()
    assert page.redirect_chain == [(f"/challenges/{challenge.pk}/", 302)]
    assert "Ada against Bea" in text(page)
    assert "0 of 4 matches have been played." in text(page)


@pytest.mark.parametrize("bot", ["", "x", "0", "-1", "9" * 30, "1' OR 1", "²"])
def test_an_odd_address_chooses_nobody(browser, ada, bea, bot):
    assert browser.get("/c/rps/challenge/", {"bot": bot}).status_code == 200


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"opponent-1": ""}, "This field is required."),
        ({"opponent-1": "own"}, "Choose each bot once."),
        ({"number": "0"}, "greater than or equal to 1"),
        ({"number": "many"}, "Enter a whole number."),
        ({"number": "1000"}, "less than or equal to 120"),
        ({"bot": "theirs"}, "Select a valid choice."),
    ],
)
def test_what_is_wrong_is_said_at_its_field(browser, ada, bea, changed, says):
    bots = {"own": ada.pk, "theirs": bea.pk}
    sent = {"bot": ada.pk, "opponent-1": bea.pk, "number": "4"}
    sent |= {name: bots.get(value, value) for name, value in changed.items()}
    refused = browser.post("/c/rps/challenge/", sent)
    assert refused.status_code == 422
    assert says in text(refused)
    assert not Challenge.objects.exists()


def test_a_form_that_is_sent_twice_starts_one(user, ada, bea):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    token = browser.get("/c/rps/challenge/").context["csrf_token"]
    sent = {"bot": ada.pk, "opponent-1": bea.pk, "number": 4, "csrfmiddlewaretoken": str(token)}
    places = [browser.post("/c/rps/challenge/", sent)["Location"] for _ in range(2)]
    assert places[0] == places[1]
    assert Challenge.objects.count() == 1


def test_those_without_a_bot_here_are_told_what_they_need(rps, bea):
    newcomer = browser_of(User.objects.create_user("eve"))
    assert "Only authors with a bot that plays here" in text(newcomer.get("/c/rps/challenge/"))
    assert Client().get("/c/rps/challenge/").status_code == 302


def test_a_game_of_more_seats_has_a_field_for_each_opponent(browser, user, competition):
    activate(user, competition, ["Ada"])
    form = text(browser.get("/c/samurai/challenge/"))
    assert form.count('<select name="opponent-') == 3
    assert form.count('<option value="" selected>a house bot</option>') == 2


def test_an_open_page_gets_news_only_when_there_are_some(user, ada, bea, monkeypatch):
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)
    challenge = services.start(user, ada, [bea], 2)
    address = challenge.get_absolute_url()
    page = text(Client().get(address))
    assert "seen=running-0-0" in page
    assert Client().get(f"{address}?part=challenge&seen=running-0-0").status_code == 204
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ["Ada", "Bea"]))
    part = Client().get(f"{address}?part=challenge&seen=running-0-0")
    assert part.status_code == 200
    assert f"#{match.pk}<" in text(part)


def test_everyone_sees_the_matches_and_only_owners_their_standard_error(user, bob, ada, bea):
    services.start(user, ada, [bea], 2)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ["Ada", "Bea"]))
    numbers = dict(match.seats.values_list("name", "number"))
    stranger = browser_of(User.objects.create_user("eve"))
    for reader in (Client(), stranger, browser_of(bob), browser_of(user)):
        assert reader.get(match.get_absolute_url()).status_code == 200
        assert reader.get(f"/matches/{match.pk}/record.json").status_code == 200
    seen = {
        (name, reader): browser_of(person).get(f"/matches/{match.pk}/stderr/{numbers[name]}").status_code
        for name in numbers
        for reader, person in (("ada", user), ("bob", bob))
    }
    assert seen == {("Ada", "ada"): 200, ("Ada", "bob"): 404, ("Bea", "ada"): 404, ("Bea", "bob"): 200}
    assert "of-challenge" in text(Client().get(match.get_absolute_url()))


def test_the_challenged_author_finds_it_on_the_bots_page(user, bob, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    for address in (f"/bots/{bea.pk}/", f"/bots/{bea.pk}/challenges/", f"/bots/{ada.pk}/challenges/"):
        page = text(browser_of(bob).get(address))
        assert challenge.get_absolute_url() in page
        assert "Ada against Bea" in page
        assert "0 of 2" in page


def test_own_challenges_are_listed_for_their_owner_alone(browser, user, bob, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    assert challenge.get_absolute_url() in text(browser.get("/challenges/"))
    assert "You have challenged nobody yet." in text(browser_of(bob).get("/challenges/"))


def test_only_its_owner_cancels_it(browser, user, bob, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    assert browser_of(bob).post(f"/challenges/{challenge.pk}/cancel/").status_code == 404
    assert 'id="cancel"' not in text(browser_of(bob).get(challenge.get_absolute_url()))
    page = text(browser.post(f"/challenges/{challenge.pk}/cancel/", follow=True))
    assert "The challenge was cancelled." in page
    again = text(browser.post(f"/challenges/{challenge.pk}/cancel/", follow=True))
    assert "The challenge is over." in again
    assert leases.claim("w") is None


def test_who_has_left_the_team_cancels_what_they_started(browser, user, bob, ada, bea):
    cleo = User.objects.create_user("cleo")
    team = team_services.create("Quokkas", cleo)
    team_services.add(team, user)
    Bot.objects.filter(pk=ada.pk).update(owner=team.account)
    challenge = services.start(user, Bot.objects.get(pk=ada.pk), [bea], 2)
    teams.remove(team, cleo, user.pk)  # it counts against them still

    assert 'id="cancel"' in text(browser_of(cleo).get(challenge.get_absolute_url()))
    assert 'id="cancel"' in text(browser.get(challenge.get_absolute_url()))
    assert 'id="cancel"' not in text(Client().get(challenge.get_absolute_url()))
    assert "The challenge was cancelled." in text(
        browser.post(f"/challenges/{challenge.pk}/cancel/", follow=True)
    )
    assert Program(user).delete(f"challenges/{challenge.pk}").json()["state"] == "cancelled"


def test_matches_that_wait_do_not_crowd_out_others_in_lists(client, user, rps, ada, bea):
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, [ada.active, bea.active])
    rated = leases.claim("w")
    assert leases.finish(rated, duel(rated, ["Ada"]))
    challenge = services.start(user, ada, [bea], 4)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ["Ada"]))
    waiting = challenge.matches.exclude(pk=match.pk)
    listed = text(client.get("/c/rps/matches/"))
    assert f"#{rated.pk}<" in listed
    assert f"#{match.pk}<" in listed
    assert not any(f"#{queued.pk}<" in listed for queued in waiting)
    chosen = text(client.get("/c/rps/matches/?kind=challenge"))
    assert all(f"#{queued.pk}<" in chosen for queued in waiting)
    bot = text(client.get(f"/bots/{ada.pk}/"))
    assert f"#{rated.pk}<" in bot
    assert f"#{match.pk}<" not in bot
