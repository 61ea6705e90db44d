"""Bots at home: their lines, their answers, and that they never count."""

import asyncio
import time
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agon.contest import arena
from agon.contest.at_home import HomePlayer
from agon.site.accounts.models import User
from agon.site.bots import at_home
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
from agon.site.matches import home_asks, leases, queueing
from agon.site.matches.home_asks import NotTaken
from agon.site.matches.models import HomeAsk, Match, WorkerTime
from agon.site.matches.states import State
from agon.site.use_cases import leaving_play
from agon.site.web.core import body_limit
from agon.site.workers import home_seats
from games.core.manifest import load
from sandbox.api import Failed, Line
from tests.support.at_once import outcomes_at_once
from tests.support.factories import activate, duel

from .conftest import Program

pytestmark = pytest.mark.django_db
HOME = [Match.Queue.HOME]


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def homer(user, rps) -> Bot:
    return bots.enter_at_home(user, rps, "Homer")


@pytest.fixture
def hal(bob, rps) -> Bot:
    """A house bot."""
    bot = activate(bob, rps, ["Hal"])[0].bot
    Bot.objects.filter(pk=bot.pk).update(house=True)
    return bot


@pytest.fixture
def bea(bob, rps) -> Bot:
    return activate(bob, rps, ["Bea"])[0].bot


@pytest.fixture
def program(user) -> Program:
    return Program(user)


def connect(program: Program, bot: Bot, no_clock: bool = False) -> int:
    answer = program.post(f"home-bots/{bot.pk}/line", {"no_clock": no_clock})
    assert answer.status_code == 200, answer.content
    return int(answer.json()["line"])


def put(program: Program, bot: Bot, **answer):
    return program._send("put", f"home-bots/{bot.pk}/answers", answer, {})


def playing(user, bot, opponent) -> Match:
    challenges.start(user, bot, [opponent], 2)
    match = leases.claim("w", HOME)
    assert match is not None
    return match


def seat_of(match: Match, bot: Bot) -> int:
    return int(match.seats.get(submission__bot=bot).number)


def test_an_answer_is_taken_once_and_what_comes_too_late_or_for_another_seat_is_refused(
    program, user, homer, hal
):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    ask = home_asks.put(match, seat, 0, b"first", 1.0)
    [asked] = program.get(f"home-bots/{homer.pk}/asks?line={line}").json()["asks"]
    place = {"line": line, "match": match.pk, "attempt": 1, "seat": seat, "step": 0}
    assert asked == {name: place[name] for name in ("match", "attempt", "seat", "step")} | {
        "text": "first",
        "limit_s": 1.0,
    }

    def answer(**changes):
        found = put(program, homer, **(place | {"text": "R"} | changes))
        return found.status_code, found.json()

    assert answer(step=1)[0] == 409
    assert "has not been asked" in answer(step=1)[1]["detail"]
    assert answer(seat=1 - seat)[0] == answer(match=match.pk + 999)[0] == 404
    assert answer(text="R\nP")[1]["errors"][0]["pointer"] == "/text"
    assert answer(text="x" * 70_000)[0] == 422
    assert answer(match=10**40)[0] == 404
    assert answer(text="a\0b")[0] == 400
    assert answer() == (200, {"repeated": False})
    assert answer() == (200, {"repeated": True})
    assert "answered before, otherwise" in answer(text="P")[1]["detail"]
    assert bytes(HomeAsk.objects.get(pk=ask.pk).answer) == b"R"
    nothing = program.get(f"home-bots/{homer.pk}/asks?line={line}")
    assert nothing.json() == {"asks": []}
    assert nothing["RateLimit-Policy"].startswith('"answer";q=2400')  # it is asked many times in a match

    late = home_asks.put(match, seat, 1, b"second", 1.0)
    assert home_asks.close(late)
    status, problem = answer(step=1)
    assert (status, problem["code"]) == (409, "conflict")
    assert problem["detail"] == "Too late: the match has gone on without an answer to step 1."

    home_asks.end(match)
    Match.objects.update(state=State.FINISHED)
    assert answer() == (200, {"repeated": True})  # its sender may still not know
    assert answer(step=7)[1]["detail"] == f"Match {match.pk} is not being played."


