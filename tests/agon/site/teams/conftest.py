"""A team of two, made by the pages, and the browsers of its members."""

import re

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.teams.models import Team
from tests.agon.site.web.conftest import browser_of

PROGRAM = "print('READY')\n"


def captain_invites(captain: Client, team: Team) -> str:
    """The path of the link, as the page shows it."""
    page = captain.post(f"/teams/{team.pk}/invite/", follow=True).content.decode()
    return re.search(r"https?://[^/]+(/teams/join/[\w-]+/)", page)[1]


def create_team(captain: Client, name: str = "Quokkas") -> Team:
    page = captain.post("/teams/", {"name": name}, follow=True)
    assert page.status_code == 200, page.content.decode()
    return Team.objects.get(account__username=name)


def join(captain: Client, team: Team, *newcomers: Client) -> None:
    link = captain_invites(captain, team)
    for newcomer in newcomers:
        newcomer.post(link)


def upload(client: Client, name: str, team: str = "", text: str = PROGRAM):
    facts = {"name": name, "way": "text", "text": text, "language": "python", "team": team}
    return client.post("/c/samurai/submit/", facts, follow=True)


def text(response) -> str:
    return response.content.decode()


@pytest.fixture
def people(db) -> dict[str, User]:
    return {name: User.objects.create_user(name) for name in ("ada", "bob", "cleo", "dan")}


@pytest.fixture
def browsers(people) -> dict[str, Client]:
    return {name: browser_of(user) for name, user in people.items()}


@pytest.fixture
def team(browsers) -> Team:
    """Quokkas: ada, captain, and bob."""
    made = create_team(browsers["ada"])
    join(browsers["ada"], made, browsers["bob"])
    return made
