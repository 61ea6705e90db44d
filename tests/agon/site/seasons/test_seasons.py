"""A season's board: which tournaments count, whom it shows, and that its exports are enough to compute it."""

import csv
import io
import itertools
import json
from collections import defaultdict
from fractions import Fraction

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.seasons import queries, services
from agon.site.seasons.models import Season
from agon.site.seasons.services import BadSeason, Wanted
from agon.site.tokens.services import issue
from agon.site.tournaments import running, scheduling
from agon.site.tournaments import services as tournaments
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from tests.support.factories import activate, duel

pytestmark = pytest.mark.production
OWNERS = ["ann", "ben", "cyn"]
Release = Tournament.Release


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def desk(boss):
    browser = Client()
    browser.force_login(boss)
    return browser


@pytest.fixture
def people(db):
    return {name: User.objects.create_user(name) for name in OWNERS}


@pytest.fixture
def play(boss, people):
    """Play a tournament of one bot each, and a house bot, in a competition of its own; best first."""
    numbers = itertools.count(1)

    def play(order, name="", release=Release.PUBLIC):
        number = next(numbers)
        place = Competition.objects.create(slug=f"rps{number}", game="honest_rps", title=f"RPS {number}")
        bots = [activate(people[owner], place, [f"{owner} {number}"])[0].bot for owner in OWNERS]
        house = activate(boss, place, [f"House {number}"])[0].bot
        Bot.objects.filter(pk=house.pk).update(house=True)
        cup = tournaments.create(boss, place, name or f"Cup {number}", "round_robin", 1, 1, [*bots, house])
        running.release(cup, release, boss, "It is time.")
        tournaments.start(cup, boss)
        strengths = [f"House {number}", *(f"{owner} {number}" for owner in order)]
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, strengths))
        scheduling.tick()
        cup.refresh_from_db()
        assert cup.state == State.FINISHED
        return cup

    return play


def season(boss, cups, kind="table", table=(10, 6, 3), best=None):
    return services.create(boss, Wanted("Season", kind, list(table), best, cups))


def totals(a_season):
    board = queries.board(a_season)
    return {board.names[row.competitor]: (row.rank, row.total) for row in board.rows}


def test_places_of_people_make_the_board_over_several_competitions(boss, play):
    cups = [play(["ann", "ben", "cyn"]), play(["ben", "ann", "cyn"]), play(["cyn", "ann", "ben"])]
    new_season = season(boss, cups)
    # The house bot won all three, and takes no place.
    assert totals(new_season) == {"ann": (1, 22), "ben": (2, 19), "cyn": (3, 16)}
    page = Client().get(new_season.get_absolute_url()).content.decode()
    for cup in cups:
        assert cup.get_absolute_url() in page
        assert new_season.get_absolute_url() in Client().get(cup.get_absolute_url()).content.decode()
    assert not any(f"House {number}" in page for number in (1, 2, 3))


@pytest.mark.exhaustive
def test_only_the_best_count_and_equal_totals_share_a_rank(boss, play):
    cups = [play(["ann", "ben", "cyn"]), play(["ben", "ann", "cyn"]), play(["cyn", "ann", "ben"])]
    new_season = season(boss, cups, best=1)
    assert totals(new_season) == {"ann": (1, 10), "ben": (1, 10), "cyn": (1, 10)}
    assert '<del class="muted"' in Client().get(new_season.get_absolute_url()).content.decode()
    new_season = season(boss, cups, kind="mean", table=())
    assert totals(new_season) == {
        "ann": (1, Fraction(2, 3)),
        "ben": (2, Fraction(1, 2)),
        "cyn": (3, Fraction(1, 3)),
    }


def test_what_is_held_back_or_not_over_counts_for_no_one_and_is_told_to_no_one(boss, play, desk):
    cup, held = play(["ann", "ben", "cyn"]), play(["cyn", "ben", "ann"], "Secret", Release.ORGANIZERS)
    draft = tournaments.create(
        boss, cup.competition, "Hidden draft", "round_robin", 1, 1, list(cup.competition.bots.all())
    )
    new_season = season(boss, [cup, held, draft])
    before = totals(new_season)
    assert before["ann"] == (1, 10)
    for browser in (Client(), desk):  # not even to its organizer, since what the board says is for everyone
        data = json.loads(browser.get(f"{new_season.get_absolute_url()}board.json").content)
        assert [tournament["id"] for tournament in data["tournaments"]] == [cup.pk]
    page = Client().get(new_season.get_absolute_url()).content.decode()
    assert "Hidden draft" not in page
    assert "Secret" in page  # it was started, so that it takes place is public
    assert "Hidden draft" in desk.get(new_season.get_absolute_url()).content.decode()

    running.release(held, Release.PUBLIC, boss, "It is time.")
    assert totals(new_season) == {"ann": (1, 13), "cyn": (1, 13), "ben": (3, 12)}
    running.release(held, Release.ORGANIZERS, boss, "It is time.")
    assert totals(new_season) == before


