"""From a new team to a bot that two people have uploaded: by the pages alone."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot

from .conftest import captain_invites, create_team, join, text, upload

pytestmark = pytest.mark.django_db


def test_a_member_uploads_a_new_version_of_the_teams_bot_and_the_history_names_both(browsers, competition):
    ada, bob = browsers["ada"], browsers["bob"]
    team = create_team(ada)
    link = captain_invites(ada, team)
    shown = text(bob.get(link))
    assert "Join Quokkas" in shown
    assert "ada" in shown
    assert "Join the team" in shown
    assert "You are a member of Quokkas now." in text(bob.post(link, follow=True))
    upload(ada, "Hop", team="Quokkas")
    upload(bob, "Hop", text="print('READY')  # second\n")
    bot = Bot.objects.get()
    assert bot.owner == team.account
    assert [
        (submission.number, submission.author.username) for submission in bot.submissions.order_by("number")
    ] == [
        (1, "ada"),
        (2, "bob"),
    ]
    history = text(bob.get("/u/Quokkas/"))
    for sentence in (
        "ada created the team.",
        "ada made a link by which people join.",
        "bob joined.",
        "ada uploaded version 1 of Hop.",
        "bob uploaded version 2 of Hop.",
    ):
        assert sentence in history
    versions = text(bob.get(f"/bots/{bot.pk}/"))
    assert "Uploaded by" in versions
    assert "bob" in versions
    assert "ada" in versions


def test_others_see_who_is_in_the_team_but_not_its_history(browsers, team):
    page = text(browsers["dan"].get("/u/Quokkas/"))
    assert "bob" in page
    assert "captain" in page
    assert "bob joined." not in page
    assert "Leave the team" not in page


def test_nobody_signs_in_as_a_team(client, team):
    account = User.objects.get(username="Quokkas")
    assert not account.is_active
    assert not account.has_usable_password()
    page = client.post("/accounts/login/", {"login": "Quokkas", "password": ""})
    assert page.status_code == 200
    assert "_auth_user_id" not in client.session


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["ada", "ADA", "house", "Quokkas", "a b", "", "closed-7", "аdа"])
def test_a_teams_name_is_one_that_nobody_could_take_for_another(browsers, team, name):
    page = browsers["cleo"].post("/teams/", {"name": name})
    assert page.status_code == 422


def test_nobody_signs_up_with_the_name_of_a_team(client, team):
    client.post(
        "/accounts/signup/", {"username": "quokkas", "password1": "x7!ppoqwe", "password2": "x7!ppoqwe"}
    )
    assert User.objects.filter(name_key="quokkas").count() == 1


def test_a_link_sends_visitors_to_sign_up_and_back(client, browsers, team):
    link = captain_invites(browsers["ada"], team)
    page = text(client.get(link))
    assert f"/accounts/signup/?next={link.replace('/', '%2F')}" in page
    assert client.post(link).url.startswith("/accounts/login/?next=")
    password = "correct horse battery"
    form = {"username": "eve", "password1": password, "password2": password, "next": link}
    assert client.post("/accounts/signup/", form).url == link
    assert "You are a member of Quokkas now." in text(client.post(link, follow=True))


def test_joining_twice_is_joining_once(browsers, team):
    join(browsers["ada"], team, browsers["cleo"], browsers["cleo"])
    assert text(browsers["dan"].get("/u/Quokkas/")).count(">cleo</a>") == 1
