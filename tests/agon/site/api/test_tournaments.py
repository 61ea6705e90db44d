"""Reading and running tournaments by program."""

import csv
import io
import json

import pytest
from django.contrib.auth.models import Group

from agon.contest.standings import to_csv
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments import rights, scheduling
from agon.site.tournaments.models import Rerun, Tournament
from agon.site.tournaments.standings import current_standings
from tests.support.factories import activate, played

from .conftest import Program


@pytest.fixture
def orga(db, django_user_model):
    person = django_user_model.objects.create_user("orga")
    person.groups.add(Group.objects.get(name="Organizers"))
    return person


@pytest.fixture
def organizer(orga) -> Program:
    return Program(orga)


@pytest.fixture
def bots(user, competition) -> list[int]:
    return [submission.bot_id for submission in activate(user, competition, ["Rita", "Sue", "Tom", "Una"])]


def new(bots: list[int], **fields):
    return {
        "competition": "samurai",
        "name": "Cup",
        "format": "rotations",
        "rounds": 1,
        "bots": bots,
    } | fields


def play_all(cup: Tournament) -> None:
    while (claimed := leases.claim("w")) is not None:
        assert leases.finish(claimed, played(claimed))
    scheduling.settle(cup.pk)


def test_a_tournament_is_created_started_played_and_read(organizer, anyone, bots):
    made = organizer.post("tournaments", new(bots))
    assert made.status_code == 201, made.content
    cup = made.json()
    assert [entrant["name"] for entrant in cup["entrants"]] == ["Rita", "Sue", "Tom", "Una"]
    assert cup["state"] == "draft"
    assert cup["salt"] is None
    path = f"tournaments/{cup['id']}"
    assert organizer.post(f"{path}/start").json()["state"] == "running"
    assert organizer.post(f"{path}/start").status_code == 200

    play_all(Tournament.objects.get())

    over = anyone.get(path).json()
    assert over["state"] == "finished"
    assert over["salt"]
    assert over["progress"]["done"] == over["progress"]["total"] > 0
    standings = anyone.get(f"{path}/standings").json()
    assert {row["name"] for row in standings} == {"Rita", "Sue", "Tom", "Una"}
    assert sum(row["played"] for row in standings) == 4 * over["progress"]["done"]
    assert [act["act"] for act in anyone.get(f"{path}/acts").json()][:2] == ["create", "start"]
    assert anyone.get(f"matches?tournament={cup['id']}&limit=200").json()["items"]
    assert "Rita" in anyone.get(f"{path}/matrix").content.decode()


def test_states_are_reached_once(organizer, bots):
    path = f"tournaments/{organizer.post('tournaments', new(bots)).json()['id']}"
    organizer.post(f"{path}/start")

    assert organizer.post(f"{path}/pause", {"reason": "lunch"}).json()["state"] == "paused"
    assert organizer.post(f"{path}/pause").status_code == 200
    assert organizer.post(f"{path}/resume").json()["state"] == "running"
    assert organizer.post(f"{path}/cancel").json()["state"] == "cancelled"
    assert organizer.post(f"{path}/cancel").status_code == 200
    problem = organizer.post(f"{path}/start")
    assert (problem.status_code, problem.json()["code"]) == (409, "conflict")
    acts = [act["act"] for act in organizer.get(f"{path}/acts").json()]
    assert acts == ["create", "start", "pause", "resume", "cancel"]
    assert organizer.get(f"{path}/acts").json()[2]["reason"] == "lunch"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"format": "knockout"}, "/format"),
        ({"name": " "}, "/name"),
        ({"rounds": 0}, "/rounds"),
        ({"rounds": None}, "/rounds"),
        ({"bots": [10**30]}, "/bots/0"),
        ({"seed": -1}, "/seed"),
        ({"seed": 2**60}, "/seed"),
        ({"starts_at": "2020-01-01T00:00:00Z"}, "/starts_at"),
        ({"release": "nobody"}, "/release"),
        ({"prize": "gold"}, "/prize"),
        ({"bots": []}, "/bots"),
    ],
)
def test_what_is_wrong_is_named(organizer, bots, fields, pointer):
    response = organizer.post("tournaments", new(bots) | fields)

    assert response.status_code == 422, response.content
    assert response.json()["errors"][0]["pointer"] == pointer
    assert not Tournament.objects.exists()


def test_only_organizers_create_tournaments(ada, bots):
    response = ada.post("tournaments", new(bots))

    assert (response.status_code, response.json()["code"]) == (403, "not_allowed")
    assert not Tournament.objects.exists()


def test_drafts_of_others_do_not_exist(organizer, ada, anyone, bots):
    number = organizer.post("tournaments", new(bots)).json()["id"]

    assert ada.get(f"tournaments/{number}").status_code == 404
    assert anyone.get("tournaments").json()["items"] == []
    assert ada.post(f"tournaments/{number}/start").status_code == 404
    assert Tournament.objects.get().state == "draft"


