"""Joining, handing over, leaving, removing, closing: what is refused, in which words, and what follows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.teams.models import Role, Team
from agon.site.teams.queries import members
from agon.site.use_cases import closing_accounts
from tests.support.factories import activate

from .conftest import captain_invites, create_team, join, text

pytestmark = pytest.mark.django_db


def roles(team: Team) -> dict[str, str]:
    return {member.user.username: member.role for member in members(team)}


def test_a_link_that_has_expired_or_was_revoked_or_renewed_leads_nowhere(browsers, team):
    ada, cleo = browsers["ada"], browsers["cleo"]
    first = captain_invites(ada, team)
    second = captain_invites(ada, team)
    assert cleo.post(first).status_code == 404
    assert cleo.get(second).status_code == 200
    ada.post(f"/teams/{team.pk}/revoke/")
    assert cleo.post(second).status_code == 404
    third = captain_invites(ada, team)
    Team.objects.update(invited_until=timezone.now() - timedelta(seconds=1))
    page = cleo.post(third)
    assert page.status_code == 404
    assert "has expired" in text(page)
    assert set(roles(team)) == {"ada", "bob"}


def test_a_full_team_says_so(browsers, team, settings):
    settings.AGON_TEAM_MEMBERS = 2
    link = captain_invites(browsers["ada"], team)
    assert "Quokkas is full: a team has at most 2 members." in text(browsers["cleo"].get(link))
    page = browsers["cleo"].post(link)
    assert page.status_code == 422
    assert "Quokkas is full" in text(page)
    assert "You are a member of this team already." in text(browsers["bob"].get(link))


def test_nobody_is_in_more_teams_than_allowed(browsers, team, settings):
    settings.AGON_TEAMS_PER_USER = 1
    words = "You are in as many teams as allowed, 1. Leave one of them first."
    assert words in text(browsers["ada"].post("/teams/", {"name": "Wombats"}))
    wombats = create_team(browsers["cleo"], "Wombats")
    assert words in text(browsers["bob"].post(captain_invites(browsers["cleo"], wombats)))


def test_nobody_takes_one_name_after_the_other(browsers):
    ada = browsers["ada"]
    for number in range(10):
        team = create_team(ada, f"team{number}")
        ada.post(f"/teams/{team.pk}/leave/")
    page = text(ada.post("/teams/", {"name": "another"}))
    assert "You have created 10 teams within a day. Wait before you create another." in page
    assert not User.objects.filter(username="another").exists()


def test_the_last_captain_hands_over_before_leaving(browsers, people, team):
    ada = browsers["ada"]
    page = text(ada.post(f"/teams/{team.pk}/leave/", follow=True))
    assert "You are the only captain of Quokkas. Make another member captain first." in page
    own_role = f"/teams/{team.pk}/members/{people['ada'].pk}/role/"
    assert "You are the only captain" in text(ada.post(own_role, {"role": "member"}, follow=True))
    ada.post(f"/teams/{team.pk}/members/{people['bob'].pk}/role/", {"role": "captain"})
    ada.post(f"/teams/{team.pk}/leave/")
    assert roles(team) == {"bob": Role.CAPTAIN}
    history = text(browsers["bob"].get("/u/Quokkas/"))
    assert "ada made bob captain." in history
    assert "ada left." in history


def test_with_the_last_member_the_team_closes_and_its_bots_leave_play(browsers, team, competition):
    [version] = activate(team.account, competition, ["Hop"])
    browsers["bob"].post(f"/teams/{team.pk}/leave/")
    assert "You are the last member" in text(browsers["ada"].get(f"/teams/{team.pk}/leave/"))
    browsers["ada"].post(f"/teams/{team.pk}/leave/")
    team.refresh_from_db()
    assert team.state == Team.State.CLOSED
    assert Bot.objects.get(pk=version.bot.pk).state == BotState.WITHDRAWN
    account = User.objects.get(pk=team.account_id)
    assert account.closed is not None
    assert account.username == f"closed-{account.pk}"
    assert browsers["ada"].get("/u/Quokkas/").status_code == 404
    assert "closed account" in text(browsers["ada"].get(f"/bots/{version.bot.pk}/"))
    assert browsers["ada"].get(f"/submissions/{version.pk}/").status_code == 404


def test_a_captain_closes_the_team_and_may_have_its_bots_deleted(browsers, team, competition):
    [version] = activate(team.account, competition, ["Hop"])
    browsers["ada"].post(f"/teams/{team.pk}/close/", {"bots_too": "on"})
    assert Bot.objects.get(pk=version.bot.pk).state == BotState.DELETED
    assert roles(team) == {}
    link = team.invitation
    assert browsers["cleo"].get(f"/teams/join/{link}/").status_code == 404


def test_when_the_captain_closes_the_account_who_joined_first_is_captain(browsers, people, team):
    join(browsers["ada"], team, browsers["cleo"])
    closing_accounts.close(people["ada"], people["ada"], "")
    assert roles(team) == {"bob": Role.CAPTAIN, "cleo": Role.MEMBER}
    history = text(browsers["bob"].get("/u/Quokkas/"))
    assert "bob became captain, because no other was left." in history
    assert "closed account created the team." in history
    assert "ada" not in history.replace("data", "")


def test_closing_the_account_of_the_only_member_closes_the_team(people, browsers, competition):
    team = create_team(browsers["ada"])
    [version] = activate(team.account, competition, ["Hop"])
    closing_accounts.close(people["ada"], people["ada"], "")
    team.refresh_from_db()
    assert team.state == Team.State.CLOSED
    assert Bot.objects.get(pk=version.bot.pk).state == BotState.WITHDRAWN


def test_an_administrator_closes_a_team_like_an_account(browsers, team):
    boss = User.objects.create_superuser("boss")
    closing_accounts.close(team.account, boss, "spam")
    team.refresh_from_db()
    assert team.state == Team.State.CLOSED
    assert "You are in no team." in text(browsers["bob"].get("/teams/"))
    with pytest.raises(closing_accounts.CannotClose, match="The team is closed"):
        closing_accounts.close(User.objects.get(pk=team.account_id), boss, "again")


def test_who_comes_back_is_a_member_again(browsers, people, team):
    browsers["bob"].post(f"/teams/{team.pk}/leave/")
    assert browsers["bob"].get(f"/teams/{team.pk}/leave/").status_code == 404
    join(browsers["ada"], team, browsers["bob"])
    assert roles(team) == {"ada": Role.CAPTAIN, "bob": Role.MEMBER}


def test_a_removed_member_loses_pages_and_tokens_at_once(browsers, people, team, competition):
    [version] = activate(team.account, competition, ["Hop"])
    assert browsers["bob"].get(f"/submissions/{version.pk}/").status_code == 200
    browsers["ada"].post(f"/teams/{team.pk}/members/{people['bob'].pk}/remove/")
    assert browsers["bob"].get(f"/submissions/{version.pk}/").status_code == 404
    assert "ada removed bob." in text(browsers["ada"].get("/u/Quokkas/"))
