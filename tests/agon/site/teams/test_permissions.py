"""What each role may do with a team and with its bots: a member does most, a captain all, others nothing.

The roles: captain, member, one who has left, one who was removed, somebody else, a visitor, an administrator.
"""

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.states import State
from agon.site.teams.models import Team
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate, submit

from .conftest import captain_invites, create_team, join

pytestmark = pytest.mark.django_db

ROLES = ("captain", "member", "left", "removed", "other", "visitor", "administrator")
# Roles in this order:      capt memb left remo othe visi admi
ALL = "                     200  200  200  200  200  200  200"
MEMBERS = "                 200  200  404  404  404  302  404"
ACT = "                     302  302  404  404  404  302  404"
CAPTAINS = "                200  404  404  404  404  302  404"
CAPTAINS_ACT = "            302  404  404  404  404  302  404"
PRIVATE = "                 200  200  404  404  404  404  200"
MANAGES = "                 200  200  404  404  404  302  200"
MANAGES_ACT = "             302  302  404  404  404  302  302"
DELETES = "                 200  404  404  404  404  302  200"
DELETES_ACT = "             302  404  404  404  404  302  302"
# Visitors and others are sent to a page that says that they may not; members go on.
GET = {
    "/u/Quokkas/": ALL,
    "/teams/{team}/leave/": MEMBERS,
    "/teams/{team}/close/": CAPTAINS,
    "/teams/{team}/members/{member}/remove/": CAPTAINS,
    "/submissions/{version}/": PRIVATE,
    "/submissions/{version}/source": PRIVATE,
    "/submissions/{version}/code/": PRIVATE,
    "/bots/{bot}/withdraw/": MEMBERS,
    "/bots/{bot}/rename/": MANAGES,
    "/bots/{bot}/delete/": DELETES,
    "/bots/{failed}/": PRIVATE,
}
POST = {
    "/teams/{team}/invite/": CAPTAINS_ACT,
    "/teams/{team}/revoke/": CAPTAINS_ACT,
    "/teams/{team}/members/{member}/role/": CAPTAINS_ACT,
    "/teams/{team}/members/{member}/remove/": CAPTAINS_ACT,
    "/teams/{team}/leave/": ACT,
    "/teams/{team}/close/": CAPTAINS_ACT,
    "/bots/{bot}/withdraw/": ACT,
    "/bots/{bot}/rename/": MANAGES_ACT,
    "/bots/{bot}/delete/": DELETES_ACT,
    "/submissions/{rejected}/remove/": MANAGES_ACT,
}
SENT = {"role": "captain", "words": "Renamed", "why": "a reason"}


@pytest.fixture
def clients(db) -> dict[str, Client]:
    by_role = {role: browser_of(User.objects.create_user(role)) for role in ROLES if role != "visitor"}
    User.objects.filter(username="administrator").update(is_staff=True, is_superuser=True)
    return by_role | {"visitor": Client()}


@pytest.fixture
def numbers(clients, competition) -> dict[str, int]:
    captain = clients["captain"]
    team = create_team(captain)
    join(captain, team, clients["member"], clients["left"], clients["removed"])
    clients["left"].post(f"/teams/{team.pk}/leave/")
    removed = User.objects.get(username="removed")
    captain.post(f"/teams/{team.pk}/members/{removed.pk}/remove/")
    [version] = activate(team.account, competition, ["Hop"])
    version.source.save("bot.py", ContentFile(b"print()"))
    return {
        "team": team.pk,
        "member": User.objects.get(username="member").pk,
        "bot": version.bot.pk,
        "version": version.pk,
        "rejected": submit(team.account, competition, "Hop", State.REJECTED).pk,
        "failed": submit(team.account, competition, "Fail", State.REJECTED).bot.pk,
    }


@pytest.mark.first(1)
@pytest.mark.parametrize("method", ["get", "post"])
def test_every_role_gets_what_the_table_says(clients, numbers, method):
    wrong = []
    for pattern, row in (GET if method == "get" else POST).items():
        where = pattern.format(**numbers)
        for role, expected in zip(ROLES, row.split(), strict=True):
            with transaction.atomic():
                got = getattr(clients[role], method)(where, SENT if method == "post" else None)
                transaction.set_rollback(True)
            if str(got.status_code) != expected:
                wrong.append(f"{method} {where} as {role}: expected {expected}, got {got.status_code}")
    assert wrong == []


@pytest.mark.first(1)
@pytest.mark.parametrize("role", ["left", "removed", "other"])
def test_only_members_upload_versions_of_the_teams_bot(clients, numbers, role):
    facts = {"name": "Hop", "way": "text", "text": "print('READY')", "language": "python"}
    for team in ("", "Quokkas"):
        page = clients[role].post("/c/samurai/submit/", facts | {"team": team})
        assert page.status_code == 422
    assert clients["member"].post("/c/samurai/submit/", facts).status_code == 302


@pytest.mark.first(1)
@pytest.mark.parametrize("role", ["member", "left", "other", "visitor"])
def test_only_captains_see_the_link(clients, numbers, role):
    link = captain_invites(clients["captain"], Team.objects.get())
    assert link not in clients[role].get("/u/Quokkas/").content.decode()