def test_results_that_are_not_released_are_not_told(organizer, anyone, bots):
    cup = organizer.post("tournaments", new(bots, release="organizers")).json()
    path = f"tournaments/{cup['id']}"
    organizer.post(f"{path}/start")
    play_all(Tournament.objects.get())

    assert anyone.get(f"{path}/standings").json() == []
    assert anyone.get(f"{path}/matrix").status_code == 404
    assert anyone.get(f"{path}/archive").status_code == 404
    assert anyone.get(path).json()["salt"] is None
    assert anyone.get(f"matches?tournament={cup['id']}").json()["items"] == []
    assert len(organizer.get(f"{path}/standings").json()) == 4
    assert organizer.post(f"{path}/reveal", {"shown": 0}).status_code == 200
    assert organizer.post(f"{path}/reveal", {"shown": 0}).status_code == 422
    last = anyone.get(f"{path}/standings").json()
    assert {row["rank"] for row in last} == {5 - len(last)}  # those who share the last place, together
    organizer.post(f"{path}/release", {"release": "public"})
    assert len(anyone.get(f"{path}/standings").json()) == 4


def test_an_entrant_leaves_and_returns_with_a_reason(organizer, anyone, bots):
    path = f"tournaments/{organizer.post('tournaments', new(bots)).json()['id']}"
    organizer.post(f"{path}/start")

    assert organizer.post(f"{path}/disqualify", {"entrant": 0}).status_code == 422
    organizer.post(f"{path}/disqualify", {"entrant": 0, "reason": "copied"})
    entrant = anyone.get(path).json()["entrants"][0]
    assert (entrant["left"], entrant["reason"]) == ("disqualified", "copied")
    organizer.post(f"{path}/reinstate", {"entrant": 0, "reason": "mistaken"})
    assert anyone.get(path).json()["entrants"][0]["left"] == ""


def test_a_reason_with_controls_breaks_no_line_of_the_standings(organizer, anyone, bots):
    path = f"tournaments/{organizer.post('tournaments', new(bots)).json()['id']}"
    organizer.post(f"{path}/start")

    organizer.post(f"{path}/disqualify", {"entrant": 0, "reason": "copied\rfrom \u202eSue\r\nand Tom"})
    assert anyone.get(path).json()["entrants"][0]["reason"] == "copied\\rfrom \\u202eSue\nand Tom"
    text = to_csv(current_standings(Tournament.objects.get()))
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [len(line) for line in lines] == [len(lines[0])] * 5


def test_matches_are_run_again_and_applied(organizer, bots):
    path = f"tournaments/{organizer.post('tournaments', new(bots)).json()['id']}"
    organizer.post(f"{path}/start")
    play_all(Tournament.objects.get())
    first = Match.objects.order_by("pk").first()
    assert first is not None

    made = organizer.post(f"{path}/reruns", {"matches": [first.pk], "reason": "power cut"})
    assert made.status_code == 201
    rerun = made.json()
    assert (rerun["matches"], rerun["done"]) == (1, 0)
    assert organizer.post(f"reruns/{rerun['id']}/apply").status_code == 422
    play_all(Tournament.objects.get())
    assert len(organizer.get(f"{path}/reruns").json()[0]["changes"]) == 4
    assert organizer.post(f"reruns/{rerun['id']}/apply").json()["state"] == "applied"
    assert organizer.post(f"reruns/{rerun['id']}/apply").status_code == 200
    assert organizer.post(f"reruns/{rerun['id']}/discard").status_code == 422
    assert Rerun.objects.get().state == "applied"


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"])
def test_a_time_that_no_database_holds_is_refused_in_words(organizer, bots, since):
    path = f"tournaments/{organizer.post('tournaments', new(bots)).json()['id']}"
    organizer.post(f"{path}/start")
    for name in ("since", "until"):
        refused = organizer.post(f"{path}/reruns", {name: since, "reason": "power cut"})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == f"/{name}"


def test_a_key_starts_one_tournament(organizer, bots):
    body = new(bots)
    first = organizer.post("tournaments", body, **{"idempotency-key": "cup"})
    again = organizer.post("tournaments", body, **{"idempotency-key": "cup"})

    assert again.content == first.content
    assert Tournament.objects.count() == 1


def test_a_token_without_the_scope_runs_nothing(orga, organizer, bots):
    number = organizer.post("tournaments", new(bots)).json()["id"]
    weak = Program(orga, ("read", "submit"))

    response = weak.post(f"tournaments/{number}/start")
    assert (response.status_code, response.json()["code"]) == (403, "scope_missing")
    assert json.loads(weak.get(f"tournaments/{number}").content)["state"] == "draft"


def test_a_token_for_another_competition_runs_nothing(orga, organizer, bots, coup):
    number = organizer.post("tournaments", new(bots)).json()["id"]
    of_coup = Program(orga, competition=coup)

    assert of_coup.post(f"tournaments/{number}/start").json()["code"] == "other_competition"
    assert of_coup.post("tournaments", new(bots)).json()["code"] == "other_competition"


def test_what_the_service_refuses_is_a_problem(organizer, user, competition):
    [only] = activate(user, competition, ["Rita"])
    response = organizer.post("tournaments", new([only.bot_id]))

    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/bots"
    assert rights.may_organize(user) is False