def test_a_bot_that_was_disqualified_takes_no_place(boss, play, people):
    cup = play(["ann", "ben", "cyn"])
    Tournament.objects.filter(pk=cup.pk).update(state="running")
    running.disqualify(cup, 0, boss, "it cheated")
    Tournament.objects.filter(pk=cup.pk).update(state="finished")
    assert totals(season(boss, [cup])) == {"ben": (1, 10), "cyn": (2, 6)}


def recomputed(data):
    """The board from the results of the export and the rule, in a way of its own."""
    rule, number = data["rule"], len(data["tournaments"])
    mine = defaultdict(list)
    for result in data["results"]:
        first, shared, entrants = result["place"], result["shared"], result["entrants"]
        if rule["kind"] == "table":
            worth = (rule["table"] + [0] * 1000)[first - 1 : first - 1 + shared]
            points = Fraction(sum(worth)) / shared
        else:
            middle = first + Fraction(shared - 1, 2)
            points = (entrants - middle) / (entrants - 1)
        assert points == Fraction(result["points"])
        mine[result["competitor"]].append(points)
    counted = min(rule["best"] or number, number)
    sums = {
        who: sum(sorted(points, reverse=True)[:counted], Fraction(0))
        / (counted if rule["kind"] == "mean" else 1)
        for who, points in mine.items()
    }
    return {
        who: (1 + sum(other_total > total for other_total in sums.values()), total)
        for who, total in sums.items()
    }


@pytest.mark.first(1)
@pytest.mark.parametrize(("kind", "best"), [("table", None), ("table", 2), ("mean", None), ("mean", 2)])
def test_the_board_can_be_computed_from_its_exports_alone(boss, play, kind, best):
    cups = [play(["ann", "ben", "cyn"]), play(["ben", "ann"]), play(["cyn"])]
    new_season = season(boss, cups, kind, (10, 6, 3), best)
    path = new_season.get_absolute_url()
    data = json.loads(Client().get(f"{path}board.json").content)
    shown = {row["competitor"]: (row["rank"], Fraction(row["total"])) for row in data["board"]}
    assert recomputed(data) == shown
    assert len(shown) == 3

    answer = Client().get(f"{path}board.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    results = [
        {name: int(line[name]) for name in ("competitor", "tournament", "place", "shared", "entrants")}
        | {"points": line["points"]}
        for line in lines
    ]
    again = recomputed({"rule": data["rule"], "tournaments": data["tournaments"], "results": results})
    assert again == {int(line["competitor"]): (int(line["rank"]), Fraction(line["total"])) for line in lines}


def form(cups, **more):
    return {
        "title": "Spring",
        "kind": "table",
        "table": "10 6 3",
        "tournaments": [cup.pk for cup in cups],
    } | more


def test_an_organizer_makes_and_changes_a_season_and_the_log_says_so(boss, desk, play):
    cup, later = play(["ann", "ben", "cyn"]), play(["ben", "ann", "cyn"])
    made = desk.post("/seasons/new/", form([cup]))
    created = Season.objects.get()
    assert made.headers["Location"] == created.get_absolute_url()
    assert f'href="{created.get_absolute_url()}"' in Client().get("/seasons/").content.decode()
    path = f"{created.get_absolute_url()}edit/"
    changed = form([cup, later], title="Autumn", best="1", seen="1", reason="one more")
    assert desk.post(path, changed).status_code == 302
    created.refresh_from_db()
    assert (created.title, created.best, created.revision, created.tournaments.count()) == ("Autumn", 1, 2, 2)
    again = desk.post(path, changed)
    assert (again.status_code, "Someone else has changed this" in again.content.decode()) == (422, True)
    log = list(Act.objects.filter(tournament=None).order_by("pk").values_list("actor", "subject", "reason"))
    assert log[-2:] == [(boss.pk, "Spring", ""), (boss.pk, "Autumn", "one more")]


