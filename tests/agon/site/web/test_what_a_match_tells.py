"""What the pages of a match tell its readers: the points, what each bet paid, and where a function failed."""

import re
from collections import Counter
from fractions import Fraction
from html import unescape

import pytest
from django.test import Client

from agon.contest.adapters import adapter_of
from agon.contest.arena import Played, Player, box_limits, play
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from games.core.compliance import scripted
from games.core.manifest import load
from games.core.record import SeatInfo
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import read_upload
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate, samurai

NAMES = ["Rita", "Sue", "Tom", "Una"]


def entered(user, game: str, count: int) -> Match:
    """A match of so many bots in a competition of that game, claimed by a worker."""
    competition = Competition.objects.create(slug=game, game=game, title=game)
    Leaderboard.objects.create(competition=competition)
    four = activate(user, competition, NAMES[:count])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four, seed=4)
    claimed = leases.claim("w")
    assert claimed is not None
    return claimed


def finished(match: Match, bots) -> Match:
    """The match, played by functions from a request to a reply."""
    driver = scripted.play(match.competition.info, bots, match.seed)
    seats = [SeatInfo(seat.name, seat.submission.digest) for seat in match.seats.order_by("number")]
    log = driver.log(seats, "2026-01-01T00:00:00+00:00", 0.25)
    assert leases.finish(match, Played(log, (b"",) * len(seats), driver.files, 0.25))
    return Match.objects.get(pk=match.pk)


def text_of(client: Client, address: str) -> str:
    """What a reader of the page sees, in one line."""
    response = client.get(address)
    assert response.status_code == 200, address
    body = re.sub(r"<(script|style|svg|head).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_points_are_a_mixed_number_wherever_they_are_shown(client, user) -> None:
    match = finished(entered(user, "samurai", 4), [samurai(lord) for lord in range(4)])
    scores = {seat.name: Fraction(seat.score) for seat in match.seats.all()}
    broken = [score for score in scores.values() if score.denominator > 1 and abs(score) > 1]
    assert broken, scores
    bot = match.seats.first().submission.bot
    here = match.get_absolute_url()
    pages = [here, f"{here}?raw=1", f"{here}embed/", "/c/samurai/matches/", "/c/samurai/", "/"]
    pages.append(bot.get_absolute_url())
    for page in pages:
        shown = text_of(client, page)
        improper = [
            fraction[0]
            for fraction in re.finditer(r"(?<![\d.])(\d+)/(\d+)", shown)
            if int(fraction[1]) > int(fraction[2])
        ]
        assert improper == [], page
    for page in (here, f"{here}embed/", "/c/samurai/matches/"):
        shown = text_of(client, page)
        for score in broken:
            whole, rest = divmod(abs(score), 1)
            assert f"{'−' if score < 0 else ''}{whole} {rest}" in shown, page
    told = text_of(client, here).split("Transcript")[1]
    assert set(re.findall(r"stands at (.*?) points", told)) >= {
        f"{'−' if score < 0 else ''}{abs(score) // 1} {abs(score) % 1}" for score in broken
    }


def test_camel_up_tells_on_the_page_of_a_match_which_bet_paid_what(client, user) -> None:
    """Each begins with two coins; what the lines of the transcript say is what the result says."""
    bets = ["[2, 2]", "[2, 2]", "[2, 4]", "[4, 2]", "[3, 2]", "[3, 2]", "[4, 3]"]
    match = finished(
        entered(user, "camel_up", 4), [lambda r: bets[r.step] if r.step < len(bets) else "[0]"] * 4
    )
    lines = transcript(client, match)
    coins = Counter(dict.fromkeys(NAMES, 2))
    for name, text in lines:
        if text.startswith(("rolls", "earns a coin")):
            coins[name] += 1
        elif paid := re.match(r"(gets|loses) (\d+|a) coins?: camel \d, bet on the (round|winner|last)", text):
            coins[name] += (
                1 if paid[2] == "a" and paid[1] == "gets" else -1 if paid[2] == "a" else int(paid[2])
            )
    assert coins == {seat.name: int(seat.score) for seat in match.seats.all()}
    of_round = [line for line in lines if line[1].endswith("bet on the round")]
    assert [name for name, _ in of_round] == NAMES[:3]
    assert sum("bet on the winner" in text or "bet on the last" in text for _, text in lines) == 4


def transcript(client: Client, match: Match) -> list[tuple[str, str]]:
    """Who is said to have done what, in the transcript."""
    body = client.get(match.get_absolute_url()).content.decode()
    entries = re.findall(r'class="said-by">(.*?)</span>\s*<span>(.*?)</span>', body, re.DOTALL)
    return [(name, " ".join(text.split())) for name, text in entries]


LOST = b"""
def helper(pasts):
    return pasts[7]

def lost(*pasts):
    return helper(pasts)
"""
STONE = b"def stone(*pasts):\n    return 'R'\n"


@pytest.mark.slow
def test_an_exception_in_a_function_is_a_crash_with_the_authors_own_traceback(user, bob, settings) -> None:
    match = entered(user, "honest_rps", 2)
    info, sandbox = load("honest_rps"), open_sandbox("bubblewrap")
    pool = Pool(sandbox, box_limits(info))
    try:
        players = []
        for seat, (name, source) in zip(
            match.seats.order_by("number"), {"lost.py": LOST, "stone.py": STONE}.items(), strict=True
        ):
            made = build(read_upload(name, source), sandbox, settings.AGON_ARTIFACTS, adapter_of(info))
            assert made.artifact is not None, made.reason
            players.append(Player(seat.name, made.artifact, seat.submission.digest))
        played = play(info, players, match.seed, pool)
    finally:
        pool.close()
        sandbox.close()
    assert leases.finish(match, played)
    here = match.get_absolute_url()
    reason = "round 1, claim: the function raised IndexError: tuple index out of range (lost.py, line 3)"
    owner = browser_of(user)
    for page in (here, f"{here}?raw=1"):
        shown = text_of(owner, page)
        assert reason in shown
        assert "crashed" in shown
        assert "illegal" not in shown.lower()
        assert not re.search("READY|adapter|function_runner", shown)
    response = owner.get(f"{here}stderr/0")
    written = b"".join(response).decode() if response.streaming else response.content.decode()
    assert re.findall(r'File ".*?([^/"]+)", line (\d+)', written) == [("lost.py", "6"), ("lost.py", "3")]
    assert browser_of(bob).get(f"{here}stderr/0").status_code in (403, 404)