def test_an_answer_to_an_earlier_attempt_is_refused(program, user, homer, hal):
    """The worker died, and the match was begun again with another seed: nothing of the first one counts."""
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    home_asks.put(match, seat, 0, b"first", 1.0)
    Match.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1
    again = leases.claim("w2", HOME)
    assert (again, again.attempt) == (match, 2)
    home_asks.put(again, seat, 0, b"first of the second", 1.0)

    [asked] = program.get(f"home-bots/{homer.pk}/asks?line={line}").json()["asks"]
    assert (asked["attempt"], asked["text"]) == (2, "first of the second")
    place = {"line": line, "match": match.pk, "seat": seat, "step": 0, "text": "R"}
    refused = put(program, homer, attempt=1, **place)
    assert (refused.status_code, "begun again" in refused.json()["detail"]) == (409, True)
    assert put(program, homer, attempt=2, **place).json() == {"repeated": False}


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_of_answers_that_come_at_once_one_is_taken_and_the_worker_gives_up_only_without_one(user, homer, hal):
    at_home.take_over(homer.pk, no_clock=False)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    for step in range(4):
        ask = home_asks.put(match, seat, step, b"ask", 1.0)
        place = home_asks.Place(match.pk, 1, seat, step)
        acts = [partial(home_asks.take, homer.line, place, text) for text in (b"R", b"R", b"P", b"P")]
        outcomes = outcomes_at_once([*acts, partial(home_asks.close, ask)])
        ask.refresh_from_db()
        assert all(isinstance(each, bool | NotTaken) for each in outcomes), outcomes
        assert outcomes.count(True) == 1  # taken, or closed
        assert (ask.state == "answered") == (ask.answer is not None)


def test_the_newer_of_two_connections_takes_over_and_the_former_is_told(program, user, homer, hal):
    first = connect(program, homer)
    match = playing(user, homer, hal)
    home_asks.put(match, seat_of(match, homer), 0, b"first", 1.0)
    second = connect(program, homer)
    place = {"match": match.pk, "attempt": 1, "seat": seat_of(match, homer), "step": 0, "text": "R"}

    for answer in (
        program.get(f"home-bots/{homer.pk}/asks?line={first}"),
        put(program, homer, line=first, **place),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "taken_over")
    assert len(program.get(f"home-bots/{homer.pk}/asks?line={second}").json()["asks"]) == 1
    assert put(program, homer, line=second, **place).json() == {"repeated": False}
    assert program.delete(f"home-bots/{homer.pk}/line?line={first}").status_code == 204  # changes nothing
    assert program.get(f"home-bots/{homer.pk}/asks?line={second}").status_code == 200


def test_a_bot_that_was_started_anew_is_told_the_match_so_far(program, user, homer, hal):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    for step in range(3):
        home_asks.put(match, seat, step, b"ask %d" % step, 1.0)
        if step < 2:
            place = {"line": line, "match": match.pk, "attempt": 1, "seat": seat, "step": step}
            assert put(program, homer, **place, text=f"answer {step}").status_code == 200
    told = program.get(f"home-bots/{homer.pk}/asks/{match.pk}?seat={seat}").json()["asks"]
    assert [(each["step"], each["text"], each["answer"]) for each in told] == [
        (0, "ask 0", "answer 0"),
        (1, "ask 1", "answer 1"),
    ]


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


def test_a_game_that_runs_a_program_for_each_move_has_no_bots_at_home(program, db):
    Competition.objects.create(slug="coup", game="coup", title="Coup")
    refused = program.post("competitions/coup/home-bots", {"name": "Homer"})
    assert refused.status_code == 422
    assert "anew for each move" in refused.json()["detail"]


def test_the_owner_says_whether_others_may_challenge_it(program, user, bob, homer, bea):
    with pytest.raises(NotChallenged, match="lets nobody else challenge it") as why:
        challenges.start(bob, bea, [homer], 2)
    assert why.value.field == "opponents"
    listed = [each["name"] for each in Program(bob).get("competitions/rps/bots").json()["items"]]
    assert listed == ["Bea"]
    assert program.post("competitions/rps/home-bots", {"name": "Homer", "is_open": True}).json()["is_open"]
    listed = Program(bob).get("competitions/rps/bots").json()["items"]
    assert {each["name"]: each["home"] for each in listed} == {"Bea": False, "Homer": True}
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
    found = program.get(f"matches/{made.matches.first().pk}").json()
    assert (found["kind"], {each["name"]: each["at_home"] for each in found["seats"]}) == (
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
    other = leases.claim("w2")
    assert other is not None
    assert other.queue == Match.Queue.BULK

    assert leases.finish(match, duel(match, ["Homer"]))
    HomeLine.objects.update(seen=timezone.now() - timedelta(minutes=5))
    assert leases.claim("w", HOME) is None
    assert program.get(f"home-bots/{homer.pk}/asks?line={line}").status_code == 200
    assert leases.claim("w", HOME) is not None
    assert queueing.read_matches(match__queue=Match.Queue.HOME) == []


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


def home_seat(match: Match, bot: Bot, slow: bool = False) -> home_seats.HomeSeat:
    seat = match.seats.select_related("submission").get(submission__bot=bot)
    return home_seats.HomeSeat(match, seat, slow)


def test_a_lost_line_pauses_the_match_and_then_the_seat_forfeits(program, user, homer, hal, monkeypatch):
    monkeypatch.setattr(home_seats, "GRACE", 0.1)
    monkeypatch.setattr(home_seats, "PAUSE", 0.4)
    connect(program, homer)
    seat = home_seat(playing(user, homer, hal), homer)
    began = time.monotonic()
    seat.ask(0, b"first\n", 0.1)
    failed = seat.answer()
    waited = time.monotonic() - began
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.reason.code) == ("timeout", "home_line_lost")
    assert waited >= 0.6
    assert HomeAsk.objects.get().state == "late"
    seat.ask(1, b"second\n", 100.0)  # it is not asked any more, and nobody waits
    assert seat.answer().reason.code == "home_line_lost"
    assert HomeAsk.objects.count() == 1


