"""Every page on which staff act leaves an entry with actor and reason. A new one that does not fails."""

import re

import pytest
from django.urls import reverse

from agon.site.audit.models import Act
from agon.site.bots.states import State
from agon.site.competitions import announcing
from agon.site.competitions.announcing import Words
from agon.site.competitions.models import CompetitionDraft
from agon.site.matches import leases
from agon.site.seasons import services as seasons
from agon.site.seasons.services import Wanted
from agon.site.tournaments import editing, running, scheduling, services
from tests.agon.site.web.test_permissions import addresses
from tests.support.factories import activate, active_bots, duel, submit

from .desk import WHY, boss, desk, entry, last, rps

__all__ = ["boss", "desk", "rps"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(boss, user, rps):
    bots = active_bots(user, rps, ["a", "b", "c"])
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
    subject, _ = STEPS[name]
    if not subject:
        return reverse(name)
    if subject == "slug":
        return reverse(name, args=["rps"])
    if subject == "announcement":
        return reverse(name, args=["rps", site[subject].pk])
    if subject == "user":
        return reverse(name, args=[site["user"].username])
    return reverse(name, args=[site[subject].pk])


def test_every_page_that_takes_posts_is_known_to_these_tests(desk, site):
    """Django says 405 where a page takes none."""
    of_accounts = ("account_", "mfa_", "socialaccount_", "openid_connect_")
    named = [(name, path) for name, path in addresses() if not name.startswith(("admin:", *of_accounts))]
    values = {"slug": "rps", "game": "coup", "day": site["over"].started.date(), "digest": "0" * 16}
    takes_posts = set()
    for name, pattern in named:
        places = re.findall(r"<(?:(\w+):)?(\w+)>", pattern)
        kwargs = {
            parameter: values.get(parameter, 10**6 if kind == "int" else "x") for kind, parameter in places
        }
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
