"""An operation asks the database no more than the page that shows the same."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agon.site.tokens.models import Scope
from agon.site.tokens.services import issue
from tests.support.one_of_each import one_of_each

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
MORE = 1.2  # times as many are allowed


@pytest.fixture
def site(user, competition) -> dict[str, Any]:
    return one_of_each(user, competition)


def queries(client: Client, path: str, headers: dict[str, str]) -> int:
    cache.clear()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        response = client.get(path, headers=headers)
    assert response.status_code == 200, path
    return len(captured)


def test_reading_by_program_takes_no_more_queries_than_the_page(site, user):
    page = Client()
    page.force_login(user)
    headers = {"authorization": f"Bearer {issue(user, 'test', Scope.values)[1]}"}
    cup, own = site["cups"][0], site["own"]
    pairs = {
        "competitions/samurai/leaderboard": "c/samurai/",
        "competitions": "",
        "matches?competition=samurai": "c/samurai/matches/",
        f"matches/{site['cup match'].pk}": f"matches/{site['cup match'].pk}/",
        f"bots/{own.bot_id}": f"bots/{own.bot_id}/",
        f"bots/{own.bot_id}/analysis": f"bots/{own.bot_id}/analysis/",
        f"bots/{own.bot_id}/rungs": f"bots/{own.bot_id}/rungs/",
        f"submissions/{own.pk}": f"submissions/{own.pk}/",
        "tournaments?competition=samurai": "c/samurai/tournaments/",
        f"tournaments/{cup.pk}": f"tournaments/{cup.pk}/",
        f"comparisons/{site['comparison'].pk}": f"comparisons/{site['comparison'].pk}/",
        f"challenges/{site['challenge'].pk}": f"challenges/{site['challenge'].pk}/",
        "challenges": "challenges/",
        "me/bots": f"u/{user.username}/",
    }
    Client().get("/api/v1/me", headers=headers)  # notes the use of the token, once a minute
    counts = {
        operation: (queries(Client(), f"/api/v1/{operation}", headers), queries(page, f"/{address}", {}))
        for operation, address in pairs.items()
    }
    assert {name: pair for name, pair in counts.items() if pair[0] > MORE * pair[1]} == {}
