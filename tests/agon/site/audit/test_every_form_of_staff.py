"""Every form and action of staff leaves an entry with actor and reason. A new one that does not fails."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client, RequestFactory
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.states import State
from agon.site.competitions import announcing
from agon.site.competitions.announcing import Words
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.core.db.leases import now
from agon.site.fleet.models import OddWorker
from agon.site.matches import leases
from agon.site.seasons import services as seasons
from agon.site.seasons.services import Wanted
from agon.site.tournaments import editing, running, scheduling, services
from agon.site.web.audit.logged_admin import LoggedAdmin
from tests.agon.site.web.test_permissions import addresses
from tests.support.factories import activate, duel, submit

pytestmark = pytest.mark.django_db
WHY = "as agreed on Monday"
PASSWORD = "correct horse battery 9"
DATES = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}


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


def entry(since, actor):
    """The only entry since then; its reason and actor are checked."""
    [act] = Act.objects.filter(pk__gt=since)
    assert act.actor == actor
    return act


def last():
    newest = Act.objects.last()
    return 0 if newest is None else newest.pk


def request_of(user):
    request = RequestFactory().get("/admin/")
    request.user = user
    return request


def test_all_that_the_admin_can_change_is_known_to_these_tests(boss):
    request = request_of(boss)
    writable = {
        model._meta.label
        for model, each in admin.site._registry.items()
        if each.has_add_permission(request) or each.has_change_permission(request)
    }
    assert writable == set(NEW) == set(CHANGED)
    actions = {
        (model._meta.label, name)
        for model, each in admin.site._registry.items()
        for name in each.get_actions(request)
    }
    assert actions == ACTIONS | DELETES
    logged = {
        model._meta.label for model, each in admin.site._registry.items() if isinstance(each, LoggedAdmin)
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


# --- pages of the site ------------------------------------------------------------------------------------


@pytest.fixture
def site(boss, user, rps):
    bots = [each.bot for each in activate(user, rps, ["a", "b", "c"])]
    rejected = submit(user, rps, "a", State.REJECTED)
    draft = services.create(boss, rps, "Draft", "round_robin", 1, 1, bots)
    going_on = services.create(boss, rps, "Running", "round_robin", 1, 1, bots)
    services.start(going_on, boss)
    over = services.create(boss, rps, "Over", "round_robin", 1, 1, bots)
    services.start(over, boss)
    while (match := leases.claim("w")) is not None:
        if match.tournament_id == over.pk:
            leases.finish(match, duel(match, ["a", "b", "c"]))
    scheduling.tick()
    stopped = activate(user, rps, ["d"])[0].bot
    type(stopped).objects.filter(pk=stopped.pk).update(state="stopped", active=None)
    return {"bot": bots[0], "stopped": stopped, "rejected": rejected, "user": user} | {
        "draft": draft,
        "new": CompetitionDraft.objects.create(
            owner=boss, settings=rps.settings.to_json() | {"slug": "new", "title": "New"}
        ),
        "open draft": services.create(boss, rps, "Open", "round_robin", 1, 1, [], sources_open=True),
        "announcement": announcing.announce(rps, Words("Old", "It rains."), boss),
        "running": going_on,
        "over": over,
        "season": seasons.create(boss, Wanted("Season", "mean", [], None, [over])),
    }


# Every page on which staff or organizers act: its name, what it is about, and what is sent.
STEPS = {
    "tournament_advance": ("over", {"shown": "0"}),
    "operate_act": ("", {"what": "sweep", "why": WHY}),
    "season_new": ("", {"title": "Spring", "kind": "mean"}),
    "season_edit": ("season", {"title": "Spring", "kind": "mean", "seen": "1", "reason": WHY}),
    "season_delete": ("season", {"reason": WHY}),
    "bot_stop": ("bot", {"words": WHY}),
    "bot_release": ("stopped", {"why": WHY}),
    "bot_rename": ("bot", {"words": "z", "why": WHY}),
    "bot_delete": ("bot", {"why": WHY}),
    "submission_remove": ("rejected", {"why": WHY}),
    "user_close": ("user", {"why": WHY}),
    "decide": ("slug", {"first": "1", "most": "100"}),
    "competition_open": ("new", {}),
    "competition_settings": (
        "slug",
        {
            "title": "Other",
            "slug": "rps",
            "game": "honest_rps",
            "entry": "all",
            "teams": "any",
            "time_zone": "UTC",
            "why": WHY,
        },
    ),
    "competition_state": ("slug", {"state": "closed", "why": WHY}),
    "competition_organizers": ("slug", {"name": "boss"}),
    "competition_link": ("slug", {}),
    "announcement_new": ("slug", {"title": "News", "text": "They are good."}),
    "announcement_edit": ("announcement", {"title": "News", "text": "They are better.", "revision": "1"}),
    "announcement_withdraw": ("announcement", {}),
    "tournament_new": (
        "slug",
        {
            "name": "New",
            "format": "round_robin",
            "rounds": "1",
            "seed": "1",
            "field": "chosen",
            "release": "public",
        },
    ),
    "tournament_edit": (
        "draft",
        {
            "name": "Edited",
            "format": "round_robin",
            "rounds": "2",
            "seed": "1",
            "field": "chosen",
            "release": "public",
        },
    ),
    "tournament_original": ("slug", {}),
    "tournament_start": ("draft", {"reason": WHY}),
    "tournament_pause": ("running", {"reason": WHY}),
    "tournament_cancel": ("running", {"reason": WHY}),
    "tournament_rerun": ("over", {"act": "begin", "entrant": "0", "reason": WHY}),
    "tournament_organize": ("running", {"act": "disqualify", "entrant": "0", "reason": WHY}),
    "tournament_resume": ("running", {"reason": WHY}),
    "tournament_enter": ("open draft", {"act": "enter", "reason": WHY}),
}
WITHOUT_REASON = {
    "announcement_new",
    "announcement_edit",
    "announcement_withdraw",
    "season_new",
    "tournament_advance",
    "competition_link",
    "competition_open",
    "competition_organizers",
    "decide",
    "tournament_new",
    "tournament_edit",
    "tournament_original",
}  # what is asked for says it all
# Pages on which people act for themselves alone.
OWN = {
    "profile", "follow_bot", "follow_competition", "notices", "notices_feed",
    "unsubscribe", "tokens", "device", "registration_code", "export", "session_end", "sessions_end",
    "webhooks", "webhook_delete", "webhook_switch_on", "webhook_again",
    "revoke_token",
    "submit", "editor", "first_win", "submission_compare", "comparison_cancel", "submission_restore",
    "challenge_new", "challenge_cancel", "home_bot_new", "home_bot_open",
    "teams", "team_join", "team_invite", "team_revoke", "team_role", "team_remove", "team_leave",
    "team_close",
    "competition_new", "competition_import", "competition_draft", "competition_delete", "competition_clone",
    "competition_enter",
    "course_new", "course_staff", "course_state", "course_student", "course_roster", "course_join",
    "course_milestone_new", "course_milestone", "course_scale", "course_judging",
    "course_extensions", "course_competitions",
    "bot_withdraw", "bot_reenter", "set_theme", "set_language",
}  # fmt: skip


def where(name, site):
    found, _ = STEPS[name]
    if not found:
        return reverse(name)
    if found == "slug":
        return reverse(name, args=["rps"])
    if found == "announcement":
        return reverse(name, args=["rps", site[found].pk])
    if found == "user":
        return reverse(name, args=[site["user"].username])
    return reverse(name, args=[site[found].pk])


def test_every_page_that_takes_posts_is_known_to_these_tests(desk, site):
    """Django says 405 where a page takes none."""
    of_accounts = ("account_", "mfa_", "socialaccount_", "openid_connect_")
    named = [(name, path) for name, path in addresses() if not name.startswith(("admin:", *of_accounts))]
    values = {"slug": "rps", "game": "coup", "day": site["over"].started.date(), "digest": "0" * 16}
    takes_posts = set()
    for name, pattern in named:
        places = re.findall(r"<(?:(\w+):)?(\w+)>", pattern)
        kwargs = {each: values.get(each, 10**6 if kind == "int" else "x") for kind, each in places}
        address = reverse(name, kwargs=kwargs)
        if desk.post(address).status_code != 405:
            takes_posts.add(name)
    assert takes_posts == set(STEPS) | OWN


@pytest.mark.first(10)
@pytest.mark.parametrize("name", STEPS)
def test_what_staff_do_on_a_page_has_an_entry(name, desk, boss, site):
    if name == "tournament_resume":
        services.pause(site["running"])
    if name == "tournament_advance":
        running.release(site["over"], "organizers", boss)
    since = last()
    sent = STEPS[name][1]
    if name == "tournament_enter":
        sent = sent | {"bot": site["bot"].pk}
    if name.startswith("season"):
        sent = sent | {"tournaments": [site["over"].pk]}
    if name == "tournament_edit":
        sent = sent | {"seen": editing.digest(site["draft"])}
    if name in ("tournament_new", "tournament_edit"):
        sent = sent | {"bots": list(site["draft"].entrants.values_list("bot", flat=True))}
    assert desk.post(where(name, site), sent).status_code == 302
    made = list(Act.objects.filter(pk__gt=since))
    assert made
    assert {act.actor for act in made} == {boss}
    if name not in WITHOUT_REASON:
        assert {act.reason for act in made} == {WHY}


@pytest.mark.first(2)
@pytest.mark.parametrize("act", ["reinstate", "release", "reveal", "prize", "withdraw"])
def test_what_organizers_do_has_an_entry(act, desk, boss, site):
    cup = site["over"] if act == "reveal" else site["running"]
    if act == "reinstate":
        running.disqualify(cup, 0, boss, "x")
    if act == "reveal":
        running.release(cup, "organizers", boss)
    since = last()
    sent = {"act": act, "entrant": "0", "stage": "entrants", "prize": "a cake", "reason": WHY}
    desk.post(reverse("tournament_organize", args=[cup.pk]), sent)
    assert (entry(since, boss).verb, entry(since, boss).reason) == (act, WHY)


@pytest.mark.parametrize("act", ["apply", "discard"])
def test_what_becomes_of_a_rerun_has_an_entry_and_needs_a_reason(act, desk, boss, site):
    address = reverse("tournament_rerun", args=[site["over"].pk])
    desk.post(address, {"act": "begin", "numbers": str(site["over"].matches.first().pk), "reason": WHY})
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, ["a", "b", "c"]))
    since = last()
    desk.post(address, {"act": act})
    assert last() == since
    desk.post(address, {"act": act, "reason": WHY})
    assert (entry(since, boss).verb, entry(since, boss).reason) == (act, WHY)