def test_the_pause_is_for_the_whole_match(program, user, homer, hal, monkeypatch):
    monkeypatch.setattr(home_seats, "GRACE", 0.0)
    monkeypatch.setattr(home_seats, "PAUSE", 1.0)
    connect(program, homer)
    seat = home_seat(playing(user, homer, hal), homer)
    seat._began, seat._asked = time.monotonic() - 1, time.monotonic() - 0.7
    seat._ask = home_asks.put(seat._match, seat._seat, 0, b"first", 0.1)
    assert home_asks.take(homer.line, home_asks.Place(seat._match.pk, 1, seat._seat, 0), b"R")
    seat._limit = 0.1
    assert isinstance(seat.answer(), Line)
    assert 0.5 < seat._paused < 0.9
    seat.ask(1, b"second\n", 0.0)
    assert seat.answer().reason.code == "home_line_lost"


@pytest.mark.parametrize("leave", [leaving_play.delete, leaving_play.withdraw])
def test_a_bot_that_leaves_while_it_plays_forfeits_at_once(program, user, homer, hal, leave):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = home_seat(match, homer)
    leave(homer, user)
    began = time.monotonic()
    seat.ask(0, b"first\n", 60.0)
    assert seat.answer().reason.code == "home_left"
    assert time.monotonic() - began < 30
    refused = program.get(f"home-bots/{homer.pk}/asks?line={line}")
    assert refused.status_code == 409, refused.content
    assert leases.claim("w", HOME) is None


def test_without_a_clock_an_hour_is_the_only_limit(program, user, homer, hal, monkeypatch):
    monkeypatch.setattr(home_seats, "GRACE", 0.0)
    monkeypatch.setattr(home_seats, "PAUSE", 0.0)
    connect(program, homer, no_clock=True)
    seat = home_seat(playing(user, homer, hal), homer, slow=True)
    seat.ask(0, b"first\n", 0.0)
    seat._look()
    assert seat._why_to_give_up() is None
    seat._began = time.monotonic() - home_seats.LONGEST_NO_CLOCK - 1
    assert seat.answer().reason.code == "home_too_long"


def test_what_a_bot_at_home_says_is_judged_as_what_one_in_a_box_says(transactional_db, monkeypatch):
    """One is fine; of the other the first line is too long, a later one is no move."""

    class Scripted:
        def __init__(self, *lines: bytes) -> None:
            self.lines, self.asked = list(lines), []

        def ask(self, step, line, limit_s):
            self.asked.append((step, line))

        def answer(self):
            return Line(self.lines[min(len(self.asked), len(self.lines)) - 1])

    info = load("honest_rps")
    fine, wrong = Scripted(b"READY", b"R"), Scripted(b"READY", b"x" * 600, b"nonsense")
    played = arena.play(info, [HomePlayer("A", fine), HomePlayer("B", wrong)], 7, pool=None)
    assert [str(fault.kind) for fault in played.log.faults] == ["flood"]
    assert [seat.submission for seat in played.log.seats] == ["", ""]
    assert fine.asked[0] == (-1, b"")
    assert fine.asked[1][1].endswith(b"\n")


def test_a_hundred_megabytes_are_refused_before_they_are_read():
    read = []

    async def receive():
        read.append(1 << 20)
        return {"type": "http.request", "body": b"x" * (1 << 20), "more_body": True}

    said = []

    async def send(message):
        said.append(message)

    async def account(scope):
        return "1"

    async def never(scope, receive, send):
        raise AssertionError("no view sees it")

    visitor = body_limit.Visitor(lambda scope: "1.2.3.4", account)
    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/api/v1/home-bots/7/answers",
        "headers": [(b"content-length", b"104857600")],
    }
    asyncio.run(body_limit.limited(never, visitor)(scope, receive, send))
    assert said[0]["status"] == 413
    assert b"at most 400 KiB" in said[1]["body"]
    assert sum(read) <= 2 << 20
