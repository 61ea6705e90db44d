"""The desk of an administrator, and the entries that their acts leave."""

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition

WHY = "as agreed on Monday"


@pytest.fixture
def boss():
    return User.objects.create_superuser("boss")


@pytest.fixture
def desk(boss):
    client = Client()
    client.force_login(boss)
    return client


@pytest.fixture
def rps():
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


def entry(since, actor):
    """The only entry since then; its reason and actor are checked."""
    [act] = Act.objects.filter(pk__gt=since)
    assert act.actor == actor
    return act


def last():
    newest = Act.objects.last()
    return 0 if newest is None else newest.pk
