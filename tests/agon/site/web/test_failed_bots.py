"""A bot of which no version has qualified, and what it played, are for its owner and for staff alone."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import REJECT, REMOVE, State
from agon.site.events.models import Event
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tokens.services import issue
from agon.site.use_cases import leaving_play
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate, played, submit

pytestmark = pytest.mark.django_db

BOT_PAGES = ("bot", "bot_analysis", "bot_rungs", "bot_ratings_csv", "bot_faults_csv")
MATCH_PAGES = ("match", "match_record", "match_log", "match_archive")


@pytest.fixture
def failed(user, competition) -> Submission:
    """Ada's only version, which has failed in its qualification match."""
    rivals = activate(User.objects.create_user("bob"), competition, ["Bea", "Cora", "Dan"])
    version = submit(user, competition, "Hapless")
    queueing.queue(
        competition, Match.Kind.QUALIFICATION, Match.Queue.INTERACTIVE, [version, *rivals], qualifies=version
    )
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed, faults={(0, 0): ("crash", "it crashed")}))
    version.refresh_from_db()
    if version.state != State.REJECTED:
        version.move(REJECT)
    return version


def addresses(version: Submission) -> list[str]:
    match = Match.objects.get(qualifies=version)
    pages = [reverse(name, args=[version.bot_id]) for name in BOT_PAGES]
    return pages + [reverse(name, args=[match.pk]) for name in MATCH_PAGES]


@pytest.fixture
def moderator(db, django_user_model) -> User:
    return User.objects.create_superuser("root")


def test_its_pages_and_downloads_are_there_for_its_owner_and_staff_alone(failed, user, moderator):
    for address in addresses(failed):
        assert browser_of(user).get(address).status_code == 200, address
        assert browser_of(moderator).get(address).status_code == 200, address
        assert Client().get(address).status_code == 404, address
        assert browser_of(User.objects.get(username="bob")).get(address).status_code == 404, address


def test_what_everyone_may_show_elsewhere_is_there_for_nobody(failed, user):
    match = Match.objects.get(qualifies=failed)
    for name in ("match_embed", "match_picture"):
        assert Client().get(reverse(name, args=[match.pk])).status_code == 404
    for reader in (Client(), browser_of(user)):
        assert reader.get(reverse("bot_badge", args=[failed.bot_id])).status_code == 404


def test_lists_do_not_name_it(failed, user):
    for address in ("/c/samurai/matches/", f"/c/samurai/matches/?bot={failed.bot_id}", "/", "/c/samurai/"):
        page = Client().get(address).content.decode()
        assert "Hapless" not in page, address
    assert "Hapless" in browser_of(user).get("/c/samurai/matches/").content.decode()
    assert "Hapless" in browser_of(user).get(f"/c/samurai/matches/?bot={failed.bot_id}").content.decode()
    assert (
        f"/matches/{Match.objects.get(qualifies=failed).pk}/"
        in browser_of(user).get(f"/bots/{failed.bot_id}/").content.decode()
    )


def test_the_api_neither(failed, user):
    match = Match.objects.get(qualifies=failed)
    mine = {"Authorization": f"Bearer {issue(user, 'laptop', ['read'])[1]}"}
    for address in (
        f"/api/v1/bots/{failed.bot_id}",
        f"/api/v1/bots/{failed.bot_id}/ratings",
        f"/api/v1/matches/{match.pk}",
        f"/api/v1/matches/{match.pk}/record",
        f"/api/v1/matches?bot={failed.bot_id}",
    ):
        assert Client().get(address).status_code == 404, address
        assert Client().get(address, headers=mine).status_code == 200, address
    listed = json.loads(Client().get("/api/v1/matches").content)
    assert not re.search("Hapless", json.dumps(listed))


def test_its_renaming_and_end_are_no_news(failed, user):
    before = Event.objects.exclude(competition=None).count()
    leaving_play.perform("rename", failed.bot, user, "Hopeful", "")
    leaving_play.perform("delete", Bot.objects.get(pk=failed.bot_id), user, "", "")
    assert Event.objects.exclude(competition=None).count() == before
    assert not Event.objects.filter(competition=None, account=None).exists()


def test_once_removed_it_stays_hidden_and_once_a_version_qualifies_it_is_public(failed, user, competition):
    failed.move(REMOVE)
    assert Client().get(f"/bots/{failed.bot_id}/").status_code == 404
    activate(user, competition, ["Hapless"])
    assert Client().get(f"/bots/{failed.bot_id}/").status_code == 200
    match = Match.objects.get(qualifies=failed)
    assert Client().get(match.get_absolute_url()).status_code == 404
    assert browser_of(user).get(match.get_absolute_url()).status_code == 200
