"""The text in the editor belongs to one bot, or to a new one, and is entered as that and as nothing else."""

import pytest
from django.test import Client

from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import receive_text
from agon.site.bots.states import BotState
from agon.site.leaderboards.models import Rating
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.use_cases import leaving_play
from tests.support.factories import activate

from .conftest import PROGRAM

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(user) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def countess(rps, house, user) -> Submission:
    """A version of ada's bot that was written in the editor."""
    return receive_text(user, rps, "Countess", PROGRAM, "python")


def enter(client: Client, bot: object, **changes):
    data = {"way": "text", "newcomer": "yes", "bot": bot, "name": "", "language": "python"}
    return client.post("/c/rps/submit/", data | {"text": PROGRAM + "# new\n"} | changes)


def page_of(client: Client, query: str = "") -> str:
    return client.get(f"/c/rps/editor/{query}").content.decode()


def test_the_button_names_the_bot_the_version_and_the_rank(ada, rps, house, user):
    [played] = activate(user, rps, ["Countess"])
    page = page_of(ada, f"?bot={played.bot_id}")
    assert "Enter as version 2 of Countess</button>" in page  # without a result it has no rank
    Rating.objects.filter(rated__submission=played).update(played=500, best=3, worst=3)
    page = page_of(ada, f"?bot={played.bot_id}")
    assert "Enter as version 2 of Countess, rank 3</button>" in page


def test_without_a_bot_in_the_address_the_text_is_that_of_a_new_one(ada, countess):
    for query in ("", "?bot=new", "?bot=x", "?bot=99999999999999999999"):
        page = ada.get(f"/c/rps/editor/{query}")
        assert page.context["form"]["text"].value() != PROGRAM
        assert "Enter as a new bot" in page.content.decode()
        assert "Enter as version" not in page.content.decode()
    assert 'href="?bot=new"' in page.content.decode()
    assert f'href="?bot={countess.bot_id}"' in page.content.decode()


def test_a_bot_opens_with_its_newest_version(ada, rps, user, countess):
    receive_text(user, rps, "Countess", PROGRAM + "# second\n", "python")
    page = ada.get(f"/c/rps/editor/?bot={countess.bot_id}")
    assert page.context["form"]["text"].value() == PROGRAM + "# second\n"
    assert "Enter as version 3 of Countess" in page.content.decode()


def test_a_text_enters_as_its_bot_whatever_that_is_called_by_now(ada, countess):
    Bot.objects.filter(pk=countess.bot_id).update(name="Duchess", name_key="duchess")
    answer = enter(ada, countess.bot_id, name="Countess")
    second = Submission.objects.get(number=2)
    assert answer.headers["Location"] == f"/submissions/{second.pk}/#entered"
    assert second.bot_id == countess.bot_id


def test_a_new_bot_never_becomes_a_version_of_one(ada, countess):
    answer = enter(ada, "new", name="COUNTESS")
    assert answer.status_code == 422
    assert "You already have a bot called Countess" in answer.content.decode()
    assert answer.context["form"]["name"].value() == "COUNTESS ada"
    assert Submission.objects.filter(bot__house=False).count() == 1
    assert 'name="bot" value="new"' in answer.content.decode()  # the form that is sent next means the same


@pytest.mark.first(1)
@pytest.mark.parametrize("key", ["7x", "-1", "new new", "99999999999999999999"])
def test_an_odd_bot_is_refused(ada, countess, key):
    assert enter(ada, key).status_code == 422
    assert Submission.objects.filter(bot__house=False).count() == 1


def test_nobody_enters_a_version_of_anothers_bot_or_of_the_house(countess, bob_of, house):
    for key in (countess.bot_id, house[0].bot_id):
        answer = enter(bob_of, key)
        assert answer.status_code == 422
        assert "is not one of yours here" in answer.content.decode()
        assert "Countess" not in page_of(bob_of, f"?bot={key}")
    assert Submission.objects.filter(bot__house=False).count() == 1


@pytest.fixture
def bob_of(django_user_model) -> Client:
    browser = Client()
    browser.force_login(django_user_model.objects.create_user("bob"))
    return browser


@pytest.mark.parametrize("state", [BotState.WITHDRAWN, BotState.DELETED])
def test_a_bot_that_left_play_takes_no_version_but_its_text_can_enter_as_another(ada, user, countess, state):
    act = {BotState.WITHDRAWN: leaving_play.withdraw, BotState.DELETED: leaving_play.delete}[state]
    act(countess.bot, user)
    page = page_of(ada, f"?bot={countess.bot_id}")
    assert f'data-bot="{countess.bot_id}"' in page  # its draft is kept under it
    assert "Enter as version" not in page
    assert "Enter as a new bot" in page
    assert enter(ada, countess.bot_id).status_code == 422
    assert enter(ada, "new", name="Heiress").status_code == 302


def test_a_session_that_ended_meanwhile_costs_a_sign_in_and_the_bot_stays_the_same(user, countess):
    user.set_password("correct horse battery")
    user.save()
    browser = Client()
    back = enter(browser, countess.bot_id).headers["Location"]
    data = {"login": "ada", "password": "correct horse battery"}
    assert back.startswith("/accounts/login/")
    entered = browser.post(back, data).headers["Location"]
    assert entered == f"/submissions/{countess.bot.submissions.get(number=2).pk}/#entered"


def test_a_try_belongs_to_its_bot_and_its_result_is_there_after_a_reload(ada, tried, countess):
    tried(ada, bot=countess.bot_id)
    tried_for_bot = Trial.objects.get()
    assert tried_for_bot.bot_id == countess.bot_id
    Trial.objects.update(state=State.REJECTED)
    assert "The build failed" in page_of(ada, f"?bot={countess.bot_id}")
    assert "The build failed" not in page_of(ada)
    assert "Enter as version 2 of Countess</button>" in page_of(ada, f"?trial={tried_for_bot.token}")


def test_what_was_tried_for_a_new_bot_is_of_that_bot_once_it_is_entered(client, tried, rps, user):
    tried(client)
    Trial.objects.update(state=State.REJECTED)
    assert "The build failed" in page_of(client)
    client.force_login(user)
    assert "The build failed" in page_of(client)
    enter(client, "new", name="Countess")
    entered = Bot.objects.get(name="Countess")
    assert Trial.objects.get().bot == entered
    assert "The build failed" not in page_of(client)
    assert "The build failed" in page_of(client, f"?bot={entered.pk}")


def test_a_try_for_anothers_bot_is_one_for_a_new_bot(bob_of, tried, countess):
    tried(bob_of, bot=countess.bot_id)
    assert Trial.objects.get().bot is None
