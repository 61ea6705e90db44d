"""One who no longer runs a competition has no rights in the tournaments that they made there."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.tokens.services import issue
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import active_bots
from tests.support.reruns import NAMES, play

pytestmark = pytest.mark.django_db
ORGANIZERS = Start(release=Tournament.Release.ORGANIZERS)


@pytest.fixture
def rps(olga) -> Competition:
    """A competition that olga runs."""
    made = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    made.organizers.create(user=olga)
    return made


@pytest.fixture
def cups(rps, olga, bob, user) -> tuple[Tournament, Tournament]:
    """A draft and a tournament that is being played for organizers' eyes, both made by bob while he may."""
    organizing.add_organizer(rps, "bob", olga)
    bots = active_bots(user, rps, NAMES)
    draft, running = (
        services.create(bob, rps, name, "round_robin", 1, 1, bots, starts=ORGANIZERS)
        for name in ("Draft", "Running")
    )
    services.start(running, bob)
    play(NAMES, limit=1)
    return draft, running


def api(user: User, method: str, path: str, data: object = None):
    headers = {"authorization": f"Bearer {issue(user, 'test', ['read', 'organize'])[1]}"}
    body = {} if data is None else {"data": json.dumps(data), "content_type": "application/json"}
    return getattr(Client(), method)(f"/api/v1/{path}", **body, headers=headers)


def rights(user: User, draft: Tournament, running: Tournament) -> dict[str, bool]:
    """What `user` can do and see, by pages and by program; nothing of it changes anything."""
    page = browser_of(user)
    match = running.matches.filter(state="finished").get()
    organize = f"/tournaments/{running.pk}/organize"
    return {
        "page of the draft": page.get(draft.get_absolute_url()).status_code == 200,
        "form of the draft": page.get(f"/tournaments/{draft.pk}/edit").status_code == 200,
        "acts": page.post(organize, {"act": "nothing"}).status_code == 302,
        "form of re-runs": page.get(f"/tournaments/{running.pk}/rerun").status_code == 200,
        "match": page.get(match.get_absolute_url()).status_code == 200,
        "record": page.get(f"{match.get_absolute_url()}record.json").status_code == 200,
        "list of matches": match.get_absolute_url() in page.get("/c/rps/matches/").content.decode(),
        "matrix": page.get(f"/tournaments/{running.pk}/matrix").status_code == 200,
        "logs": page.get(f"/tournaments/{running.pk}/logs.jsonl").status_code == 200,
        "draft by program": api(user, "get", f"tournaments/{draft.pk}").status_code == 200,
        "act by program": api(user, "post", f"tournaments/{running.pk}/prize", {"prize": ""}).status_code
        == 200,
        "re-runs by program": api(user, "get", f"tournaments/{running.pk}/reruns").status_code == 200,
        "match by program": api(user, "get", f"matches/{match.pk}").status_code == 200,
        "list by program": match.pk
        in [item["id"] for item in api(user, "get", "matches?competition=rps").json()["items"]],
        "standings by program": api(user, "get", f"tournaments/{running.pk}/standings").json() != [],
    }


def test_one_who_is_removed_can_do_and_see_no_more_than_any_reader(cups, rps, olga, bob):
    assert [name for name, may in rights(bob, *cups).items() if not may] == []
    organizing.remove_organizer(rps, bob.pk, olga)
    assert [name for name, may in rights(bob, *cups).items() if may] == []
    assert browser_of(bob).post(f"/tournaments/{cups[0].pk}/start").status_code == 404
    assert api(bob, "post", f"tournaments/{cups[1].pk}/cancel", {}).status_code == 403
    assert Tournament.objects.get(pk=cups[1].pk).state == "running"


def test_other_organizers_of_the_competition_have_the_rights_of_the_one_who_made_it(cups, olga):
    assert [name for name, may in rights(olga, *cups).items() if not may] == []


def test_one_who_may_create_tournaments_everywhere_keeps_their_own_until_that_ends(rps, bob, user):
    everywhere = Permission.objects.get(codename="add_tournament")
    bob.user_permissions.add(everywhere)
    bots = active_bots(user, rps, NAMES)
    cups = [
        services.create(bob, rps, name, "round_robin", 1, 1, bots, starts=ORGANIZERS) for name in ("A", "B")
    ]
    services.start(cups[1], bob)
    play(NAMES, limit=1)
    assert [name for name, may in rights(User.objects.get(pk=bob.pk), *cups).items() if not may] == []
    bob.user_permissions.remove(everywhere)
    assert [name for name, may in rights(User.objects.get(pk=bob.pk), *cups).items() if may] == []
