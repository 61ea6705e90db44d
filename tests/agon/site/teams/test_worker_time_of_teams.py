"""A person has no more worker time by making teams."""

import pytest

from agon.site.accounts.models import User
from agon.site.leaderboards import ladder
from agon.site.matches import usage
from agon.site.matches.models import Match, Seat
from agon.site.teams.models import Team
from tests.support.factories import activate

from .conftest import create_team

pytestmark = pytest.mark.django_db


def charge(owner: User, competition, name: str, seconds: float) -> None:
    [submission] = activate(owner, competition, [name])
    usage.charge(submission.bot_id, seconds)


def seconds(*accounts: User) -> list[float]:
    authors = usage.current_usage().authors
    return [authors.get(account.pk, 0.0) for account in accounts]


def give_role(browsers, team: Team, person: User, role: str) -> None:
    answer = browsers["ada"].post(f"/teams/{team.pk}/members/{person.pk}/role/", {"role": role})
    assert answer.status_code == 302


def test_teams_share_the_worker_time_of_their_captain_and_members_keep_theirs(
    browsers, people, team, competition
):
    second = create_team(browsers["ada"], "Numbats")
    charge(people["ada"], competition, "Own", 100)
    charge(second.account, competition, "Hop", 20)
    charge(people["bob"], competition, "Bobs", 3)

    assert seconds(people["ada"], team.account, second.account) == [120.0] * 3
    assert seconds(people["bob"], people["cleo"]) == [3.0, 0.0]


def test_the_time_goes_with_the_office(browsers, people, team, competition):
    charge(team.account, competition, "Hop", 20)
    give_role(browsers, team, people["bob"], "captain")
    give_role(browsers, team, people["ada"], "member")

    assert seconds(people["ada"], people["bob"], team.account) == [0.0, 20.0, 20.0]


def test_of_two_captains_it_is_the_one_who_joined_first(browsers, people, team, competition):
    give_role(browsers, team, people["bob"], "captain")
    charge(team.account, competition, "Hop", 20)

    assert seconds(people["ada"], people["bob"]) == [20.0, 0.0]


def test_a_team_that_was_closed_leaves_its_use_with_its_captain(browsers, people, competition):
    team = create_team(browsers["ada"], "Numbats")
    charge(team.account, competition, "Hop", 20)
    browsers["ada"].post(f"/teams/{team.pk}/leave/")

    assert Team.objects.get(pk=team.pk).state == "closed"
    assert seconds(people["ada"]) == [20.0]


def test_bots_of_teams_whose_captain_used_up_the_time_wait(browsers, people, team, competition, settings):
    charge(people["ada"], competition, "Own", settings.AGON_AUTHOR_SECONDS)
    activate(team.account, competition, ["Hop"])
    activate(people["dan"], competition, ["Rita", "Sue", "Tom", "Ulf"])
    Match.objects.all().delete()

    ladder.top_up(competition)

    queued = Seat.objects.filter(match__kind=Match.Kind.LADDER)
    assert set(queued.values_list("name", flat=True)) == {"Rita", "Sue", "Tom", "Ulf"}