def test_everyone_sees_what_organizers_changed_and_hidden_drafts_are_named_to_none(boss, desk, play):
    """Who makes the rules after the results cannot do so unseen."""
    cup, later = play(["ann", "ben", "cyn"]), play(["ben", "ann", "cyn"])
    draft = tournaments.create(
        boss, cup.competition, "Hidden draft", "round_robin", 1, 1, list(cup.competition.bots.all())
    )
    new_season = season(boss, [cup, later])
    path = new_season.get_absolute_url()
    assert "Changes by the organizers" not in Client().get(path).content.decode()
    changed = form([later, draft], table="99 1", best="1", seen="1", reason="Ben <b>shall</b> win")
    assert desk.post(f"{path}edit/", changed).status_code == 302
    page = Client().get(path).content.decode()
    told = " ".join(page.partition('id="changes-title"')[2].split())
    assert "boss" in told
    assert "Ben &lt;b&gt;shall&lt;/b&gt; win" in told
    assert "<del>The points of all places are added: 10, 6, 3." in told
    assert "<ins>The points of all places are added: 99, 1." in told
    assert f'<del><a href="{cup.get_absolute_url()}">{cup.name}</a></del>' in told
    assert "Hidden draft" not in page
    again = form([later, draft], table="99 1", best="1", title="Renamed", seen="2", reason="a better name")
    assert desk.post(f"{path}edit/", again).status_code == 302
    mine = desk.get(path).content.decode()
    assert (mine.count('<li class="card stack">'), "Hidden draft" in mine) == (2, True)


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "\u202eevil"}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"title": "x" * 5000}, "title"),
        ({"kind": "luck"}, "kind"),
        ({"table": ""}, "table"),
        ({"table": "10 x"}, "table"),
        ({"table": "10 -1"}, "table"),
        ({"table": "1 2 3"}, "table"),
        ({"table": "9" * 30}, "table"),
        ({"table": "1 " * 101}, "table"),
        ({"table": "2000000"}, "table"),
        ({"best": "0"}, "best"),
        ({"best": "1e9"}, "best"),
        ({"best": "9" * 40}, "best"),
        ({"tournaments": []}, "tournaments"),
        ({"tournaments": [10**9]}, "tournaments"),
        ({"tournaments": ["x\0"]}, "tournaments"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_kept(desk, boss, rps_draft, fields, field):
    answer = desk.post("/seasons/new/", form([rps_draft]) | fields)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}
    assert not Season.objects.exists()


@pytest.fixture
def rps_draft(boss, people):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = [activate(people[owner], rps, [owner])[0].bot for owner in OWNERS]
    return tournaments.create(boss, rps, "Draft", "round_robin", 1, 1, bots)


def test_no_one_puts_a_draft_that_is_hidden_from_them_into_a_season(rps_draft, people):
    orga = people["ann"]
    with pytest.raises(BadSeason, match="no such tournament") as caught:
        services.create(orga, Wanted("Mine", "mean", [], None, [rps_draft]))
    assert caught.value.field == "tournaments"


def test_who_organizes_nothing_makes_and_changes_none(boss, people, play):
    cup = play(["ann", "ben", "cyn"])
    new_season = season(boss, [cup])
    stranger = Client()
    stranger.force_login(people["ann"])
    for path in ("/seasons/new/", f"{new_season.get_absolute_url()}edit/"):
        assert stranger.get(path).status_code == 404
        assert stranger.post(path, form([cup], seen="1")).status_code == 404
        assert Client().post(path, form([cup], seen="1")).status_code == 302
    assert Season.objects.count() == 1
    assert "New season" not in stranger.get("/seasons/").content.decode()


def test_who_organizes_nothing_any_more_does_not_change_what_they_made(people, play):
    cup = play(["ann", "ben", "cyn"])
    cup.competition.organizers.create(user=people["ann"])
    made = season(people["ann"], [cup])
    browser = Client()
    browser.force_login(people["ann"])
    path = f"{made.get_absolute_url()}edit/"
    assert browser.get(path).status_code == 200
    cup.competition.organizers.all().delete()
    assert browser.get(path).status_code == 404
    assert browser.post(path, form([cup], seen="1")).status_code == 404
    assert browser.post(f"/seasons/{made.pk}/delete/", {"reason": "I lost."}).status_code == 404
    headers = {"authorization": f"Bearer {issue(people['ann'], 'test', ['organize'])[1]}"}
    assert Client().delete(f"/api/v1/seasons/{made.pk}?reason=x", headers=headers).status_code == 403
    assert Season.objects.filter(pk=made.pk, revision=1).exists()


