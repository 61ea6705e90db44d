"""Who presses Enter in the editor and has no account signs up, and has a bot: nothing is asked twice."""

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.trials.models import Trial

from .conftest import PROGRAM

pytestmark = pytest.mark.django_db

WORDS = "correct horse battery"


def press_enter(client: Client, **changes) -> str:
    """The address of the page that the visitor is led to."""
    data = {"way": "text", "newcomer": "yes", "bot": "new", "name": "", "language": "python", "text": PROGRAM}
    return client.post("/c/rps/submit/", data | changes).headers["Location"]


def sign_up(client: Client, address: str, name: str = "grace"):
    person = {"username": name, "password1": WORDS, "password2": WORDS, "next": "/c/rps/submit/"}
    return client.post(address, person)


def test_a_newcomer_signs_up_and_has_a_bot_with_their_name(client, rps, house):
    address = press_enter(client)
    assert address.startswith("/accounts/signup/")
    assert "entered as soon as you have signed in" in client.get(address).content.decode()
    answer = sign_up(client, address)
    entered = Submission.objects.get(bot__house=False)
    assert answer.headers["Location"] == f"/submissions/{entered.pk}/#entered"
    assert (entered.bot.name, entered.bot.owner.username) == ("grace", "grace")
    assert client.get(f"/submissions/{entered.pk}/").status_code == 200
    assert PROGRAM not in client.get("/c/rps/submit/").content.decode()


def test_the_bot_has_the_name_that_was_filled_in(client, rps, house):
    sign_up(client, press_enter(client, name="Countess"))
    assert Bot.objects.get(house=False).name == "Countess"


def test_it_works_for_who_signs_in_as_well(client, rps, house):
    User.objects.create_user("rita", password=WORDS)
    press_enter(client)
    answer = client.post("/accounts/login/", {"login": "rita", "password": WORDS})
    assert answer.headers["Location"].endswith("/#entered")
    assert Bot.objects.get(house=False).name == "rita"


def test_what_one_account_has_sent_is_not_entered_or_shown_to_the_next_one(client, rps, house):
    """A classroom's browser: the session ended before the program was sent, and another student signs in."""
    rita = User.objects.create_user("rita", password=WORDS)
    User.objects.create_user("sue", password=WORDS)
    client.force_login(rita)
    editor = client.get("/c/rps/editor/").content.decode()
    assert f'name="account" value="{rita.pk}"' in editor
    client.session.flush()
    assert press_enter(client, account=rita.pk).startswith("/accounts/login/")
    answer = client.post("/accounts/login/", {"login": "sue", "password": WORDS})
    assert answer.headers["Location"] == "/"
    assert not Bot.objects.filter(house=False).exists()
    assert PROGRAM not in client.get("/c/rps/submit/").content.decode()


def test_who_was_signed_out_signs_in_again_and_the_program_is_entered(client, rps, house):
    rita = User.objects.create_user("rita", password=WORDS)
    press_enter(client, account=rita.pk)
    client.post("/accounts/login/", {"login": "rita", "password": WORDS})
    assert Bot.objects.get(house=False).owner == rita


def test_what_is_refused_stays_in_the_form_with_the_reason(client, rps, house):
    sent = press_enter(client, name="Fibber")  # the house has it
    page = client.get(sign_up(client, sent).headers["Location"])
    assert "The name Fibber is taken in this competition" in page.content.decode()
    form = page.context["form"]
    assert (form["text"].value(), form["bot"].value()) == (PROGRAM, "new")
    assert not Bot.objects.filter(house=False).exists()


@pytest.mark.parametrize("text", ["  \n", "x" * 70_000])
def test_what_is_not_kept_is_not_promised_to_be_entered(client, rps, house, text):
    assert "entered as soon as" not in client.get(press_enter(client, text=text)).content.decode()


@pytest.mark.parametrize("changes", [{"text": "  \n"}, {"text": "x" * 70_000}, {"language": "klingon"}])
def test_what_is_no_program_is_not_entered(client, rps, house, changes):
    page = client.get(sign_up(client, press_enter(client, **changes)).headers["Location"])
    assert page.status_code == 200
    assert not Bot.objects.filter(house=False).exists()


def test_a_competition_that_closed_meanwhile_says_so(client, rps, house):
    address = press_enter(client)
    rps.state = rps.State.CLOSED
    rps.save()
    page = client.get(sign_up(client, address).headers["Location"])
    assert "The competition Honest RPS is closed" in page.content.decode()
    assert not Bot.objects.filter(house=False).exists()


def test_it_is_entered_once_and_not_at_the_next_sign_in(client, rps, house):
    sign_up(client, press_enter(client))
    client.logout()
    answer = client.post("/accounts/login/", {"login": "grace", "password": WORDS})
    assert answer.headers["Location"] == "/"
    assert Submission.objects.filter(bot__house=False).count() == 1


def test_a_form_of_the_upload_page_is_shown_again_before_it_is_submitted(client, rps, house):
    """There the visitor has not said that it is to be entered now."""
    page = client.get(sign_up(client, press_enter(client, bot="")).headers["Location"])
    assert "Here is your program. Check the name, then submit it." in page.content.decode()
    assert not Bot.objects.filter(house=False).exists()


def test_what_was_tried_before_belongs_to_the_bot(client, tried, rps):
    tried(client)
    sign_up(client, press_enter(client))
    assert Trial.objects.get().bot == Bot.objects.get(house=False)
