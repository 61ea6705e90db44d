"""No author waits for everything that another one has uploaded."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import receive, receive_house
from agon.site.workers import building

pytestmark = pytest.mark.production

PROGRAM = b"print('READY')\n"


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


def claimed(count):
    return [building.claim() for _ in range(count)]


def test_who_has_uploaded_less_within_the_hour_is_built_first(user, bob, competition, coup):
    many = [receive(user, competition, f"bot {n}", "a.py", PROGRAM) for n in range(3)]
    first, second = receive(bob, coup, "Bob", "a.py", PROGRAM), receive(bob, coup, "Bob", "b.py", PROGRAM)

    assert claimed(6) == [first, second, *many, None]


def test_what_was_uploaded_earlier_no_longer_counts(user, bob, competition):
    many = [receive(user, competition, f"bot {n}", "a.py", PROGRAM) for n in range(3)]
    Submission.objects.update(created=timezone.now() - timedelta(hours=2))
    late = receive(bob, competition, "Bob", "a.py", PROGRAM)

    assert claimed(4) == [*many, late]


def test_house_bots_are_built_when_nobody_waits(user, bob, competition):
    house = receive_house(bob, competition, "House", "a.py", PROGRAM)
    many = [receive(user, competition, f"bot {n}", "a.py", PROGRAM) for n in range(2)]

    assert claimed(3) == [*many, house]
    assert Bot.objects.get(name="House").house
