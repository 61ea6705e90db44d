"""Bots at home play challenges alone: whose they are, when they are played, and that they never count."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import services as bots
from agon.site.bots.models import Bot, HomeLine, Submission
from agon.site.bots.refusal import Refused
from agon.site.challenges import progress
from agon.site.challenges import services as challenges
from agon.site.challenges.services import NotChallenged
from agon.site.competitions.models import Competition
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import home_queue, leases, queueing
from agon.site.matches.models import Match, WorkerTime
from tests.agon.site.api.conftest import Program
from tests.support.at_home import HOME, bea, bob, connect, hal, homer, playing, program, rps
from tests.support.factories import activate, duel

__all__ = ["bea", "bob", "hal", "homer", "program", "rps"]
pytestmark = pytest.mark.django_db


def test_only_its_owner_runs_it(program, bob, homer, bea):
    theirs = Program(bob)
    assert theirs.post(f"home-bots/{homer.pk}/line", {}).status_code == 403
    assert theirs.get(f"home-bots/{homer.pk}/asks?line=0").status_code == 403
    assert theirs.post(f"home-bots/{bea.pk}/line", {}).status_code == 404  # it plays here
    assert Program(homer.owner, ("read",)).post(f"home-bots/{homer.pk}/line", {}).status_code == 403


def test_a_name_is_of_a_bot_at_home_or_of_uploads(program, user, rps, homer):
    assert program.post("competitions/rps/home-bots", {"name": "Homer"}).json()["id"] == homer.pk
    activate(user, rps, ["Ada"])
    refused = program.post("competitions/rps/home-bots", {"name": "Ada"})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/name")
    with pytest.raises(Refused, match="Homer plays at home") as why:
        bots.receive(user, rps, "Homer", "bot.py", b"def f(): pass\n")
    assert why.value.field == "name"
    assert Submission.objects.filter(bot=homer).count() == 1
    for name in ("a\u202eb", "x" * 5000, " "):
        assert program.post("competitions/rps/home-bots", {"name": name}).status_code == 422
    assert program.post("competitions/rps/home-bots", {"name": "a\0"}).status_code == 400


def test_no_more_are_made_within_an_hour_than_programs_are_uploaded(program, rps, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 2
    for name in ("Homer", "Marge", "Marge"):
        made = program.post("competitions/rps/home-bots", {"name": name})
        assert made.status_code == 200
    assert program.delete(f"bots/{made.json()['id']}").status_code == 200
    refused = program.post("competitions/rps/home-bots", {"name": "Marge"})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota")
    assert "You have made 2 submissions within an hour" in refused.json()["detail"]
    assert Bot.objects.count() == 2


def test_a_game_that_runs_a_program_for_each_move_has_no_bots_at_home(program, db):
    Competition.objects.create(slug="coup", game="coup", title="Coup")
    refused = program.post("competitions/coup/home-bots", {"name": "Homer"})
    assert refused.status_code == 422
    assert "anew for each move" in refused.json()["detail"]


def test_one_is_made_and_opened_by_pages(user, bob, rps, bea):
    owner, stranger = Client(), Client()
    owner.force_login(user)
    stranger.force_login(bob)
    upload = owner.get("/c/rps/submit/").content.decode()
    assert 'href="/c/rps/home-bots/new/"' in upload
    for name in ("", " ", "a\u202eb", "x" * 5000, "a\0", "Bea"):
        refused = owner.post("/c/rps/home-bots/new/", {"name": name})
        assert refused.status_code == 422, name
        assert not Bot.objects.filter(home=True).exists(), name

    made = owner.post("/c/rps/home-bots/new/", {"name": "Homer"})

    bot = Bot.objects.get(home=True)
    assert (bot.name, bot.owner, made["Location"]) == ("Homer", user, f"/bots/{bot.pk}/")
    page = owner.get(f"/bots/{bot.pk}/").content.decode()
    assert re.search(r'agon connect bot.py --site http\S+/ --bot "Homer"', page)
    assert "Let everyone challenge it" in page
    assert "Let everyone challenge it" not in stranger.get(f"/bots/{bot.pk}/").content.decode()
    for reader, sent, is_open in (
        (stranger, "yes", False),
        (owner, "yes", True),
        (stranger, "no", True),
        (owner, "no", False),
    ):
        answer = reader.post(f"/bots/{bot.pk}/open/", {"is_open": sent})
        assert answer.status_code == (302 if reader is owner else 404)
        assert HomeLine.objects.get(bot=bot).is_open is is_open
    assert stranger.post(f"/bots/{bea.pk}/open/", {"is_open": "yes"}).status_code == 404, "it is uploaded"
    Competition.objects.update(state=Competition.State.CLOSED)
    closed = owner.post("/c/rps/home-bots/new/", {"name": "Marge"})
    assert (closed.status_code, Bot.objects.filter(home=True).count()) == (422, 1)


def test_the_owner_says_whether_others_may_challenge_it(program, user, bob, homer, bea):
    with pytest.raises(NotChallenged, match="only its owner may challenge it") as why:
        challenges.start(bob, bea, [homer], 2)
    assert why.value.field == "opponents"
    listed = [item["name"] for item in Program(bob).get("competitions/rps/bots").json()["items"]]
    assert listed == ["Bea"]
    assert program.post("competitions/rps/home-bots", {"name": "Homer", "is_open": True}).json()["is_open"]
    listed = Program(bob).get("competitions/rps/bots").json()["items"]
    assert {bot["name"]: bot["home"] for bot in listed} == {"Bea": False, "Homer": True}
    assert challenges.start(bob, bea, [homer], 2).matches.filter(queue="home").count() == 2


def test_what_a_bot_at_home_plays_never_counts(program, user, competition, bob, homer, hal, bea, rps):
    """Not for ratings, first wins, or worker time: nothing but its challenge shows it."""
    ladder.top_up(rps)
    before = list(Rating.objects.order_by("pk").values())
    rated = set(Match.objects.values_list("pk", flat=True))
    connect(program, homer)
    made = challenges.start(user, homer, [bea], 2)
    while (match := leases.claim("w", HOME)) is not None:
        assert leases.finish(match, duel(match, ["Homer", "Bea"]))
        progress.tick()
    made.refresh_from_db()
    assert made.state == "finished"
    ladder.top_up(rps)

    assert list(Rating.objects.order_by("pk").values()) == before
    assert "Homer" not in [row.bot for row in rows(rps)]
    new = Match.objects.exclude(pk__in=rated).exclude(challenge=made)
    assert not new.filter(seats__submission__bot=homer).exists()
    assert not WorkerTime.objects.exists()
    homer.refresh_from_db()
    assert (homer.active, homer.first_win_shown) == (None, None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.filter(pk=homer.pk).update(active=homer.submissions.get())
    data = program.get(f"matches/{made.matches.first().pk}").json()
    assert (data["kind"], {seat["name"]: seat["at_home"] for seat in data["seats"]}) == (
        "challenge",
        {"Homer": True, "Bea": False},
    )


def test_pages_show_a_plug_and_no_program(program, user, homer, hal):
    connect(program, homer)
    match = playing(user, homer, hal)
    assert leases.finish(match, duel(match, ["Hal", "Homer"]))
    browser = Client()
    browser.force_login(user)

    def page(path: str) -> str:
        return browser.get(path).content.decode()

    plug = '<span class="hidden-visually">at home</span>'
    shown = page(f"/bots/{homer.pk}/")
    assert "This bot plays at home" in shown
    assert "connected" in shown
    assert "no active version" not in shown
    assert f"#{match.pk}" in shown
    for path in (f"/bots/{homer.pk}/", f"/matches/{match.pk}/", "/c/rps/matches/", "/challenges/"):
        assert plug in page(path), path
    assert "?again=" not in page("/c/rps/matches/") + page(f"/matches/{match.pk}/")
    assert "Homer" not in page("/c/rps/")
    assert plug not in page(f"/bots/{hal.pk}/").split("<h1>")[1].split("</h1>")[0]
    version = homer.submissions.get()
    for path in ("", "source", "code/", "diff/", "compare/"):
        assert browser.get(f"/submissions/{version.pk}/{path}").status_code == 404, path
    assert f'href="/bots/{homer.pk}/"' in page("/u/ada/")


def test_no_tournament_takes_it(homer, hal, bea):
    boss = Program(User.objects.create_superuser("boss"))
    body = {"competition": "rps", "format": "round_robin", "rounds": 1}
    every = boss.post("tournaments", body | {"name": "All", "bots": [hal.pk, bea.pk]}).json()["id"]
    chosen = boss.post("tournaments", body | {"name": "Some", "bots": [homer.pk, bea.pk]}).json()["id"]
    assert boss.post(f"tournaments/{every}/start", {"reason": "why"}).status_code == 200
    refused = boss.post(f"tournaments/{chosen}/start", {"reason": "why"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "Homer has no active submission.")
    assert set(Match.objects.values_list("seats__name", flat=True)) == {"Hal", "Bea"}


def test_its_matches_wait_for_it_and_for_nothing_else(program, user, bob, homer, hal, bea):
    """A match that waits, or is played for as long as somebody takes, holds no other match up."""
    challenges.start(user, homer, [hal], 2)
    assert leases.claim("w", HOME) is None  # it is not connected
    page = Client().get(Match.objects.earliest("pk").get_absolute_url()).content.decode()
    assert "It is played as soon as its bots at home are connected" in page
    assert leases.claim("w") is None  # and for no other worker
    line = connect(program, homer)
    match = leases.claim("w", HOME)
    assert match is not None
    assert leases.claim("w", HOME) is None  # one at a time

    activate(bob, match.competition, ["Bob"])
    challenges.start(bob, Bot.objects.get(name="Bob"), [hal], 2)
    claimed = leases.claim("w2")
    assert claimed is not None
    assert claimed.queue == Match.Queue.BULK

    assert leases.finish(match, duel(match, ["Homer"]))
    HomeLine.objects.update(seen=timezone.now() - timedelta(minutes=5))
    assert leases.claim("w", HOME) is None
    assert program.get(f"home-bots/{homer.pk}/asks?line={line}").status_code == 200
    assert leases.claim("w", HOME) is not None
    assert queueing.read_matches(match__queue=Match.Queue.HOME) == []


def test_two_workers_that_look_at_the_same_moment_begin_one_match_of_a_bot(
    program, user, homer, hal, monkeypatch
):
    connect(program, homer)
    for _ in range(2):
        challenges.start(user, homer, [hal], 2)
    look = home_queue.candidates

    def look_before_the_other_claims(queued):
        found = look(queued)
        monkeypatch.setattr(home_queue, "candidates", look)
        assert leases.claim("other", HOME) is not None
        return found

    monkeypatch.setattr(home_queue, "candidates", look_before_the_other_claims)
    assert leases.claim("w", HOME) is None


def test_authors_take_turns(program, user, bob, homer, hal, rps):
    theirs = bots.enter_at_home(bob, rps, "Lisa")
    for owner, bot in ((user, homer), (bob, theirs)):
        connect(Program(owner), bot)
        challenges.start(owner, bot, [hal], 4)
    order = []
    for _ in range(4):
        match = leases.claim("w", HOME)
        order.append(match.challenge.challenger.bot.name)
        assert leases.finish(match, duel(match, []))
    assert order == ["Homer", "Lisa", "Homer", "Lisa"]


def test_without_a_clock_house_bots_are_played_alone_and_one_at_a_time(
    program, user, bob, homer, hal, bea, rps
):
    connect(program, homer, no_clock=True)
    against_bea = challenges.start(user, homer, [bea], 2)
    assert leases.claim("w", HOME) is None
    progress.cancel(against_bea)
    challenges.start(user, homer, [hal], 2)
    match = leases.claim("w", HOME)
    assert match is not None
    theirs = bots.enter_at_home(bob, rps, "Lisa")
    connect(Program(bob), theirs, no_clock=True)
    challenges.start(bob, theirs, [hal], 2)
    assert leases.claim("w2", HOME) is None
    connect(Program(bob), theirs)
    assert leases.claim("w2", HOME) is not None


def test_a_challenge_whose_bot_stays_away_for_a_day_is_cancelled(user, homer, hal):
    made = challenges.start(user, homer, [hal], 2)
    progress.tick()
    Match.objects.update(created=timezone.now() - timedelta(days=1, minutes=1))
    HomeLine.objects.update(seen=timezone.now())
    progress.tick()
    made.refresh_from_db()
    assert made.state == "running"
    HomeLine.objects.update(seen=timezone.now() - timedelta(days=1, minutes=1))
    progress.tick()
    made.refresh_from_db()
    assert (made.state, str(made.reason)) == (
        "cancelled",
        "A bot that plays at home was not connected for a day.",
    )


# --- the worker's end -------------------------------------------------------------------------------------
