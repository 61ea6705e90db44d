"""The editor's page: what it opens with, what may be tried, who sees it, and the way to entering a bot."""

from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from agon.site.accounts import browsers
from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots import reasons as bot_reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import LEAVE, START_BUILD
from agon.site.bots.states import REJECT as SUBMISSION_REJECT
from agon.site.matches.models import Match
from agon.site.trials import services, states
from agon.site.trials.models import Trial
from agon.site.trials.starting_code import easiest, starters_of
from agon.site.trials.states import State
from agon.site.use_cases import closing_accounts
from games.core.manifest import load
from tests.support.factories import activate
from tests.support.reasons import said

from .conftest import PROGRAM

pytestmark = pytest.mark.django_db

GAMES = Path(__file__).parents[4] / "games"
STARTER = (GAMES / "honest_rps" / "bots" / "starter.py").read_text()


def test_it_opens_with_the_starter_in_python(client, rps, house):
    page = client.get("/c/rps/editor/")
    assert page.context["form"]["text"].value() == STARTER
    assert page.context["form"]["language"].value() == "python"


@pytest.mark.parametrize(("language", "word"), [("ja", "関数"), ("ru", "функция"), ("en", "function")])
def test_its_comments_are_in_the_readers_language(client, rps, house, language, word):
    client.cookies["django_language"] = language
    assert word in client.get("/c/rps/editor/").context["form"]["text"].value()
    assert word in client.get("/c/rps/rules/starters/StarterPy").content.decode()


def test_another_starter_is_opened_by_its_name(client, rps, house):
    form = client.get("/c/rps/editor/?starter=StarterC").context["form"]
    assert form["text"].value() == (GAMES / "honest_rps" / "bots" / "starter.c").read_text()
    assert form["language"].value() == "c"


def test_the_weakest_house_bot_is_chosen_first(client, rps, house):
    choices = client.get("/c/rps/editor/").context["form"].fields["opponent"].choices
    assert [name for _, name in choices] == ["Fibber (strength 1 of 10)", "Dice (strength 2 of 10)"]


def test_a_newcomer_first_meets_the_house_bot_below_the_starter_in_a_game_for_two(client, rps, house):
    """The starter always loses to the weakest, Fibber."""
    stone = activate(house_user(), rps, ["Stone", "Census"])[0]
    Bot.objects.update(house=True)
    assert client.get("/c/rps/editor/").context["form"]["opponent"].value() == str(stone.pk)


def test_in_a_game_for_four_it_is_the_weakest(client, competition):
    weakest = activate(house_user(), competition, ["Even", "Greedy", "Wanderer"])[1]
    Bot.objects.update(house=True)
    assert client.get("/c/samurai/editor/").context["form"]["opponent"].value() == str(weakest.pk)


def test_nothing_can_be_tried_before_a_house_bot_plays(client, rps):
    page = client.get("/c/rps/editor/").content.decode()
    assert "still being built" in page


def test_a_closed_competition_has_no_editor(client, rps, house):
    rps.state = rps.State.CLOSED
    rps.save()
    page = client.get("/c/rps/editor/").content.decode()
    assert "is closed" in page
    assert "<textarea" not in page


@pytest.mark.parametrize("page", ["editor", "submit"])
def test_a_suspended_competition_is_not_called_closed(client, rps, house, monkeypatch, page):
    monkeypatch.setattr("agon.site.competitions.models.why_broken", lambda game: "referee.py: line 3")
    text = client.get(f"/c/rps/{page}/").content.decode()
    assert "This competition is suspended" in text
    assert "is closed" not in text
    assert "<textarea" not in text


def test_somebody_who_is_not_signed_in_may_try_a_program(client, tried):
    answer = tried(client)
    assert answer.status_code == 200
    assert "Waiting for a free worker" in answer.content.decode()
    trial = Trial.objects.get()
    assert (trial.state, trial.owner, trial.text) == (State.QUEUED, None, PROGRAM)


