"""Every form and action of the administration leaves an entry. A new one that does not fails."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import RequestFactory
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.fleet.models import OddWorker
from agon.site.web.audit.logged_admin import LoggedAdmin

from .desk import WHY, boss, desk, entry, last, rps

__all__ = ["boss", "desk", "rps"]

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery 9"
DATES = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}


# What staff send to the admin, by model: for a new row, and for a change. A row to change is made beforehand.
NEW = {
    "accounts.User": {
        "username": "new",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
    },
    "auth.Group": {"name": "Helpers"},
    "competitions.Competition": {
        "title": "Spring",
        "slug": "spring",
        "game": "coup",
        "summary": "",
        "state": "open",
        "teams": "any",
        "keep_mib": 100,
    },
    "account.EmailAddress": {"email": "new@example.org", "user": "bob"},
}
CHANGED = {
    "accounts.User": {"username": "bob", "is_active": "on", "is_staff": "on", **DATES},
    "auth.Group": {"name": "Renamed"},
    "competitions.Competition": NEW["competitions.Competition"] | {"state": "closed"},
    "account.EmailAddress": {"email": "bob@example.org", "user": "bob", "verified": "on"},
}
ACTIONS = {("fleet.OddWorker", "release"), ("account.EmailAddress", "make_verified")}
DELETES = {("auth.Group", "delete_selected"), ("account.EmailAddress", "delete_selected")}


@pytest.fixture
def rows(rps):
    bob = User.objects.create_user("bob", password=PASSWORD)
    return {
        "accounts.User": bob,
        "auth.Group": Group.objects.create(name="Friends"),
        "competitions.Competition": Competition.objects.create(slug="spare", game="coup", title="Spare"),
        "account.EmailAddress": EmailAddress.objects.create(user=bob, email="bob@example.org"),
        "fleet.OddWorker": OddWorker.objects.create(
            worker="host:core0", state="parked", competition=rps, found=now()
        ),
    }


def page(label, what, *args):
    return reverse(f"admin:{label.lower().replace('.', '_')}_{what}", args=args)


def filled(data):
    return {
        name: User.objects.get(username="bob").pk if name == "user" else value for name, value in data.items()
    }


def request_of(user):
    request = RequestFactory().get("/admin/")
    request.user = user
    return request


def test_all_that_the_admin_can_change_is_known_to_these_tests(boss):
    request = request_of(boss)
    writable = {
        model._meta.label
        for model, model_admin in admin.site._registry.items()
        if model_admin.has_add_permission(request) or model_admin.has_change_permission(request)
    }
    assert writable == set(NEW) == set(CHANGED)
    actions = {
        (model._meta.label, name)
        for model, model_admin in admin.site._registry.items()
        for name in model_admin.get_actions(request)
    }
    assert actions == ACTIONS | DELETES
    logged = {
        model._meta.label
        for model, model_admin in admin.site._registry.items()
        if isinstance(model_admin, LoggedAdmin)
    }
    assert logged == writable | {"fleet.OddWorker"}


@pytest.mark.parametrize("label", NEW)
def test_a_new_row_has_an_entry(label, desk, boss, rows):
    since = last()
    assert desk.post(page(label, "add"), filled(NEW[label])).status_code == 200  # the reason is missing
    assert last() == since
    assert desk.post(page(label, "add"), filled(NEW[label]) | {"why": WHY}).status_code == 302
    act = entry(since, boss)
    assert (act.verb, act.reason, act.details["model"]) == ("admin add", WHY, label)


@pytest.mark.parametrize("label", CHANGED)
def test_a_change_has_an_entry(label, desk, boss, rows):
    since = last()
    address = page(label, "change", rows[label].pk)
    assert desk.post(address, filled(CHANGED[label])).status_code == 200
    assert last() == since
    assert desk.post(address, filled(CHANGED[label]) | {"why": WHY}).status_code == 302
    act = entry(since, boss)
    assert (act.verb, act.reason, act.details["id"]) == ("admin change", WHY, rows[label].pk)


def test_a_role_that_is_given_and_taken_is_in_the_entry_and_no_name_or_password(desk, boss, rows):
    bob, group = rows["accounts.User"], rows["auth.Group"]
    address = page("accounts.User", "change", bob.pk)
    given = CHANGED["accounts.User"] | {"groups": [group.pk], "email": "secret@example.org", "why": WHY}
    desk.post(address, given)
    act = Act.objects.last()
    assert act.details["values"] == {"is_staff": [False, True], "groups": [[], ["Friends"]]}
    assert act.subject == f"account {bob.pk}"
    desk.post(address, {"username": "bob", "is_active": "on", **DATES, "why": "it is over"})
    act = Act.objects.last()
    assert act.details["values"] == {"is_staff": [True, False], "groups": [["Friends"], []]}
    assert act.reason == "it is over"

    sent = {"usable_password": "true", "password1": "another horse 77", "password2": "another horse 77"}
    since = last()
    assert desk.post(reverse("admin:auth_user_password_change", args=[bob.pk]), sent).status_code == 200
    assert last() == since
    assert (
        desk.post(reverse("admin:auth_user_password_change", args=[bob.pk]), sent | {"why": WHY}).status_code
        == 302
    )
    act = entry(since, boss)
    assert (act.subject, act.reason, act.details["fields"]) == (f"account {bob.pk}", WHY, ["password"])
    everything = str(list(Act.objects.values()))
    assert not any(secret in everything for secret in ("bob", "secret@example.org", "another horse 77"))


@pytest.mark.parametrize(("label", "action"), sorted(ACTIONS))
def test_an_action_has_an_entry_and_needs_a_reason(label, action, desk, boss, rows):
    since = last()
    sent = {"action": action, "_selected_action": [rows[label].pk]}
    desk.post(page(label, "changelist"), sent)
    assert last() == since
    desk.post(page(label, "changelist"), sent | {"why": WHY})
    assert entry(since, boss).reason == WHY


@pytest.mark.parametrize(
    ("label", "many"),
    [(label, many) for label, _ in sorted(DELETES) for many in (False, True)]
    + [("competitions.Competition", False)],
)
def test_what_is_deleted_has_an_entry(label, many, desk, boss, rows):
    since, pk = last(), rows[label].pk
    if many:
        sent = {"action": "delete_selected", "_selected_action": [pk], "post": "yes", "why": WHY}
        desk.post(page(label, "changelist"), sent)
    else:
        desk.post(page(label, "delete", pk), {"post": "yes", "why": WHY})
    act = entry(since, boss)
    assert (act.verb, act.reason, act.details["id"]) == ("admin delete", WHY, pk)
    assert not type(rows[label]).objects.filter(pk=pk).exists()
