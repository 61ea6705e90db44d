"""What a visitor types before signing in is kept for them, though not without end, and fills no database."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.accounts.tasks import forget_sessions
from agon.site.competitions.models import Competition

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
    assert [paste(Client()).status_code for _ in range(2)] == [302, 302]
    refused = Client(headers={"accept-language": "ja"}).post("/c/samurai/submit/", TEXT)
    assert refused.status_code == 429
    assert "操作の回数が多すぎます" in refused.content.decode()
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
    assert "agon.site.accounts.tasks.forget_sessions" in {
        schedule["task"] for schedule in settings.CELERY_BEAT_SCHEDULE.values()
    }


def test_it_is_kept_outside_the_session_until_it_is_submitted(client, competition, rita):
    """A form that is loaded again, or that of another competition, loses nothing."""
    Competition.objects.create(slug="other", game="samurai", title="Other")
    address = paste(client).headers["Location"]
    assert len(Session.objects.get().session_data) < 1000
    back = client.post(address, {"login": "rita", "password": PASSWORD}).headers["Location"]
    pages = [
        client.get(path).content.decode() for path in (back, "/c/other/submit/", back, f"{back}?bot=Sue")
    ]
    assert ["mine" in page for page in pages] == [True, False, True, False]
    assert client.post(back, TEXT | {"name": "?"}).status_code == 422
    assert "mine" in client.get(back).content.decode()
    assert client.post(back, TEXT).status_code == 302
    assert "mine" not in client.get(back).content.decode()


@pytest.mark.parametrize("text", ["x" * 70_000, "я" * 40_000, "\U0001f600" * 20_000])
def test_one_that_is_too_large_is_not_kept_and_that_is_said(client, competition, rita, text):
    answer = client.post("/c/samurai/submit/", TEXT | {"text": text})
    address = answer.headers["Location"]
    page = client.get(address).content.decode()
    assert "too large to be kept until then; paste it again afterwards" in page
    assert len(Session.objects.get().session_data) < 2000
    back = client.post(address, {"login": "rita", "password": PASSWORD}).headers["Location"]
    page = client.get(back).content.decode()
    assert text[:100] not in page
    assert "Rita" in page


def test_the_whole_site_keeps_so_many_and_no_more(client, competition, settings):
    settings.ACCOUNT_RATE_LIMITS = {"keep_draft": "120/h/ip,3/h/key"}
    answers = [paste(Client(REMOTE_ADDR=f"192.0.2.{n}")).status_code for n in range(4)]
    assert answers == [302, 302, 302, 429]


def test_a_draft_that_is_typed_again_takes_the_place_of_the_first(client, competition, rita):
    paste(client)
    first = client.session["submission draft"]
    address = paste(client).headers["Location"]
    assert client.session["submission draft"] != first
    assert cache.get(f"draft-{first}") is None
    back = client.post(address, {"login": "rita", "password": PASSWORD}).headers["Location"]
    assert "mine" in client.get(back).content.decode()
