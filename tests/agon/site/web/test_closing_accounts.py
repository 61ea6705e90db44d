"""Closing accounts: by their owners, with the password, and by administrators, with a reason."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.test import Client

from agon.site.accounts.models import RestingName, User
from agon.site.accounts.services import house_user
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import BotState
from agon.site.competitions import organizing
from agon.site.competitions.organizing import NotPossible
from agon.site.competitions.settings import CompetitionSettings
from agon.site.tokens import services as tokens
from agon.site.tokens.services import BadToken
from agon.site.tournaments import services
from agon.site.use_cases import closing_accounts, leaving_play
from agon.site.webhooks import services as webhooks
from agon.site.webhooks.services import BadHook
from tests.support.factories import activate

from .conftest import PASSWORD, browser_of, play


@pytest.fixture
def ada(user) -> User:
    """With a password and all that tells of a person."""
    user.set_password(PASSWORD)
    user.email, user.first_name, user.last_name = "ada@example.org", "Ada", "Lovelace"
    user.about = "Countess of Lovelace"
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, primary=True)
    return user


@pytest.fixture
def desk(organizer) -> Client:
    return browser_of(organizer)


def close_own(client: Client, **facts) -> object:
    return client.post("/u/ada/close/", {"password": PASSWORD} | facts, follow=True)


def text(response) -> str:
    return response.content.decode()


def test_a_page_asks_first_and_is_linked_from_ones_own(ada):
    browser = browser_of(ada)
    assert "/u/ada/close/" in text(browser.get("/u/ada/"))
    page = text(browser.get("/u/ada/close/"))
    assert "Close your account" in page
    assert "No one can take the name for 30 days." in page
    assert "a team without another member is closed" in page
    assert User.objects.get(pk=ada.pk).is_active


def test_nothing_is_left_of_a_person(ada):
    LogEntry.objects.create(
        user=ada,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(ada.pk),
        object_repr="ada",
        action_flag=CHANGE,
    )
    page = close_own(browser_of(ada))
    assert "The account ada has been closed." in text(page)
    closed = User.objects.get(pk=ada.pk)
    assert (closed.email, closed.first_name, closed.last_name, closed.last_login) == ("", "", "", None)
    assert closed.about == ""
    assert (closed.is_active, closed.has_usable_password()) == (False, False)
    assert closed.username == f"closed-{ada.pk}"
    assert not EmailAddress.objects.exists()
    last, first = LogEntry.objects.filter(content_type__model="user").order_by("-pk")
    assert (last.object_repr, last.change_message) == (closed.username, "Closed by its owner.")
    assert first.object_repr == closed.username


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_password_nothing_is_closed(ada, password):
    page = browser_of(ada).post("/u/ada/close/", {"password": password})
    assert page.status_code == 422
    assert User.objects.get(pk=ada.pk).is_active


def test_open_sessions_end_and_nobody_signs_in(ada):
    first, second = browser_of(ada), browser_of(ada)
    close_own(first)
    for browser in (first, second):
        assert not browser.get("/").context["user"].is_authenticated
        assert browser.get("/u/ada/close/").headers["Location"].startswith("/accounts/login/")
    for name in ("ada", f"closed-{ada.pk}"):
        page = Client().post("/accounts/login/", {"login": name, "password": PASSWORD})
        assert page.status_code == 200
        assert not page.context["user"].is_authenticated


def test_a_session_that_is_forged_for_it_is_nobodys(ada):
    close_own(browser_of(ada))
    forged = browser_of(User.objects.get(pk=ada.pk))
    assert not forged.get("/").context["user"].is_authenticated


def test_its_bots_are_withdrawn_and_keep_their_results(ada, four, client):
    match = play(four)
    close_own(browser_of(ada))
    assert set(Bot.objects.values_list("state", flat=True)) == {BotState.WITHDRAWN}
    page = text(client.get(four[0].bot.get_absolute_url()))
    assert "closed account" in page
    assert "ada" not in page
    assert f"closed-{ada.pk}" not in page
    played = text(client.get(match.get_absolute_url()))
    assert "Rita" in played
    assert "closed account" in played
    assert client.get(f"/u/closed-{ada.pk}/").status_code == client.get("/u/ada/").status_code == 404


def test_or_deleted_if_that_is_asked_for(ada, four):
    leaving_play.stop(four[0].bot, User.objects.create_superuser("root1"), reasons.stopped("x"))
    close_own(browser_of(ada), bots_too="on")
    assert set(Bot.objects.values_list("state", flat=True)) == {BotState.DELETED}


def test_a_stopped_bot_stays_stopped(ada, four):
    leaving_play.stop(four[0].bot, User.objects.create_superuser("root1"), reasons.stopped("x"))
    close_own(browser_of(ada))
    assert Bot.objects.get(pk=four[0].bot_id).state == BotState.STOPPED


def test_a_stopped_bot_of_a_closed_account_does_not_play_again(ada, four):
    root = User.objects.create_superuser("root1")
    leaving_play.stop(four[0].bot, root, reasons.stopped("x"))
    close_own(browser_of(ada))
    page = browser_of(root).post(f"/bots/{four[0].bot_id}/release/", {"why": "It may."}, follow=True)
    assert "This account is closed." in text(page)
    assert Bot.objects.get(pk=four[0].bot_id).state == BotState.STOPPED


@pytest.mark.parametrize("name", ["closed-7", "CLOSED-7", "ｃｌｏｓｅｄ-x"])
def test_nobody_signs_up_with_the_name_of_a_closed_account(db, client, name):
    page = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD, "password2": PASSWORD})
    assert "are reserved for closed accounts" in text(page)
    assert not User.objects.exists()


def test_somebody_who_has_had_such_a_name_before_keeps_it(ada):
    User.objects.create_user(f"closed-{ada.pk}")
    close_own(browser_of(ada))
    assert User.objects.get(pk=ada.pk).username == f"closed-{ada.pk}-"


def test_an_administrator_closes_an_account_and_says_why(ada, desk, four):
    assert "/u/ada/close/" in text(desk.get("/u/ada/"))
    assert desk.post("/u/ada/close/", {"why": " "}).status_code == 422
    desk.post("/u/ada/close/", {"why": "Spam."})
    assert User.objects.get(pk=ada.pk).closed is not None
    entry = LogEntry.objects.get(content_type__model="user")
    assert (entry.user.username, entry.change_message) == ("orga", "Closed by an administrator: Spam.")


def test_others_may_not(ada, bob, client):
    assert browser_of(bob).post("/u/ada/close/", {"why": "x", "password": PASSWORD}).status_code == 404
    assert client.post("/u/ada/close/", {"why": "x"}).headers["Location"].startswith("/accounts/login/")
    assert User.objects.get(pk=ada.pk).is_active


def test_nor_staff_accounts_of_those_above_them(ada, bob, organizer):
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="delete_user"))
    browser = browser_of(bob)
    assert browser.post("/u/orga/close/", {"why": "x"}).status_code == 404
    assert browser.post("/u/ada/close/", {"why": "x"}).status_code == 302


def test_the_only_administrator_stays(organizer):
    organizer.set_password(PASSWORD)
    organizer.save()
    page = browser_of(organizer).post("/u/orga/close/", {"password": PASSWORD})
    assert page.status_code == 422
    assert "Make another account an administrator first" in text(page)
    User.objects.create_superuser("root1")
    assert browser_of(organizer).post("/u/orga/close/", {"password": PASSWORD}).status_code == 302


def test_the_account_of_the_house_is_nobodys_to_close(desk, db):
    house_user()
    assert desk.post("/u/house/close/", {"why": "x"}).status_code == 404


def test_in_a_second_tab_it_is_too_late(ada, organizer):
    closing_accounts.close(ada, ada, "")
    with pytest.raises(closing_accounts.CannotClose, match="already closed"):
        closing_accounts.close(ada, organizer, "x")


def test_an_upload_that_was_on_its_way_is_refused(ada, competition):
    closing_accounts.close(ada, ada, "")
    with pytest.raises(Refused, match="This account is closed"):
        receive(ada, competition, "a", "a.py", b"print()\n")


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (lambda user: webhooks.register(user, "https://example.org/hook", None), BadHook),
        (lambda user: tokens.issue(user, "laptop", ["read"]), BadToken),
        (
            lambda user: organizing.create_draft(user, CompetitionSettings("Cup", "cup", "samurai")),
            NotPossible,
        ),
    ],
    ids=["webhook", "token", "draft"],
)
def test_nothing_is_made_by_a_request_that_was_on_its_way(ada, make, refusal):
    closing_accounts.close(User.objects.get(pk=ada.pk), ada, "")
    with pytest.raises(refusal, match="This account is closed"):
        make(ada)
    assert not ada.webhooks.exists()
    assert not ada.tokens.exists()
    assert not ada.competition_drafts.exists()


def test_tournaments_that_it_has_started_go_on_without_its_name(ada, four, competition, client, desk):
    cup = services.create(ada, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in four])
    services.start(cup)
    close_own(browser_of(ada))
    page = text(client.get(cup.get_absolute_url()))
    assert "organized by closed account" in page
    assert "closed account" in text(client.get("/c/samurai/tournaments/"))
    assert cup.matches.filter(state="queued").count() == 4
    assert desk.post(f"{cup.get_absolute_url()}pause").status_code == 302


def test_the_admin_does_not_open_it_again(ada, desk):
    closing_accounts.close(ada, ada, "")
    page = desk.get(f"/admin/accounts/user/{ada.pk}/change/")
    assert page.status_code == 200
    assert desk.post(f"/admin/accounts/user/{ada.pk}/change/", {"is_active": "on"}).status_code == 403
    assert desk.get("/admin/accounts/user/").status_code == 200
    assert not User.objects.get(pk=ada.pk).is_active


def test_bots_of_others_with_the_same_program_are_left_alone(ada, bob, competition):
    mine = activate(ada, competition, ["a"])[0]
    theirs = activate(bob, competition, ["b"])[0]
    closing_accounts.close(ada, ada, "", bots_too=True)
    assert Bot.objects.get(pk=mine.bot_id).state == BotState.DELETED
    assert Bot.objects.get(pk=theirs.bot_id).state == BotState.ENTERED


@pytest.mark.parametrize("name", ["ada", "ADA", "ａｄａ"])
def test_nobody_takes_the_name_for_a_while(ada, name):
    close_own(browser_of(ada))
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    page = text(Client().post("/accounts/signup/", form))
    assert "belonged to an account that was closed less than 30 days ago" in page
    RestingName.objects.update(since="2020-01-01T00:00:00Z")
    assert Client().post("/accounts/signup/", form).status_code == 302
    assert User.objects.filter(name_key="ada").count() == 1


def test_nobody_takes_it_either_after_the_key_of_the_site_was_rotated(ada, settings):
    close_own(browser_of(ada))
    former, settings.SECRET_KEY = settings.SECRET_KEY, "a new key"
    settings.SECRET_KEY_FALLBACKS = [former]
    form = {"username": "ada", "password1": PASSWORD, "password2": PASSWORD}
    assert "closed less than 30 days ago" in text(Client().post("/accounts/signup/", form))


def test_an_administrator_does_not_give_the_name_to_another_account(ada, desk):
    close_own(browser_of(ada))
    with pytest.raises(ValidationError, match="closed less than 30 days ago"):
        User(username="Ada").clean()


def test_the_name_is_kept_as_a_digest_and_forgotten_later(ada, db):
    close_own(browser_of(ada))
    [resting] = RestingName.objects.all()
    assert "ada" not in resting.digest
    RestingName.objects.update(since="2020-01-01T00:00:00Z")
    bob = User.objects.create_user("bob", password=PASSWORD)
    browser_of(bob).post("/u/bob/close/", {"password": PASSWORD})
    assert RestingName.objects.exclude(pk=resting.pk).count() == 1
    assert not RestingName.objects.filter(pk=resting.pk).exists()
