"""The pages of teams in a browser: axe-core finds nothing wrong, and nothing is too wide for a phone."""

import pytest
from django.test import Client

from tests.agon.site.web.conftest import browser as browser
from tests.support.accessibility import assert_accessible_and_narrow, each_look
from tests.support.factories import activate

from .conftest import captain_invites, create_team, join, upload

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONGEST = "W" * 150  # of the names that an account may have


@pytest.fixture
def pages(browsers, people, competition) -> dict[str, bytes]:
    ada, bob = browsers["ada"], browsers["bob"]
    team = create_team(ada, LONGEST)
    join(ada, team, bob)
    upload(ada, "Hop", team=LONGEST)
    [version] = activate(team.account, competition, ["Skip"])
    page = f"/u/{LONGEST}/"
    link = captain_invites(ada, team)
    bob_removed = f"/teams/{team.pk}/members/{people['bob'].pk}/remove/"
    asked = {
        ada: [page, "/teams/", f"/teams/{team.pk}/close/", bob_removed, "/c/samurai/submit/"],
        bob: [f"{page}?bob", f"/teams/{team.pk}/leave/", version.bot.get_absolute_url()],
        browsers["cleo"]: [link, "/teams/?cleo", "/teams/join/nothing/"],
        Client(): [f"{link}?visitor"],
    }
    contents = {path: client.get(path).content for client, paths in asked.items() for path in paths}
    return contents | {"/teams/?refused": ada.post("/teams/", {"name": "ada"}).content}


@each_look
def test_axe_finds_nothing_wrong_and_nothing_is_too_wide_for_a_phone(browser, pages, both):
    assert_accessible_and_narrow(browser, pages, both)
