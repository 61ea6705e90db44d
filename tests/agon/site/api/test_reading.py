"""What everyone may read, and what only some may."""

import csv
import io
import json
import zipfile
import zlib

import pytest
from django.contrib.auth.models import Permission

from agon.site.bots.models import Bot
from agon.site.comparisons.models import Comparison
from agon.site.core.db.leases import now
from agon.site.fleet.models import OddWorker, PausedWorker
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match, Stderr
from games.core.record import from_json
from tests.support.factories import activate, played

from .conftest import Program


@pytest.fixture
def four(user, competition):
    return activate(user, competition, ["Rita", "=Sue", "Tom", "Una"])


def ladder_match(four, finish: bool = True) -> Match:
    queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four, seed=38)
    claimed = leases.claim("w")
    assert claimed is not None
    if finish:
        assert leases.finish(claimed, played(claimed))
    return Match.objects.get(pk=claimed.pk)


def test_the_leaderboard_is_read_page_by_page_and_as_a_file(anyone, four):
    ladder_match(four)
    first = anyone.get("competitions/samurai/leaderboard?limit=3").json()
    second = anyone.get(f"competitions/samurai/leaderboard?limit=3&cursor={first['next']}").json()

    names = [row["name"] for row in first["items"] + second["items"]]
    assert sorted(names) == ["=Sue", "Rita", "Tom", "Una"]
    assert second["next"] is None
    lines = anyone.get("competitions/samurai/leaderboard.ndjson").content.decode().splitlines()
    assert [json.loads(line)["name"] for line in lines] == names
    rows = list(
        csv.DictReader(io.StringIO(anyone.get("competitions/samurai/leaderboard.csv").content.decode()))
    )
    assert [row["rating"] for row in rows] == [str(json.loads(line)["rating"]) for line in lines]
    assert not any(row["name"].startswith("=") for row in rows)


def test_the_bots_of_a_competition_are_listed(anyone, four):
    data = anyone.get("competitions/samurai/bots").json()["items"]

    assert {bot["name"] for bot in data} == {"Rita", "=Sue", "Tom", "Una"}
    assert anyone.get(f"bots/{data[0]['id']}").json()["name"] == data[0]["name"]


@pytest.mark.parametrize("slug", ["honest_rps", "honest-rps"])
def test_rules_are_markdown_with_the_limits_filled_in(anyone, slug):
    response = anyone.get(f"games/{slug}/rules")

    assert response.headers["Content-Type"].startswith("text/markdown")
    assert response.content.decode().startswith("#")
    assert "{{" not in response.content.decode()
    assert anyone.get(f"games/{slug}").json()["limits"]["turn_ms"] > 0


def test_rules_are_in_the_language_of_the_reader(anyone):
    response = anyone.get("games/coup/rules", **{"accept-language": "ja"})

    assert response.headers["Content-Language"] == "ja"


def test_a_match_has_its_result_and_its_files(anyone, four):
    match = ladder_match(four)
    data = anyone.get(f"matches/{match.pk}").json()

    assert [seat["name"] for seat in data["seats"]] == ["Rita", "=Sue", "Tom", "Una"]
    assert data["seed"] == "38"
    record = anyone.get(f"matches/{match.pk}/record").content
    assert [str(score) for score in from_json(record).scores] == [seat["score"] for seat in data["seats"]]
    assert anyone.get(f"matches/{match.pk}/log").json()["exchanges"]
    archive = anyone.get(f"matches/{match.pk}/archive")
    assert zipfile.ZipFile(io.BytesIO(b"".join(archive.streaming_content))).testzip() is None
    part = anyone.get(f"matches/{match.pk}/archive", range="bytes=0-9")
    assert part.status_code == 206
    assert len(b"".join(part.streaming_content)) == 10


def test_who_plays_on_the_ladder_is_secret_until_it_is_over(anyone, four, django_user_model):
    match = ladder_match(four, finish=False)
    bob = Program(django_user_model.objects.create_user("bob"))

    for program in (anyone, bob):
        data = program.get(f"matches/{match.pk}").json()
        assert {seat["name"] for seat in data["seats"]} == {None}
        assert {seat["submission"] for seat in data["seats"]} == {None}
        assert data["seed"] is None
        assert program.get(f"matches?bot={four[0].bot_id}").json()["items"] == []
        assert program.get(f"matches/{match.pk}/record").status_code == 409
    own = Program(four[0].bot.owner).get(f"matches/{match.pk}").json()
    assert own["seats"][0]["name"] == "Rita"


