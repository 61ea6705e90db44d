"""The pages of webhooks: made, shown once, listed, sent again, deleted; and no one else's."""

import re

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.events import feed
from agon.site.events.models import Kind
from agon.site.webhooks.models import Delivery, Hook
from agon.site.workers import outgoing
from tests.support.receivers import receiving

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def local(settings) -> None:
    settings.AGON_LOCAL_HOOKS = True


@pytest.fixture
def ada(user) -> Client:
    return browser_of(user)


def browser_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_a_secret_is_shown_once(ada):
    page = ada.post("/webhooks/", {"url": "https://example.org/agon"}, follow=True).content.decode()
    [secret] = re.findall(r'<code id="made">(whsec_[^<]+)</code>', page)

    assert Hook.objects.get().secret == secret
    again = ada.get("/webhooks/").content.decode()
    assert secret not in again
    assert "https://example.org/agon" in again


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://10.0.0.1/", "10.0.0.1 is not a public address."),
        ("ftp://example.org/", "Expected an address like https://example.org/agon"),
        ("https://example.org/<script>", "&lt;script&gt;"),
        ("", "This field is required."),
    ],
)
def test_an_address_that_is_refused_is_explained_at_the_field(ada, url, message):
    response = ada.post("/webhooks/", {"url": url})

    assert response.status_code == 422
    assert message in response.content.decode()
    assert not Hook.objects.exists()


def test_the_same_webhook_twice_and_too_many_are_refused(ada):
    for number in [*range(10), 9, 10]:
        response = ada.post("/webhooks/", {"url": f"https://example.org/{number}"})
    assert response.status_code == 422
    assert "You have 10 webhooks." in response.content.decode()
    assert Hook.objects.count() == 10
    response = ada.post("/webhooks/", {"url": "https://example.org/9"})
    assert "You have a webhook for this feed" in response.content.decode()


def test_feeds_of_competitions_are_for_organizers(ada, competition):
    chosen = {"url": "https://example.org/", "competition": competition.pk}
    assert "Samurai" not in ada.get("/webhooks/").content.decode()
    ada.post("/webhooks/", chosen)
    assert Hook.objects.get().competition is None

    organizer = browser_of(User.objects.create_superuser("orga"))
    organizer.post("/webhooks/", chosen)
    assert Hook.objects.get(owner__username="orga").competition == competition


def test_deliveries_are_listed_and_sent_again_by_a_click(ada, user, competition):
    with receiving(500) as [receiver]:
        ada.post("/webhooks/", {"url": receiver.url})
        hook = Hook.objects.get()
        feed.add(Kind.BOT_STOPPED, competition.pk, user.pk, bot=1)
        outgoing.send()
        page = ada.get(f"/webhooks/{hook.pk}/").content.decode()
        assert "bot.stopped" in page
        assert "refused by the receiver" in page
        assert "failing" in ada.get("/webhooks/").content.decode()

        receiver.status = 204
        again = f"/webhooks/{hook.pk}/again/{Delivery.objects.get().pk}/"
        assert "is sent again" in ada.post(again, follow=True).content.decode()
        ada.post(again)
        outgoing.send()
        outgoing.send()
        assert len(receiver.taken) == 1
        page = ada.get(f"/webhooks/{hook.pk}/").content.decode()
        assert "delivered" in page
        assert "failing" not in page


def test_a_webhook_that_was_switched_off_is_switched_on_by_a_click(ada, user, competition):
    with receiving(410) as [receiver]:
        ada.post("/webhooks/", {"url": receiver.url})
        hook = Hook.objects.get()
        feed.add(Kind.BOT_STOPPED, competition.pk, user.pk, bot=1)
        outgoing.send()
        assert "The webhook to 127.0.0.1 was switched off" in ada.get("/notices/").content.decode()
        receiver.status = 200
        ada.post(f"/webhooks/{hook.pk}/switch-on/")
        outgoing.send()

        assert receiver.taken != []
        assert Hook.objects.get().off is None


def test_a_webhook_that_is_deleted_gets_nothing(ada, user, competition):
    with receiving(200) as [receiver]:
        ada.post("/webhooks/", {"url": receiver.url})
        feed.add(Kind.BOT_STOPPED, competition.pk, user.pk, bot=1)
        ada.post(f"/webhooks/{Hook.objects.get().pk}/delete/")
        outgoing.send()

        assert receiver.taken == []


def test_nobody_sees_or_changes_anothers(ada):
    ada.post("/webhooks/", {"url": "https://example.org/"})
    pk = Hook.objects.get().pk
    bob = browser_of(User.objects.create_superuser("bob"))

    assert bob.get(f"/webhooks/{pk}/").status_code == 404
    for act in ("delete", "switch-on", "again/1"):
        assert bob.post(f"/webhooks/{pk}/{act}/").status_code == 404
    assert Hook.objects.count() == 1
