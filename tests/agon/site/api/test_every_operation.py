"""Every operation, for every role, with requests made from the OpenAPI document and others.

No server error, and no response that the document does not describe.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core import signals
from django.core.cache import cache
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance

from agon.site.api import limits
from agon.site.tokens.models import Scope
from agon.site.tokens.services import issue
from tests.support.one_of_each import ROLES, one_of_each

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
# What the types of fields allow can still be refused: a name that is taken, an archive that is none.
NOT_CHECKED = [positive_data_acceptance]
EXAMPLES = 2  # of each operation and role
USUAL_ROLES = ("owner",)  # for the others there is `make test-all`


@pytest.fixture(autouse=True)
def connection_left_open() -> Iterator[None]:
    """As Django's own test client does: a response must not close the connection of the test."""
    both = (signals.request_started, signals.request_finished)
    for signal in both:
        signal.disconnect(close_old_connections)
    yield
    for signal in both:
        signal.connect(close_old_connections)


@pytest.fixture
def site(user, competition, monkeypatch) -> dict[str, Any]:
    monkeypatch.setattr(limits, "take", lambda request: limits.Allowance(limits.READS, 1, 1))
    return one_of_each(user, competition)


def ids(site: dict[str, Any], path: str) -> dict[str, Any]:
    """What the places of a path stand for, so that some requests find what they name."""
    cups = site["cups"]
    number = {
        "bots": site["own"].bot_id,
        "submissions": site["own"].pk,
        "matches": site["cup match"].pk,
        "tournaments": cups[0].pk,
        "comparisons": site["comparison"].pk,
        "challenges": site["challenge"].pk,
        "home-bots": site["home"].pk,
        "workers": site["odd"].pk,
        "webhooks": site["hook"].pk,
        "announcements": site["announcement"].pk,
        "seasons": site["season"].pk,
        "drafts": site["competition draft"].pk,
    }.get(path.split("/")[3], 1)
    return {
        "id": number,
        "slug": "samurai",
        "name": "rival",
        "token": site["trial"],
        "seat": site["own seat"],
        "match": site["cup match"].pk,
        "event": site["delivery"].event.number,
    }


@pytest.mark.parametrize(
    "role",
    [
        *USUAL_ROLES,
        *(pytest.param(role, marks=pytest.mark.exhaustive) for role in ROLES if role not in USUAL_ROLES),
    ],
)
def test_every_answer_is_one_that_the_document_describes(site, role):
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    headers = {"Accept-Encoding": "identity"}
    if role != "anonymous":
        headers["Authorization"] = f"Bearer {issue(site['people'][role], 'test', Scope.values)[1]}"
    finds = itertools.cycle([True, False])  # every other request finds what it names
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            deadline=None,
            database=None,
        )
        @given(case=operation.as_strategy())
        def send(case: Case) -> None:
            if next(finds):
                known = ids(site, case.path)
                for name in case.path_parameters or {}:
                    case.path_parameters[name] = known[name]
            cache.clear()
            with transaction.atomic():
                response = case.call_and_validate(headers=headers, excluded_checks=NOT_CHECKED)
                assert response.status_code != 405
                transaction.set_rollback(True)

        send()
