"""Tournaments whose rounds follow from results: each comes when the one before it is over, and only once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from agon.contest.archive import verify
from agon.contest.formats import FORMATS
from agon.contest.standings import history_of
from agon.site.archives import services as archives
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import ATTEMPTS
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import running, scheduling, services, stopped
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.results import results
from agon.site.tournaments.rounds import shown
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from tests.support.factories import active_bots, duel, played
from tests.support.reasons import said

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d", "e", "f", "g"]


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


@pytest.fixture
def start(user, rps, bots):
    def start(format, entrants=7, rounds=1, **chosen):
        if any(setting.name == "seeding" for setting in FORMATS[format].settings):
            chosen["seeding"] = "order"  # by lot, the best of seven can meet in the first round
        cup = services.create(user, rps, "Cup", format, rounds, 1, bots[:entrants], chosen)
        services.start(cup)
        return cup

    return start


def play(limit=1000, **options):
    """Play what is queued now; the better of two bots is the earlier in the alphabet."""
    while limit and (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES, **options))
        limit -= 1


def finish(cup, **options):
    while scheduling_goes_on(cup):
        play(**options)
        scheduling.tick()
    return cup


def scheduling_goes_on(cup):
    cup.refresh_from_db()
    return cup.state == State.RUNNING


def ranks(cup):
    return {row.bot: row.rank for row in current_standings(cup)}


def rounds(cup):
    return sorted(set(cup.matches.values_list("round", flat=True)))


def test_a_swiss_plays_round_by_round_and_finishes(start):
    cup = start("swiss", rounds=3)
    assert (cup.matches.count(), cup.total) == (3, 9)

    play(limit=2)
    scheduling.tick()
    assert rounds(cup) == [0]

    play(limit=1)
    scheduling.tick()
    assert rounds(cup) == [0, 1]

    finish(cup)
    assert (cup.state, cup.total, cup.matches.count()) == (State.FINISHED, 9, 9)
    assert ranks(cup)["a"] == 1
    [first, *_] = current_standings(cup)
    assert first.points == 3
    assert [name for name, _value in first.tie_breaks] == ["buchholz_cut", "buchholz", "sonneborn", "wins"]


def test_the_next_round_follows_from_the_last_result_itself(start, django_capture_on_commit_callbacks):
    cup = start("swiss", rounds=2)
    with django_capture_on_commit_callbacks(execute=True):
        play(limit=3)
    assert rounds(cup) == [0, 1]


@pytest.mark.first(2)
@pytest.mark.parametrize("format", [name for name, format in FORMATS.items() if format.needs_results])
def test_every_format_comes_to_its_end_with_the_best_in_front(start, format):
    chosen = {"until_decided": {"entrants": 3, "budget": 90}, "swiss": {"rounds": 3}}.get(format, {})
    cup = finish(start(format, **chosen))

    assert cup.state == State.FINISHED
    assert cup.scheduled == cup.total == cup.matches.count()
    assert ranks(cup)["a"] == 1
    if format.endswith("elimination"):
        assert ranks(cup)["b"] == 2


@pytest.mark.django_db(transaction=True)
def test_many_schedulers_at_once_queue_each_round_once(start):
    cup = start("swiss", rounds=4)

    def schedule(_):
        try:
            return scheduling.schedule(cup)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        for _round in range(4):
            play()
            list(threads.map(schedule, range(4)))

    assert cup.matches.count() == 12
    assert sorted(cup.matches.values_list("index", flat=True)) == list(range(12))


def test_a_round_that_was_not_written_is_scheduled_again_alike(start, monkeypatch):
    """As if the process had been killed between the round before and this one."""
    cup = start("swiss", rounds=3)
    play()
    monkeypatch.setattr(Tournament, "save", broken)
    with pytest.raises(RuntimeError):
        scheduling.schedule(cup)
    assert rounds(cup) == [0]
    monkeypatch.undo()

    finish(cup)
    assert cup.matches.count() == 9


def broken(*args, **kwargs):
    raise RuntimeError("killed")


def test_nothing_is_scheduled_while_it_is_paused(start):
    cup = start("swiss", rounds=2)
    services.pause(cup)
    services.resume(cup)
    play(limit=2)
    last = leases.claim("w")
    services.pause(cup)
    leases.finish(last, duel(last, NAMES))
    scheduling.tick()
    assert rounds(cup) == [0]

    services.resume(cup)
    finish(cup)
    assert cup.matches.count() == 6


def test_a_void_match_leaves_no_one_waiting(start):
    cup = start("single_elimination", entrants=2, best_of=1)
    for _ in range(ATTEMPTS):
        leases.fail(leases.claim("w"), said("no sandbox"))
    scheduling.tick()
    assert cup.matches.get(index=0).state == MatchState.VOID

    finish(cup)
    assert cup.matches.count() == 3
    assert ranks(cup) == {"a": 1, "b": 2}


def test_a_cup_in_which_every_bot_faults_ends_with_the_outcome_that_is_documented(start):
    cup = finish(start("single_elimination", entrants=4, best_of=1, third=False), faulty=NAMES)

    assert cup.state == State.FINISHED
    assert cup.matches.count() == 2  # everyone is disqualified after its first fault
    assert {row.disqualified for row in current_standings(cup)} == {"it crashed"}


def test_a_bot_that_leaves_in_mid_round_loses_that_match_and_is_paired_no_more(start, bots):
    cup = start("swiss", entrants=6, rounds=3)
    play(limit=1)
    stopped.disqualify(bots[5], "it cheats")
    finish(cup)

    later = cup.matches.filter(round__gt=0)
    assert not later.filter(seats__name="f").exists()
    withdrawn = cup.matches.filter(state=MatchState.WITHDRAWN)
    assert {seat.name for match in withdrawn for seat in match.seats.all()} <= {"c", "f"}
    assert current_standings(cup)[-1].bot == "f"
    assert cup.matches.count() == 3 + 2 + 2


def test_a_bot_that_returns_plays_the_rounds_to_come(start, bots):
    cup = start("swiss", entrants=6, rounds=3)
    play(limit=0)
    stopped.disqualify(bots[5], "it cheats")
    play()
    scheduling.tick()
    assert rounds(cup) == [0, 1]
    stopped.readmit(bots[5])
    finish(cup)

    assert cup.entrants.get(bot=bots[5]).absences == [[1, 2]]
    assert Match.objects.filter(tournament=cup, seats__name="f", state=MatchState.FINISHED).count() == 1
    assert not any(row.disqualified for row in current_standings(cup))
    made_again, _history = history_of(
        scheduling.plan(cup), results(cup), cup.total, (), scheduling.absences(cup)
    )
    assert scheduling.scheduled_matches(cup) == tuple(made_again)


def test_a_bot_that_returns_in_the_same_round_plays_it_after_all(start, bots):
    cup = start("swiss", entrants=6, rounds=2)
    stopped.disqualify(bots[5], "it cheats")
    stopped.readmit(bots[5])
    finish(cup)

    assert cup.entrants.get(bot=bots[5]).absences == []
    assert set(cup.matches.values_list("state", flat=True)) == {MatchState.FINISHED}


def test_a_round_that_is_queued_while_its_page_is_made_breaks_no_page(start, monkeypatch):
    cup = start("single_elimination")
    play()
    really = scheduling.scheduled_matches

    def meanwhile(tournament):
        scheduling.schedule(tournament)
        return really(tournament)

    monkeypatch.setattr(scheduling, "scheduled_matches", meanwhile)
    [chart, *_] = shown(cup).charts
    assert [bool(pairing.matches) for pairing in chart.columns[1].pairings] == [False, False]
    assert cup.matches.filter(round=1).exists()


def test_lines_join_what_leads_to_each_other_in_a_bracket(start):
    """Of seven entrants. The losers of the second stage come straight to those who won below."""
    main, lower, final = shown(start("double_elimination")).charts
    assert [(len(column.pairings), column.lead) for column in main.columns] == [
        (4, "pairs"),
        (2, "pairs"),
        (1, ""),
    ]
    leads = [(len(column.pairings), column.lead) for column in lower.columns]
    assert leads == [(2, "straight"), (2, "pairs"), (1, "straight"), (1, "")]
    assert [column.title for column in final.columns] == [""]


MANY = {
    "groups": {"groups": 1, "advance": 4},
    "until_decided": {"budget": 42},
    "swiss": {"rounds": 3},
    "started_tens": {"rounds": 2},
}


@pytest.mark.first(4)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("format", FORMATS)
def test_in_every_format_a_bot_may_leave_in_mid_round_and_the_archive_is_sound(
    user, rps, competition, format, seats, tmp_path
):
    if not FORMATS[format].least_seats <= seats <= FORMATS[format].most_seats:
        pytest.skip("not of so many seats")
    game = rps if seats == 2 else competition
    entered = active_bots(user, game, NAMES)
    chosen = dict(MANY.get(format, {}))
    cup = services.create(user, game, "Cup", format, chosen.pop("rounds", 1), 1, entered, chosen)
    services.start(cup)

    def play(limit=1000):
        while limit and (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, NAMES) if seats == 2 else played(match))
            limit -= 1

    play(limit=min(1, cup.matches.count() - 1))
    gone = cup.matches.filter(state=MatchState.QUEUED).first().seats.first().name
    running.withdraw(cup, NAMES.index(gone), user, "its author asked for it")
    while scheduling_goes_on(cup):
        play()
        scheduling.tick()

    [*others, last] = current_standings(cup)
    assert (last.bot, last.disqualified) == (gone, "its author asked for it")
    assert not any(row.disqualified for row in others)
    with (tmp_path / "cup.zip").open("wb") as file:
        archives.write_tournament(file, cup)
    assert verify.verify(tmp_path / "cup.zip").differences == ()
