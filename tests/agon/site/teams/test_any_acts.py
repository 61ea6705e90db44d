"""Whatever people do with their teams, in any order: a team has a captain, and nobody takes part twice."""

from collections.abc import Callable
from itertools import combinations

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.refusal import Refused as RefusedUpload
from agon.site.bots.services import receive
from agon.site.bots.states import BotState
from agon.site.bots.taking_part import COUNTED
from agon.site.competitions.models import Competition
from agon.site.teams import queries, services
from agon.site.teams.models import Role, Team
from agon.site.teams.services import NoInvitation, Refused
from agon.site.use_cases import closing_accounts, leaving_play, teams
from agon.site.use_cases.closing_accounts import CannotClose
from agon.site.use_cases.leaving_play import ActionNotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
NAMES = ("ada", "bob", "cleo")
ACTS = (
    "create",
    "join",
    "leave",
    "remove",
    "captain",
    "member",
    "close",
    "alone",
    "enter",
    "withdraw",
    "account",
)
REFUSED = (Refused, RefusedUpload, NoInvitation, CannotClose, ActionNotAllowed)

act = st.tuples(st.sampled_from(ACTS), st.integers(0, 2), st.integers(0, 1), st.integers(0, 2))


@pytest.mark.exhaustive
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(act, min_size=4, max_size=18))
def test_an_open_team_has_a_captain_and_nobody_takes_part_twice(competition, acts):
    with transaction.atomic():
        Competition.objects.update(teams=Competition.Teams.ONE)
        competition.refresh_from_db()
        people = [User.objects.create_user(name) for name in NAMES]
        for number, (name, who, team, whom) in enumerate(acts):
            do(name, number, people[who].pk, team, people[whom].pk, competition)
            assert_sound(competition)
        transaction.set_rollback(True)


def do(name: str, number: int, who: int, team: int, whom: int, competition: Competition) -> None:
    by = User.objects.get(pk=who)
    chosen = list(Team.objects.order_by("pk"))[team : team + 1]
    for_team: dict[str, Callable[[Team], object]] = {
        "join": lambda team: teams.join(_link(team), by),
        "leave": lambda team: teams.leave(team, by),
        "remove": lambda team: teams.remove(team, by, whom),
        "captain": lambda team: services.set_role(team, by, whom, Role.CAPTAIN),
        "member": lambda team: services.set_role(team, by, whom, Role.MEMBER),
        "close": lambda team: teams.close(team, by),
        "enter": lambda team: _enter(team.account, by, competition, number),
    }
    try:
        if name == "create":
            services.create(f"team{number}", by)
        elif name == "alone":
            _enter(by, by, competition, number)
        elif name == "withdraw":
            _withdraw(by)
        elif name == "account":
            closing_accounts.close(by, by, "")
        elif chosen:
            for_team[name](chosen[0])
    except REFUSED:
        pass


def _link(team: Team) -> str:
    captains = [member.user for member in queries.members(team) if member.role == Role.CAPTAIN]
    return services.renew_invitation(team, captains[0]).invitation if captains else ""


def _enter(owner: User, by: User, competition: Competition, number: int) -> None:
    receive(owner, competition, f"bot {number}", "a.py", f"print({number})".encode(), by)


def _withdraw(by: User) -> None:
    for bot in Bot.objects.filter(owner__in=queries.acting_accounts(by), state=BotState.ENTERED):
        leaving_play.perform(leaving_play.Act.WITHDRAW, bot, by)


def assert_sound(competition: Competition) -> None:
    for team in Team.objects.filter(state=Team.State.OPEN):
        assert Role.CAPTAIN in {member.role for member in queries.members(team)}, team
    for team in Team.objects.filter(state=Team.State.CLOSED):
        assert not queries.members(team)
        assert not team.account.bots.filter(state=BotState.ENTERED).exists()
    owners = set(competition.bots.filter(state__in=COUNTED).values_list("owner", flat=True))
    people = queries.people_of(owners)
    for first, second in combinations(owners, 2):
        assert not people[first] & people[second]
