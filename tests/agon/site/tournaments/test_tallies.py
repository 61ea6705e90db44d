"""Standings from kept sums are those from all results, whatever was played, withdrawn and restored before."""

import random

import pytest

from agon.contest.archive.writer import disqualifying
from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments import reruns, scheduling, services, stopped, tallies
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.results import results
from agon.site.tournaments.standings import current_standings
from tests.support.factories import active_bots, duel
from tests.support.reasons import said
from tests.support.standings import compute_standings

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def cup(boss, user, monkeypatch):
    """48 matches in six parts."""
    monkeypatch.setattr(tallies, "PARTS", 6)
    monkeypatch.setattr(tallies, "AT_ONCE", 10)
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES)
    cup = services.create(boss, rps, "Cup", "round_robin", 4, 1, bots, {"ordered": True})
    services.start(cup, boss)
    return cup


@pytest.fixture
def read(monkeypatch):
    """The indexes from which results were read."""
    asked = []
    monkeypatch.setattr(tallies, "results", lambda cup, *part: asked.append(part[0]) or results(cup, *part))
    return asked


def play(number, faulty=()):
    for _ in range(number):
        match = leases.claim("w")
        assert leases.finish(match, duel(match, NAMES, faulty))


def from_all_results(cup):
    names = list(cup.entrants.values_list("name", flat=True))
    out = {entrant.number: entrant.stopped for entrant in cup.entrants.exclude(stopped="")}
    return compute_standings(
        names, results(cup).values(), "score", disqualifying("honest_rps"), out, scheduling.plan(cup)
    )


def same(cup):
    """Whether the kept sums say what all results say."""
    table = from_all_results(cup)
    assert current_standings(cup) == table
    counted = tallies.count(cup)
    for row in table:
        if not row.disqualified:
            assert sum(part.points.get(row.entrant, 0) for part in counted.parts) == row.points
    played = {match.index for match in cup.matches.filter(state=Match.State.FINISHED)}
    assert counted.tally.matches == len(played)
    return True


@pytest.mark.first(2)
@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_they_are_those_from_all_results(cup, boss, seed):
    draw = random.Random(seed)
    held, out = [], []
    for _ in range(60):
        act = draw.choice(("claim", "claim", "claim", "end", "end", "end", "lose", "out", "back", "look"))
        if act == "claim" and (match := leases.claim("w")):
            held.append(match)
        elif act in ("end", "lose") and held:
            match = held.pop(draw.randrange(len(held)))
            if act == "end":
                leases.finish(match, duel(match, NAMES, ["d"] if draw.random() < 0.03 else []))
            else:
                leases.fail(match, said("the worker was lost"))
        elif act == "out" and len(out) < 2:
            number = draw.choice([entrant for entrant in range(4) if entrant not in out])
            out.append(number)
            stopped.leave(cup, cup.entrants.get(number=number), "it cheats")
        elif act == "back" and out:
            stopped.return_to(cup, cup.entrants.get(number=out.pop(draw.randrange(len(out)))))
        elif act == "look":
            assert same(cup)
    assert same(cup)


def test_only_what_follows_the_parts_that_are_over_is_read(cup, read):
    play(20)
    assert same(cup)
    assert read[0] == 0
    read.clear()
    play(1)
    assert same(cup)
    assert min(read) == 16


def test_a_match_that_is_still_played_keeps_its_part_from_being_kept(cup, read):
    late = leases.claim("w")
    play(20)
    assert same(cup)
    leases.finish(late, duel(late, NAMES))
    assert same(cup)
    read.clear()
    assert same(cup)
    assert min(read) == 16


def test_a_bot_that_is_out_twice_between_two_looks_leaves_nothing_behind(cup):
    play(9)
    entrant = cup.entrants.get(number=0)
    stopped.leave(cup, entrant, "it cheats")
    play(20)
    assert same(cup)
    stopped.return_to(cup, entrant)
    play(4, faulty=["b"])  # with a fault that is listed
    stopped.leave(cup, entrant, "it cheats")
    assert same(cup)


def test_results_that_were_replaced_are_not_kept(cup, boss):
    while Match.objects.filter(state=Match.State.QUEUED).exists():
        play(1)
    scheduling.tick()
    cup.refresh_from_db()
    before = current_standings(cup)
    rerun = reruns.begin(cup, Choice(bot=0), boss, "a wrong clock")
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES[::-1]))
    reruns.apply(rerun, boss)
    cup.refresh_from_db()
    assert current_standings(cup) != before
    assert same(cup)
