"""The audit log: entries are added, and never changed."""

import pytest
from django.db import transaction
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.acts import BadReason
from agon.site.audit.models import Act, AppendOnly
from agon.site.audit.verbs import Verb

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(competition):
    organizer = User.objects.create_user("olga", password="nine lives 9")
    return acts.record(Verb.CANCEL, organizer, competition, subject="Cup", reason="the hall burned down")


def test_an_entry_says_who_did_what_to_what_when_and_why(act):
    entry = Act.objects.get()
    assert (entry.actor.username, entry.verb, entry.subject) == ("olga", "cancel", "Cup")
    assert entry.reason == "the hall burned down"
    assert entry.at.tzinfo is not None


def test_an_entry_cannot_be_changed_or_deleted(act):
    act.reason = "no reason"
    attempts = [
        act.save,
        act.delete,
        lambda: Act.objects.update(reason=""),
        lambda: Act.objects.bulk_update([act], ["reason"]),
        Act.objects.all().delete,
    ]
    for attempt in attempts:
        with pytest.raises(AppendOnly):
            attempt()
    assert Act.objects.get().reason == "the hall burned down"


def test_a_competition_with_entries_cannot_be_deleted(act, competition):
    with pytest.raises(Exception, match="protected"):
        competition.delete()


@pytest.mark.django_db(transaction=True)
def test_an_act_is_recorded_in_the_transaction_that_does_it(competition):
    with pytest.raises(transaction.TransactionManagementError):
        acts.record(Verb.PAUSE, None, competition)
    with transaction.atomic():
        acts.record(Verb.PAUSE, None, competition)
        transaction.set_rollback(True)
    assert not Act.objects.exists()


def test_a_reason_that_is_too_long_is_refused(competition):
    with pytest.raises(BadReason, match="expected at most 1000 characters, got 1001"):
        acts.record(Verb.PAUSE, None, competition, reason="x" * 1001)


def test_administrators_can_read_entries_and_change_none(act, client):
    client.force_login(User.objects.create_superuser("root", password="nine lives 9"))
    assert b"the hall burned down" in client.get(reverse("admin:audit_act_changelist")).content
    assert client.get(reverse("admin:audit_act_add")).status_code == 403
    assert client.post(reverse("admin:audit_act_delete", args=[act.pk]), {"post": "yes"}).status_code == 403
    changed = client.post(reverse("admin:audit_act_change", args=[act.pk]), {"reason": "none"})
    assert changed.status_code == 403
    assert Act.objects.get().reason == "the hall burned down"
