"""What people do to bots, accounts, workers and competitions is in the log, with who did it and why."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client

from agon.contest.archive.verify import verify
from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.models import Entrant
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from tests.support.factories import active_bots, duel

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def desk(boss):
    client = Client()
    client.force_login(boss)
    return client


@pytest.fixture
def bots(user, db):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    return active_bots(user, rps, NAMES)


@pytest.fixture
def knockout(boss, bots):
    settings = {"best_of": 1, "seeding": "order"}
    cup = services.create(boss, bots[0].competition, "KO", "single_elimination", 1, 1, bots, settings)
    services.start(cup, boss)
    return cup


def finish(cup):
    cup.refresh_from_db()
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, NAMES))
        scheduling.tick()
        cup.refresh_from_db()


def stop(desk, bot, why="It harms the host."):
    assert desk.post(f"/bots/{bot.pk}/stop/", {"words": why}).status_code == 302


def release(desk, bot, why="It was another bot."):
    assert desk.post(f"/bots/{bot.pk}/release/", {"why": why}).status_code == 302


def logged(cup):
    return [
        (act.verb, act.actor and act.actor.username, act.subject, act.reason)
        for act in Act.objects.filter(tournament=cup).exclude(verb__in=["create", "start"])
    ]


def test_a_stop_and_a_release_in_a_running_knock_out_are_in_its_log(desk, bots, knockout, tmp_path):
    stop(desk, bots[0])
    release(desk, bots[0])
    finish(knockout)

    acts = [("stop", "boss", "a", "It harms the host."), ("let play", "boss", "a", "It was another bot.")]
    assert logged(knockout) == acts
    page = Client().get(knockout.get_absolute_url()).content.decode()
    assert all(why in page for _verb, _who, _bot, why in acts)
    storing.make(knockout)
    data = b"".join(Client().get(f"{knockout.get_absolute_url()}archive").streaming_content)
    listed = json.loads(ZipFile(BytesIO(data)).read("manifest.json"))["acts"]
    assert [(act["verb"], act["actor"], act["subject"], act["reason"]) for act in listed[2:]] == acts
    (tmp_path / "cup.zip").write_bytes(data)
    assert verify(tmp_path / "cup.zip").differences == ()


def test_a_stop_is_listed_in_every_tournament_that_runs_and_once_for_the_competition(
    desk, boss, bots, knockout
):
    others = [
        services.create(boss, bots[0].competition, name, "round_robin", 1, 1, bots)
        for name in ("Running", "Paused", "Draft")
    ]
    for cup in others[:2]:
        services.start(cup)
    services.pause(others[1])
    stop(desk, bots[0])
    assert [len(logged(cup)) for cup in (knockout, *others)] == [1, 1, 2, 0]
    alone = Act.objects.get(tournament=None, verb="stop")
    assert (alone.competition, alone.actor, alone.reason) == (bots[0].competition, boss, "It harms the host.")


def test_a_stop_and_a_release_keep_what_an_organizer_did_with_a_reason(desk, boss, bots, knockout):
    running.disqualify(knockout, 0, boss, "It was entered twice.")
    stop(desk, bots[0])
    release(desk, bots[0])
    entrant = knockout.entrants.get(number=0)
    assert (entrant.left, entrant.stopped) == (Entrant.Left.DISQUALIFIED, "It was entered twice.")
    finish(knockout)
    assert current_standings(knockout)[-1].disqualified == "It was entered twice."


def test_a_stop_undone_gives_no_entry_to_those_who_may_not_do_it(bots, knockout, user):
    reader = Client()
    reader.force_login(user)
    assert reader.post(f"/bots/{bots[0].pk}/stop/", {"words": "x"}).status_code == 404
    assert logged(knockout) == []
    assert not Act.objects.filter(verb="stop").exists()


def test_a_release_needs_a_reason(desk, bots, knockout):
    stop(desk, bots[0])
    assert desk.post(f"/bots/{bots[0].pk}/release/", {}).status_code == 422
    bots[0].refresh_from_db()
    assert bots[0].state == "stopped"
