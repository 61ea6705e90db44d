"""What somebody types before signing in waits for him, though not for ever, and fills no database."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tasks import forget_sessions

from .conftest import PASSWORD

TEXT = {"name": "Rita", "way": "text", "text": "print('mine')\n", "language": "python"}


@pytest.fixture
def rita(db) -> User:
    return User.objects.create_user("rita", password=PASSWORD)


def paste(client: Client):
    return client.post("/c/samurai/submit/", TEXT)


def test_it_waits_an_hour_and_whoever_signs_in_stays_signed_in_for_longer(client, competition, rita):
    address = paste(client).headers["Location"]
    assert client.session.get_expiry_age() == 3600

    back = client.post(address, {"login": "rita", "password": PASSWORD}).headers["Location"]
    assert "print(&#x27;mine&#x27;)" in client.get(back).content.decode()
    assert client.session.get_expiry_age() > 24 * 3600


def test_there_is_a_limit_to_what_is_kept_for_one_address(client, competition, settings):
    settings.ACCOUNT_RATE_LIMITS = {"keep_draft": "2/h/ip"}
    assert [paste(Client()).status_code for _ in range(3)] == [302, 302, 429]
    assert Session.objects.count() == 2
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert paste(elsewhere).status_code == 302


def test_sessions_that_are_over_are_forgotten(client, competition):
    paste(client)
    paste(Client())
    Session.objects.filter(pk=client.session.session_key).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )
    forget_sessions()
    assert Session.objects.count() == 1
    assert not Session.objects.filter(pk=client.session.session_key).exists()


def test_the_scheduler_sees_to_it(settings):
    assert "accounts.tasks.forget_sessions" in {
        each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()
    }
