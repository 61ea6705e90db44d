"""How long a worker waits for a bot at home, and what it makes of the answers."""

import time

import pytest

from agon.contest import arena
from agon.contest.at_home import HomePlayer
from agon.site.bots import artifacts
from agon.site.bots.models import Bot
from agon.site.matches import home_asks, leases
from agon.site.matches.models import HomeAsk, Match
from agon.site.use_cases import leaving_play
from agon.site.workers import home_seats
from games.core.manifest import load
from sandbox.api import Failed, Line
from tests.support.at_home import HOME, bea, bob, connect, hal, homer, playing, program, rps

__all__ = ["bea", "bob", "hal", "homer", "program", "rps"]
pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("no_clock", [True, False])
def test_a_worker_waits_no_longer_in_a_match_that_was_taken_from_it(program, user, homer, hal, no_clock):
    connect(program, homer, no_clock=no_clock)
    match = playing(user, homer, hal)
    seat = home_seat(match, homer, slow=True)
    seat.ask(0, b"first\n", 60.0)
    assert leases.take_away(match, user, "It hangs.")
    began = time.monotonic()
    assert seat.answer().reason.code == "home_gone"
    seat.ask(1, b"second\n", 60.0)  # nothing of this attempt is asked any more
    assert seat.answer().reason.code == "home_gone"
    assert time.monotonic() - began < 30
    assert HomeAsk.objects.count() == 1


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


def test_a_match_that_began_with_a_clock_keeps_it(program, user, homer, hal, monkeypatch):
    """One such match is played at a time, and another one must not become one."""
    monkeypatch.setattr(artifacts, "fetch", lambda submission: None)
    connect(program, homer)
    match = playing(user, homer, hal)
    players = home_seats.players_of(match, list(match.seats.select_related("submission")))
    [seat] = [player.bot for player in players if isinstance(player, HomePlayer)]
    connect(program, homer, no_clock=True)
    seat.ask(0, b"first\n", 0.0)
    seat._began = time.monotonic() - home_seats.LONGEST - 1
    seat._look()
    assert seat._why_to_give_up().code == "home_too_long"


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
