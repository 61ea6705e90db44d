"""What the submit page offers is what a real sandbox of this machine can play."""

from collections.abc import Iterator

import pytest
from django.test import Client

from bots import languages
from competitions.models import Competition
from sandbox import open_sandbox
from sandbox.api import Sandbox
from sandbox.languages import registry, states

pytestmark = pytest.mark.django_db


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = open_sandbox("bubblewrap")
    yield sandbox
    sandbox.close()


def choices(client: Client, competition: Competition) -> set[str]:
    page = client.get(f"/c/{competition.slug}/submit/")
    return {slug for slug, _title in page.context["form"].fields["language"].choices if slug}


def test_every_language_is_shown_until_a_worker_has_tried_them(client: Client, coup: Competition) -> None:
    assert choices(client, coup) == {each.slug for each in registry.all_languages()}


def test_only_what_works_in_the_workers_sandbox_is_offered(
    client: Client, coup: Competition, sandbox: Sandbox
) -> None:
    working = languages.look(sandbox)
    assert "python" in working
    assert choices(client, coup) == set(working)
    assert all(states.state(registry.get(slug), sandbox).works for slug in working)