def test_a_token_that_may_not_read_sees_what_anyone_sees(user, four):
    match = ladder_match(four, finish=False)
    blind = Program(user, ("submit",))

    assert blind.get(f"matches/{match.pk}").json()["seats"][0]["name"] is None
    assert blind.get("me").status_code == 403


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("competition=samurai", 1),
        ("competition=nim", 404),
        ("state=finished", 1),
        ("state=void", 0),
        ("kind=ladder", 1),
        ("kind=tournament", 0),
        ("state=played", 422),
        ("tournament=7", 0),
        (f"tournament={10**30}", 0),
        ("bot=-1", 404),
    ],
)
def test_matches_are_filtered(anyone, four, query, count):
    ladder_match(four)
    response = anyone.get(f"matches?{query}")

    assert response.status_code == (200 if count < 400 else count)
    if count < 400:
        assert len(response.json()["items"]) == count


def test_matches_of_two_bots_are_those_with_both(anyone, four):
    match = ladder_match(four)
    both = f"matches?bot={four[0].bot_id}&against={four[1].bot_id}"

    assert [item["id"] for item in anyone.get(both).json()["items"]] == [match.pk]


def test_standard_error_is_for_its_owner(ada, anyone, four, django_user_model):
    match = ladder_match(four)
    Stderr.objects.filter(seat__match=match, seat__number=0).update(data=zlib.compress(b"hello"))
    bob = Program(django_user_model.objects.create_user("bob"))

    assert ada.get(f"matches/{match.pk}/stderr/0").content == b"hello"
    assert bob.get(f"matches/{match.pk}/stderr/0").status_code == 404
    assert anyone.get(f"matches/{match.pk}/stderr/0").status_code == 401
    assert ada.get(f"matches/{match.pk}/stderr/9").status_code == 404


def test_others_see_no_version_that_has_not_competed(ada, anyone, competition):
    number = ada.submit().json()["bot"]

    assert len(ada.get(f"bots/{number}").json()["versions"]) == 1
    assert anyone.get(f"bots/{number}").json()["versions"] == []


def test_the_status_says_what_waits(anyone, ada, competition):
    ada.submit()
    queues = {queue["name"]: queue for queue in anyone.get("status").json()["queues"]}

    assert queues["builds"]["waiting"] == 1
    assert queues["builds"]["oldest"] >= 0
    assert queues["trials"] == {"name": "trials", "waiting": 0, "oldest": None}


def test_a_comparison_is_begun_read_and_ended(ada, user, competition, four):
    new = four[0]
    house = activate(user, competition, ["Housy"])[0]
    Bot.objects.filter(pk=house.bot_id).update(house=True)
    for submission in (new, house):
        type(submission).objects.filter(pk=submission.pk).update(
            artifact="x", artifact_digest=str(submission.pk)
        )
    response = ada.post("comparisons", {"new": new.pk, "old": house.pk})

    assert response.status_code == 201, response.content
    number = response.json()["id"]
    assert ada.get(f"comparisons/{number}").json()["state"] == "running"
    assert ada.post("comparisons", {"new": new.pk, "old": house.pk}).status_code == 409
    assert ada.delete(f"comparisons/{number}").json()["state"] == "cancelled"
    assert ada.delete(f"comparisons/{number}").status_code == 200


def test_comparisons_of_others_do_not_exist(ada, user, competition, four, django_user_model):
    row = {"competition": competition, "owner": user, "new": four[0], "old": four[1]}
    made = Comparison.objects.create(**row, seed=1, seats=4, least="1/10", most_cycles=16)
    bob = Program(django_user_model.objects.create_user("bob"))

    assert bob.get(f"comparisons/{made.pk}").status_code == 404
    assert bob.delete(f"comparisons/{made.pk}").status_code == 404
    assert bob.post("comparisons", {"new": four[0].pk, "old": four[1].pk}).status_code == 422


def test_operators_see_workers_and_release_them(ada, competition, django_user_model):
    operator = django_user_model.objects.create_user("op")
    operator.user_permissions.set(Permission.objects.filter(codename="change_oddworker"))
    program = Program(operator)
    PausedWorker.objects.create(worker="host:core1", since=now(), tried=now())
    odd = OddWorker.objects.create(worker="host:core0", competition=competition, found=now(), state="parked")

    assert ada.get("workers").status_code == 403
    assert ada.get("failed-attempts").status_code == 403
    data = program.get("workers").json()
    assert [worker["worker"] for worker in data["odd"]] == ["host:core0"]
    assert [worker["worker"] for worker in data["paused"]] == ["host:core1"]
    assert program.post(f"workers/{odd.pk}/release").status_code == 422
    assert program.post(f"workers/{odd.pk}/release", {"reason": "new disk"}).json()["state"] == "released"
    assert program.get("workers").json()["odd"] == []
    assert program.get("failed-attempts").json()["items"] == []