def test_a_tournament_that_was_cancelled_is_not_to_come(boss, rps_draft):
    new_season = season(boss, [rps_draft])
    tournaments.start(rps_draft, boss)
    tournaments.cancel(rps_draft, boss, "The referee was wrong.")
    page = Client().get(new_season.get_absolute_url()).content.decode()
    assert "Not counted yet" not in page
    assert rps_draft.name in page.partition('id="cancelled-title"')[2]
    told = json.loads(Client().get(f"/api/v1/seasons/{new_season.pk}").content)
    assert told["tournaments"] == [rps_draft.pk]


def test_an_empty_site_and_an_empty_season_are_pages(boss, rps_draft):
    assert "No seasons yet" in Client().get("/seasons/").content.decode()
    new_season = season(boss, [rps_draft])
    assert "Nothing counts yet" in Client().get(new_season.get_absolute_url()).content.decode()
    assert json.loads(Client().get(f"{new_season.get_absolute_url()}board.json").content)["board"] == []
    assert Client().get("/seasons/999999/").status_code == 404


def test_a_season_is_made_read_changed_and_deleted_by_program(boss, play):
    first = play(["ann", "ben", "cyn"])
    bots = [entrant.bot for entrant in first.entrants.select_related("bot")]
    second = tournaments.create(boss, first.competition, "A draft", "round_robin", 1, 1, bots)
    headers = {"Authorization": f"Bearer {issue(boss, 'laptop', ['organize'])[1]}"}

    def api(method, path="", body=None, headers=headers):
        sent = json.dumps(body or {})
        answer = Client().generic(method, f"/api/v1/seasons{path}", sent, "application/json", headers=headers)
        return answer.status_code, json.loads(answer.content or b"null")

    wanted = {"title": "Spring", "kind": "table", "table": [3, 1], "tournaments": [second.pk, first.pk]}
    status, made = api("POST", body=wanted)
    assert (status, made["tournaments"]) == (201, [second.pk, first.pk])
    own = f"/{made['id']}"
    assert api("GET")[1]["items"] == [made]
    # Others do not learn of drafts, and the organizer gets all back to change it.
    assert api("GET", own, headers={})[1]["tournaments"] == [first.pk]
    board = api("GET", f"{own}/board", headers={})[1]
    assert [(row["name"], row["total"]) for row in board["board"]] == [
        ("ann", "3"),
        ("ben", "1"),
        ("cyn", "0"),
    ]
    change = wanted | {"title": "Fall", "revision": 1, "reason": "It falls."}
    status, problem = api("PUT", own, change | {"reason": " "})
    assert (status, problem["errors"][0]["pointer"]) == (422, "/reason")
    assert api("PUT", own, change)[1]["revision"] == 2
    assert api("PUT", own, change)[0] == 409
    for changes, pointer in {
        "title": "\u202e",
        "table": [1, 3],
        "best": 0,
        "kind": "sum",
        "tournaments": [10**30],
    }.items():
        status, problem = api("PUT", own, change | {"revision": 2, changes: pointer})
        assert (status, problem["errors"][0]["pointer"]) == (422, f"/{changes}")
    assert api("PUT", own, change | {"revision": 2, "table": [10**9]})[1]["errors"][0]["pointer"] == "/table"
    assert api("DELETE", own)[0] == 422
    assert api("DELETE", f"{own}?reason=twice")[0] == 204
    assert api("DELETE", f"{own}?reason=twice")[0] == 404
    assert Tournament.objects.count() == 2


def test_an_organizer_deletes_a_season_and_the_log_says_which(boss, desk, play):
    season = services.create(boss, Wanted("Spring", "mean", [], None, [play(["ann", "ben"])]))
    others = Client()
    others.force_login(User.objects.get(username="ann"))
    assert others.post(f"/seasons/{season.pk}/delete/").status_code == 404
    assert desk.get(f"/seasons/{season.pk}/delete/").status_code == 405
    answer = desk.post(f"/seasons/{season.pk}/delete/", {"reason": "made\0 twice"}, follow=True)
    assert "The season was deleted." in answer.content.decode()
    assert not Season.objects.exists()
    act = Act.objects.get(verb="delete season")
    assert (act.actor, act.subject, act.reason) == (boss, "Spring", "made twice")
    assert act.details["season"] == season.pk
    assert desk.get(season.get_absolute_url()).status_code == 404
