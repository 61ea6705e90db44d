"""People act on a team at the very moment when others do: nobody gets in twice, or stays half in."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.refusal import Refused as RefusedUpload
from agon.site.bots.services import receive
from agon.site.competitions.models import Competition
from agon.site.teams import queries, services
from agon.site.teams.models import Membership, Role, Team
from agon.site.teams.services import NoInvitation, Refused
from agon.site.use_cases import closing_accounts, teams
from agon.site.use_cases.closing_accounts import CannotClose
from tests.support.at_once import failures_at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]
PROGRAM = b"print('READY')\n"
ROUNDS = range(3)


def at_once(*acts) -> list[str]:
    """Do all of them at the same time; what they were told. Anything else that they raise fails the test."""
    failures = failures_at_once(acts)
    expected = (Refused, RefusedUpload, NoInvitation, CannotClose)
    assert [failure for failure in failures if not isinstance(failure, expected)] == []
    return [str(failure) for failure in failures]


def anew(user: User) -> User:
    """As a request of its own reads it."""
    return User.objects.get(pk=user.pk)


def a_team(name: str, captain: User, *others: User) -> Team:
    team = services.create(name, captain)
    for member in others:
        teams.join(services.renew_invitation(team, captain).invitation, anew(member))
    return team


def people(*names: str) -> list[User]:
    return [User.objects.create_user(name) for name in names]


@pytest.mark.parametrize("number", ROUNDS)
def test_of_two_people_one_takes_the_last_place(settings, number):
    settings.AGON_TEAM_MEMBERS = 2
    ada, bob, cleo = people("ada", "bob", "cleo")
    team = a_team(f"team{number}", ada)
    link = services.renew_invitation(team, ada).invitation
    told = at_once(lambda: teams.join(link, anew(bob)), lambda: teams.join(link, anew(cleo)))
    assert told == [f"team{number} is full: a team has at most 2 members."]
    assert len(queries.members(team)) == 2


def test_a_link_pressed_twice_makes_one_member():
    ada, bob = people("ada", "bob")
    team = a_team("team", ada)
    link = services.renew_invitation(team, ada).invitation
    assert at_once(lambda: teams.join(link, anew(bob)), lambda: teams.join(link, anew(bob))) == []
    assert Membership.objects.filter(team=team, user=bob).count() == 1


def test_of_two_teams_of_one_name_one_is_made():
    ada, bob = people("ada", "bob")
    told = at_once(lambda: services.create("team", ada), lambda: services.create("TEAM", bob))
    assert len(told) == 1
    assert Team.objects.count() == 1


@pytest.mark.parametrize("number", ROUNDS)
def test_two_captains_who_leave_at_once_leave_no_team_without_a_captain(number):
    ada, bob, cleo = people("ada", "bob", "cleo")
    team = a_team(f"team{number}", ada, bob, cleo)
    services.set_role(team, anew(ada), bob.pk, Role.CAPTAIN)
    told = at_once(lambda: teams.leave(team, anew(ada)), lambda: teams.leave(team, anew(bob)))
    assert len(told) == 1
    assert [member.role for member in queries.members(team)].count(Role.CAPTAIN) == 1


@pytest.mark.parametrize("number", ROUNDS)
def test_a_member_who_is_removed_while_uploading_has_uploaded_before_or_not_at_all(competition, number):
    ada, bob = people("ada", "bob")
    team = a_team(f"team{number}", ada, bob)
    name = f"bot {number}"
    told = at_once(
        lambda: receive(team.account, competition, name, "a.py", PROGRAM, anew(bob)),
        lambda: teams.remove(team, anew(ada), bob.pk),
    )
    assert told in ([], [f"You are no longer a member of team{number}."])
    assert Bot.objects.filter(name=name).exists() == (told == [])
    assert not queries.acts_for(anew(bob), team.account_id)


@pytest.mark.parametrize("number", ROUNDS)
def test_where_nobody_takes_part_twice_a_race_does_not_help(competition, number):
    Competition.objects.update(teams=Competition.Teams.ONE)
    competition.refresh_from_db()
    ada, bob, cleo = people("ada", "bob", "cleo")
    first, second = a_team(f"a{number}", ada, bob), a_team(f"b{number}", cleo, bob)
    told = at_once(
        lambda: receive(first.account, competition, f"a {number}", "a.py", PROGRAM, anew(ada)),
        lambda: receive(second.account, competition, f"b {number}", "a.py", PROGRAM, anew(cleo)),
        lambda: receive(bob, competition, f"c {number}", "a.py", PROGRAM),
    )
    assert len(told) == 2
    assert Bot.objects.count() == 1


@pytest.mark.parametrize("number", ROUNDS)
def test_joining_and_entering_at_once_is_not_taking_part_twice(competition, number):
    Competition.objects.update(teams=Competition.Teams.ONE)
    competition.refresh_from_db()
    ada, bob = people("ada", "bob")
    team = a_team(f"team{number}", ada)
    receive(team.account, competition, f"a {number}", "a.py", PROGRAM, anew(ada))
    link = services.renew_invitation(team, anew(ada)).invitation
    told = at_once(
        lambda: teams.join(link, anew(bob)),
        lambda: receive(bob, competition, f"b {number}", "a.py", PROGRAM),
    )
    assert len(told) == 1
    is_member = queries.acts_for(anew(bob), team.account_id)
    assert is_member != Bot.objects.filter(owner=bob).exists()


@pytest.mark.parametrize("number", ROUNDS)
def test_closing_accounts_and_leaving_at_once(competition, number):
    ada, bob, cleo = people(f"ada{number}", f"bob{number}", f"cleo{number}")
    team = a_team(f"team{number}", ada, bob, cleo)
    receive(team.account, competition, f"bot {number}", "a.py", PROGRAM, anew(ada))
    told = at_once(
        lambda: closing_accounts.close(ada, anew(ada), ""),
        lambda: teams.leave(team, anew(bob)),
        lambda: receive(team.account, competition, f"bot {number}", "b.py", PROGRAM + b"#", anew(cleo)),
    )
    # bob, captain since ada closed her account, cannot leave cleo without one.
    assert told in ([], [f"You are the only captain of team{number}. Make another member captain first."])
    left = queries.members(team)
    assert [membership.role for membership in left if membership.role == Role.CAPTAIN] == [Role.CAPTAIN]