def test_without_scripts_the_page_comes_back_with_the_program(client, rps, house):
    data = {"text": PROGRAM, "language": "python", "opponent": str(house[1].pk)}
    page = client.post("/c/rps/editor/", data, follow=True)
    assert page.context["form"]["text"].value() == PROGRAM
    assert page.context["form"]["opponent"].value() == str(house[1].pk)
    assert "Show the result" in page.content.decode()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"text": "  \n"}, "Write your bot"),
        ({"text": "x" * 70_000}, "This program has 68 KiB; at most 64 can be tried here"),
        ({"text": "a\0b"}, "Null characters"),
        ({"language": "klingon"}, "klingon is not one of the available choices"),
        ({"opponent": "12345"}, "This opponent is not playing at the moment"),
        ({"opponent": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_tried_is_refused_at_its_field(client, tried, changes, says):
    answer = tried(client, **changes)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Trial.objects.exists()


def test_a_house_bot_that_left_play_is_no_opponent(client, tried, house):
    house[0].move(LEAVE)
    assert tried(client).status_code == 422


def test_only_its_author_sees_a_trial(client, tried, user):
    tried(client)
    address = Trial.objects.get().get_absolute_url()
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 200
    stranger = Client()
    stranger.force_login(user)
    for where in (address, f"{address}log.json"):
        assert stranger.get(where).status_code == 404
        assert Client().get(where).status_code == 404


def test_its_account_sees_it_in_another_browser_too(tried, user):
    first, second = Client(), Client()
    first.force_login(user)
    second.force_login(user)
    tried(first)
    assert second.get(Trial.objects.get().get_absolute_url()).status_code == 302


def test_an_open_page_asks_until_something_changes(client, tried):
    tried(client)
    address = Trial.objects.get().get_absolute_url()
    assert client.get(f"{address}?seen=queued").status_code == 204
    assert client.get(f"{address}?seen=running", headers={"HX-Request": "true"}).status_code == 200


def test_a_new_trial_takes_the_place_of_one_that_waits(client, tried):
    tried(client)
    tried(client, PROGRAM + "# better\n")
    assert Trial.objects.get().text.endswith("# better\n")


def test_a_page_whose_trial_is_gone_asks_no_more(client, tried):
    tried(client)
    address = Trial.objects.get().get_absolute_url()
    tried(client, PROGRAM + "# better\n")
    page = client.get(f"{address}?seen=queued", headers={"HX-Request": "true"}).content.decode()
    assert "This try is gone" in page
    assert "hx-get" not in page


def test_while_one_is_played_there_is_no_other_and_the_page_goes_on_following_it(client, tried):
    tried(client)
    played = Trial.objects.get().move(states.CLAIM)
    answer = tried(client)
    assert answer.status_code == 422
    assert "still being played" in answer.content.decode()
    assert f'hx-get="{played.get_absolute_url()}?seen=running"' in answer.content.decode()
    assert tried(Client()).status_code == 200  # somebody else's


def test_two_pages_of_a_browser_show_a_trial_each(client, tried):
    tried(client)
    first = Trial.objects.get()
    first.move(states.CLAIM).move(states.REJECT)
    tried(client, PROGRAM + "# better\n")
    page = client.get(f"{first.get_absolute_url()}?seen=running", headers={"HX-Request": "true"})
    assert "The build failed" in page.content.decode()


def test_a_page_whose_visitor_has_left_asks_no_more(tried, user):
    browser = Client()
    browser.force_login(user)
    tried(browser)
    address = Trial.objects.get().get_absolute_url()
    browser.logout()
    page = browser.get(f"{address}?seen=queued", headers={"HX-Request": "true"}).content.decode()
    assert "This try is gone" in page
    assert "hx-get" not in page


def test_a_visitor_who_signs_in_goes_on_following_the_trial(client, tried, user):
    tried(client)
    client.force_login(user)
    address = Trial.objects.get().get_absolute_url()
    assert "Waiting" in client.get(address, headers={"HX-Request": "true"}).content.decode()


def test_a_refused_try_leaves_no_session(client, tried):
    """Anyone can send as many as they like."""
    assert tried(client, language="klingon").status_code == 422
    assert tried(client, text="x" * 70_000).status_code == 422
    assert not Session.objects.exists()


def test_a_competition_that_was_closed_meanwhile_says_so(client, rps, tried):
    rps.state = rps.State.CLOSED
    rps.save()
    answer = tried(client)
    assert answer.status_code == 422
    assert "The competition Honest RPS is closed" in answer.content.decode()
    assert "not playing" not in answer.content.decode()


def test_a_network_has_so_many_at_once(tried, settings):
    settings.AGON_TRIALS_AT_ONCE = 2
    assert [tried(Client()).status_code for _ in range(3)] == [200, 200, 422]
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert tried(elsewhere).status_code == 200


def test_what_trials_cost_within_an_hour_is_limited(client, tried, settings):
    settings.AGON_TRIAL_SECONDS = 100
    tried(client)
    Trial.objects.update(state=State.FINISHED, used=100.0)
    assert "this hour&#x27;s limit" in tried(client).content.decode()
    assert tried(Client()).status_code == 200
    settings.AGON_TRIAL_NETWORK_SECONDS = 100
    assert tried(Client()).status_code == 422
    assert tried(Client(REMOTE_ADDR="192.0.2.7")).status_code == 200


def test_so_are_tries_within_a_minute(client, tried, settings):
    settings.ACCOUNT_RATE_LIMITS = {"try_program": "100/m/ip,2/m/key"}
    assert [tried(client).status_code for _ in range(3)] == [200, 200, 422]


def test_the_address_of_a_visitor_is_not_kept(client, tried):
    tried(Client(REMOTE_ADDR="192.0.2.7"))
    assert "192.0.2.7" not in str(Trial.objects.values().get())


def test_a_closed_account_leaves_no_trials(tried, user):
    browser = Client()
    browser.force_login(user)
    tried(browser)
    User.objects.create_superuser("root")
    closing_accounts.close(user, user, "")
    assert not Trial.objects.exists()


def test_a_newcomer_signs_up_and_finds_the_program_with_a_name(client, rps, house):
    data = {"way": "text", "newcomer": "yes", "name": "", "language": "python", "text": PROGRAM}
    sent = client.post("/c/rps/submit/", data)
    assert sent.headers["Location"] == "/accounts/signup/?next=%2Fc%2Frps%2Fsubmit%2F"
    words = "correct horse battery"
    person = {"username": "grace", "password1": words, "password2": words, "next": "/c/rps/submit/"}
    page = client.post("/accounts/signup/", person, follow=True)
    form = page.context["form"]
    assert (form["text"].value(), form["name"].value(), form["way"].value()) == (PROGRAM, "grace", "text")
    assert "Here is your program" in page.content.decode()

    entered = client.post("/c/rps/submit/", data | {"name": form["name"].value()})
    assert entered.headers["Location"] == f"/submissions/{Submission.objects.get(bot__name='grace').pk}/"


def test_a_browser_that_has_an_account_signs_in(client, rps, house):
    client.cookies[browsers.COOKIE] = "anything"
    data = {"way": "text", "newcomer": "yes", "name": "", "language": "python", "text": PROGRAM}
    assert client.post("/c/rps/submit/", data).headers["Location"].startswith("/accounts/login/")


def test_the_editor_proposes_the_name_of_the_first_bot_alone(rps, house, user):
    browser = Client()
    browser.force_login(user)
    assert browser.get("/c/rps/editor/").context["form"]["name"].value() == "ada"
    Bot.objects.create(competition=rps, owner=user, name="Countess")
    assert browser.get("/c/rps/editor/").context["form"]["name"].value() == ""


def test_a_name_that_is_taken_is_not_proposed(rps, house, user):
    Bot.objects.create(competition=rps, owner=User.objects.create_user("bob"), name="Ada")
    browser = Client()
    browser.force_login(user)
    assert browser.get("/c/rps/editor/").context["form"]["name"].value() == "Bot ada"


def test_a_rejected_version_is_opened_in_the_editor_by_its_author_alone(rps, house, user):
    browser = Client()
    browser.force_login(user)
    data = {"way": "text", "name": "Countess", "language": "python", "text": PROGRAM + "# mine\r\n"}
    browser.post("/c/rps/submit/", data)
    version = Submission.objects.get(bot__name="Countess")
    version.move(START_BUILD).move(SUBMISSION_REJECT, reason=bot_reasons.no_build(said("no")))
    address = f"/c/rps/editor/?version={version.pk}"
    assert f'href="{address}"' in browser.get(version.get_absolute_url()).content.decode()
    page = browser.get(address)
    form = page.context["form"]
    assert "Enter as version 2 of Countess" in page.content.decode()
    assert form["language"].value() == "python"
    assert form["text"].value() == PROGRAM + "# mine\n"
    bot = version.bot.get_absolute_url()
    assert f'href="{address}"' in browser.get(bot).content.decode()
    assert address not in Client().get(bot).content.decode()
    for odd in (address, "/c/rps/editor/?version=x", f"/c/rps/editor/?version={house[0].pk}"):
        assert Client().get(odd).context["form"]["text"].value() == STARTER


def test_beaten_house_bots_are_counted_once_each_and_of_this_person_alone(tried, rps, house, user):
    browser = Client()
    browser.force_login(user)
    for opponent in (house[0], house[0], house[1]):
        tried(browser, opponent=str(opponent.pk))
        last = Trial.objects.latest("pk")
        Trial.objects.filter(pk=last.pk).update(state=State.FINISHED, won=True)
    assert services.beaten(last) == 2
    house[1].move(LEAVE)
    assert services.beaten(last) == 1
    tried(Client())
    assert services.beaten(Trial.objects.latest("pk")) == 0


def test_a_trial_is_no_match(client, tried):
    tried(client)
    assert not Match.objects.exists()


def test_a_newcomer_begins_where_a_house_bot_plays_with_few_seats(rps, house, competition, coup, user):
    assert easiest([competition, coup, rps]) == rps
    assert easiest([competition, coup]) is None
    four_seats = activate(house_user(), competition, ["Greedy"])
    Bot.objects.filter(pk=four_seats[0].bot_id).update(house=True)
    assert easiest([competition, coup, rps]) == rps
    assert easiest([competition, coup]) == competition


@pytest.mark.parametrize("game", ["camel_up", "coup", "honest_rps", "language_survival", "samurai"])
def test_every_game_has_a_starter_in_python(game):
    first = starters_of(load(game))[0]
    assert first.language == "python"
    assert first.text.endswith("\n")
