"""Competitions for people alone, and those in which nobody takes part twice."""

import pytest

from agon.site.bots.access import Act
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.use_cases import leaving_play
from agon.site.use_cases.leaving_play import ActionNotAllowed

from .conftest import captain_invites, create_team, text, upload

pytestmark = pytest.mark.django_db
ONCE = "One may only do so once."


@pytest.fixture
def once(competition) -> Competition:
    competition.teams = Competition.Teams.ONE
    competition.save()
    return competition


def bots() -> set[tuple[str, str]]:
    return set(Bot.objects.values_list("owner__username", "name"))


def test_where_teams_are_not_admitted_a_teams_bot_is_refused(browsers, team, competition):
    competition.teams = Competition.Teams.NONE
    competition.save()
    page = upload(browsers["ada"], "Hop", team="Quokkas")
    assert f"{competition.title} is for people alone, not for teams." in text(page)
    upload(browsers["ada"], "Mine")
    assert bots() == {("ada", "Mine")}


def test_where_nobody_takes_part_twice_it_is_alone_or_in_a_team(browsers, team, once):
    upload(browsers["ada"], "Mine")
    page = text(upload(browsers["bob"], "Hop", team="Quokkas"))
    assert f"ada takes part in {once.title} already, with Mine of ada. {ONCE}" in page
    page = text(upload(browsers["ada"], "Hop", team="Quokkas"))
    assert f"takes part in {once.title} already, with Mine of ada." in page
    assert bots() == {("ada", "Mine")}


def test_who_is_in_a_team_that_takes_part_does_not_do_so_alone(browsers, team, once):
    upload(browsers["ada"], "Hop", team="Quokkas")
    page = text(upload(browsers["bob"], "Mine"))
    assert f"You take part in {once.title} already, with Hop of Quokkas. {ONCE}" in page
    upload(browsers["bob"], "Skip", team="Quokkas")
    assert bots() == {("Quokkas", "Hop"), ("Quokkas", "Skip")}


def test_nobody_joins_a_second_team_that_takes_part(browsers, team, once):
    upload(browsers["ada"], "Hop", team="Quokkas")
    wombats = create_team(browsers["cleo"], "Wombats")
    upload(browsers["cleo"], "Dig", team="Wombats")
    link = captain_invites(browsers["cleo"], wombats)
    words = f"You take part in {once.title} already, with Hop of Quokkas. {ONCE}"
    assert words in text(browsers["bob"].get(link))
    page = browsers["bob"].post(link)
    assert page.status_code == 422
    assert words in text(page)


def test_a_withdrawn_bot_does_not_count_and_comes_back_only_while_nobody_is_in_twice(
    browsers, people, team, once
):
    upload(browsers["ada"], "Mine")
    mine = Bot.objects.get()
    leaving_play.withdraw(mine, people["ada"])
    upload(browsers["bob"], "Hop", team="Quokkas")
    assert ("Quokkas", "Hop") in bots()
    Bot.objects.filter(pk=mine.pk).update(changed=None)
    with pytest.raises(ActionNotAllowed, match="with Hop of Quokkas"):
        leaving_play.perform(Act.REENTER, mine, people["ada"])


def test_elsewhere_people_take_part_as_often_as_they_like(browsers, team, competition):
    upload(browsers["ada"], "Mine")
    upload(browsers["ada"], "Hop", team="Quokkas")
    assert bots() == {("ada", "Mine"), ("Quokkas", "Hop")}


def test_a_persons_limits_hold_over_all_of_their_teams(browsers, team, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 2
    upload(browsers["ada"], "Mine")
    upload(browsers["ada"], "Hop", team="Quokkas")
    create_team(browsers["ada"], "Wombats")
    assert "You have made 2 submissions within an hour." in text(
        upload(browsers["ada"], "Dig", team="Wombats")
    )
    upload(browsers["bob"], "Skip", team="Quokkas")
    assert "Your team has made 2 submissions within an hour." in text(
        upload(browsers["bob"], "Hip", team="Quokkas")
    )
    upload(browsers["bob"], "Bobs")
    assert bots() == {("ada", "Mine"), ("Quokkas", "Hop"), ("Quokkas", "Skip"), ("bob", "Bobs")}
