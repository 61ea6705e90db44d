"""Knock-outs, groups and Swiss tournaments of games of more than two seats keep what they promise."""

import time
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.contest import formats
from agon.contest.formats import Absence, BadFormat, Outcome, groups, single_elimination
from agon.contest.formats.equal import DECIDERS, most_deciders
from agon.contest.formats.tables import dealt, division
from tests.support.examples import at_most

from .test_adaptive_formats import better_wins, chance, opponents, plan_of, play

SEEDS = st.integers(0, 2**32)
SEATS = st.integers(3, 7)


@given(entrants=st.integers(1, 200), seats=SEATS)
@at_most(40)
def test_a_knock_out_needs_a_full_table(entrants, seats):
    plan = plan_of("single_elimination", entrants, seats)
    if entrants < seats:
        with pytest.raises(BadFormat, match=f"expected {seats} or more, got {entrants}"):
            formats.most_matches(plan)
    else:
        assert formats.most_matches(plan) > 0


@given(entrants=st.integers(3, 2000), seats=SEATS)
def test_a_stage_brings_those_who_are_left_nearer_to_a_full_final(entrants, seats):
    while entrants > seats:
        byes, going = division(entrants, seats)
        assert byes + seats * len(going) == entrants
        assert all(seats // 2 <= seats_taken < seats for seats_taken in going)
        assert max(going) - min(going) <= 1
        left = byes + sum(going)
        assert seats <= left < entrants
        if byes == 0 and entrants % seats == 0 and (entrants // seats).bit_count() == 1:
            assert 2 * left == entrants
        entrants = left
    if entrants == seats:
        assert division(entrants, seats) == (0, [1])


@given(data=st.data(), seats=st.integers(2, 7), chosen=st.integers(1, 64), advance=st.integers(1, 64))
def test_as_many_groups_are_left_as_the_entrants_can_fill(data, seats, chosen, advance):
    entrants = data.draw(st.integers(seats, 200))
    wanted = {"groups": chosen, "advance": advance}
    fitted = formats.FORMATS["groups"].fitted(entrants, seats, wanted)
    assert formats.most_matches(plan_of("groups", entrants, seats, **fitted)) > 0
    try:
        formats.most_matches(plan_of("groups", entrants, seats, **wanted))
    except BadFormat:
        assert fitted["groups"] <= chosen
    else:
        assert fitted == wanted


@pytest.mark.parametrize(
    ("entrants", "seats", "expected"),
    [
        (4, 4, (0, [1])),
        (5, 4, (1, [3])),
        (6, 4, (2, [2])),
        (7, 4, (3, [2])),
        (8, 4, (0, [2, 2])),
        (9, 4, (5, [3])),
        (12, 4, (4, [2, 2])),
        (6, 3, (0, [2, 1])),
        (10, 5, (0, [3, 2])),
    ],
)
def test_who_plays_and_how_many_go_on_as_worked_out_by_hand(entrants, seats, expected):
    assert division(entrants, seats) == expected


def test_the_best_seeds_sit_apart():
    assert dealt(range(12), 3) == [[0, 5, 6, 11], [1, 4, 7, 10], [2, 3, 8, 9]]


@given(
    data=st.data(),
    seats=SEATS,
    seed=SEEDS,
    best_of=st.integers(1, 6),
    seeding=st.sampled_from(["order", "lot", "rating"]),
    equal=st.sampled_from(["lot", "seed"]),
)
@at_most(20)
def test_all_but_the_winner_are_out_once(data, seats, seed, best_of, seeding, equal):
    entrants = data.draw(st.integers(seats, 200))
    plan = plan_of(
        "single_elimination", entrants, seats, seed=seed, best_of=best_of, seeding=seeding, equal=equal
    )
    scheduled_matches, history = play(plan, chance(seed))
    bracket_rounds = single_elimination.bracket(plan, history)

    out = Counter()
    for stage in bracket_rounds.stages:
        playing = {entrant for table in stage.tables for entrant in table.entrants}
        assert len(playing) == seats * len(stage.tables)
        assert playing.isdisjoint(stage.byes)
        for table in stage.tables:
            assert len(table.advancing) == table.going
            assert 1 <= len(table.matches) <= best_of + most_deciders(plan)
            out.update(set(table.entrants) - set(table.advancing))
    assert set(out.values()) <= {1}
    [champion] = set(range(entrants)) - set(out)
    ranks = formats.ranking(plan, history).ranks
    assert [entrant for entrant, rank in enumerate(ranks) if rank == 1] == [champion]
    final = sorted(ranks)[:seats]
    assert final == list(range(1, seats + 1)) or (equal == "lot" and final[-1] <= seats)  # it has an order
    assert len(scheduled_matches) <= formats.most_matches(plan)


@given(data=st.data(), seats=SEATS)
@at_most(20)
def test_where_the_better_wins_the_first_seed_does_and_byes_are_of_the_best(data, seats):
    entrants = data.draw(st.integers(seats, 200))
    plan = plan_of("single_elimination", entrants, seats)
    _pairings, history = play(plan, better_wins)
    bracket_rounds = single_elimination.bracket(plan, history)

    assert formats.ranking(plan, history).ranks[0] == 1
    left = list(range(entrants))
    for stage in bracket_rounds.stages:
        assert stage.byes == left[: len(stage.byes)]
        left = sorted([*stage.byes, *(entrant for table in stage.tables for entrant in table.advancing)])


@given(seats=SEATS, seed=SEEDS, best_of=st.integers(1, 12))
@at_most(20)
def test_at_a_table_the_seats_are_taken_in_turn(seats, seed, best_of):
    plan = plan_of("single_elimination", seats, seats, seed=seed, best_of=best_of)
    scheduled_matches, _history = play(plan, chance(seed))
    sat = Counter(
        (entrant, seat)
        for scheduled_match in scheduled_matches
        for seat, entrant in enumerate(scheduled_match.seats)
    )
    times = [sat[entrant, seat] for entrant in range(seats) for seat in range(seats)]
    assert max(times) - min(times) <= 1


def test_a_table_ends_when_no_one_can_cross_the_line():
    """Eight bots at two tables. In each match those beside the line are 1/3 apart, so 4/3 after four."""
    plan = plan_of("single_elimination", 8, 4, best_of=5)
    _pairings, history = play(plan, better_wins)

    [first, final] = single_elimination.bracket(plan, history).stages
    assert [len(table.matches) for table in (*first.tables, *final.tables)] == [4, 4, 4]
    assert [table.order for table in first.tables] == [[0, 3, 4, 7], [1, 2, 5, 6]]
    assert final.tables[0].points == {0: 4, 1: Fraction(8, 3), 2: Fraction(4, 3), 3: 0}


@pytest.mark.parametrize("ranks", [(1, 1, 1, 1), ()], ids=["always tied", "always void"])
def test_at_a_table_that_stays_equal_the_better_seeds_go_on_where_the_organizer_wants_it(ranks):
    plan = plan_of("single_elimination", 8, 4, equal="seed")
    _pairings, history = play(
        plan, lambda scheduled: Outcome(scheduled.seats, ranks and (Fraction(1),) * 4, ranks)
    )

    [first, final] = single_elimination.bracket(plan, history).stages
    assert [table.advancing for table in first.tables] == [[0, 3], [1, 2]]
    assert {len(table.matches) for table in first.tables} == {3 + DECIDERS}
    assert final.tables[0].advancing == [0]


def test_who_leaves_a_table_is_last_and_what_was_played_decides():
    """The second of the first table leaves after the first wave, in which everyone beat the later ones."""
    plan = plan_of("single_elimination", 8, 4)
    _pairings, history = play(plan, better_wins, [Absence(3, 1)])

    [first, final] = single_elimination.bracket(plan, history).stages
    assert first.tables[0].order == [0, 4, 7]
    assert final.tables[0].order == [0, 1, 2, 4]
    assert formats.ranking(plan, history).ranks == (1, 2, 3, 5, 4, 5, 5, 5)


def test_those_who_are_too_few_for_a_table_share_the_first_place():
    plan = plan_of("single_elimination", 8, 4)
    scheduled_matches, history = play(plan, better_wins, [Absence(0, 2)])  # the first stage is rounds 0 and 1

    assert {scheduled_match.round for scheduled_match in scheduled_matches} == {0, 1}
    assert formats.ranking(plan, history).ranks == (4, 1, 1, 1, 5, 5, 5, 5)


@given(data=st.data(), seats=st.integers(3, 5), count=st.integers(1, 6), rounds=st.integers(1, 2), seed=SEEDS)
@at_most(15)
def test_groups_play_alike_and_their_best_go_on(data, seats, count, rounds, seed):
    entrants = data.draw(st.integers(count * seats, max(count * seats, 60)))
    advance = data.draw(st.integers(-(-seats // count), seats))
    plan = plan_of("groups", entrants, seats, rounds, seed, groups=count, advance=advance)
    most = formats.most_matches(plan)
    scheduled_matches, history = play(plan, chance(seed))

    in_groups = [scheduled_match.seats for scheduled_match in scheduled_matches if scheduled_match.round == 0]
    sat = Counter((entrant, seat) for group in in_groups for seat, entrant in enumerate(group))
    assert set(sat.values()) == {rounds}
    assert len(sat) == entrants * seats
    dealt_to = {entrant: number for number, group in enumerate(groups.groups(plan)) for entrant in group}
    assert all(len({dealt_to[entrant] for entrant in group}) == 1 for group in in_groups)
    going_on = {
        entrant
        for scheduled_match in scheduled_matches
        if scheduled_match.round > 0
        for entrant in scheduled_match.seats
    }
    best = {
        entrant
        for group in groups.groups(plan)
        for entrant, *_ in groups.group_table(plan, history.before(1), group)[:advance]
    }
    assert going_on <= best
    assert len(best) == count * advance
    assert len(scheduled_matches) <= most


def test_groups_that_do_not_fill_a_table_are_refused():
    with pytest.raises(BadFormat, match="advance: expected 2 or more for 3 groups"):
        formats.most_matches(plan_of("groups", 12, 4, groups=3, advance=1))
    with pytest.raises(BadFormat, match="entrants: expected 12 or more for 3 groups"):
        formats.most_matches(plan_of("groups", 11, 4, groups=3, advance=2))


def rounds_without_rematch(entrants, seats):
    """As swiss_tables.py promises: for so many rounds, seatings without a rematch exist."""
    return 1 + (entrants // seats - 1) // (seats - 1)


@given(data=st.data(), seats=st.integers(3, 6), seed=SEEDS)
@at_most(15)
def test_in_a_swiss_at_tables_no_two_meet_twice_while_there_are_enough_tables(data, seats, seed):
    entrants = data.draw(st.integers(seats, 200))
    rounds = rounds_without_rematch(entrants, seats)
    scheduled_matches, _history = play(plan_of("swiss", entrants, seats, rounds, seed), chance(seed))

    assert len(scheduled_matches) == rounds * (entrants // seats)
    assert max(opponents(scheduled_matches).values()) == 1


@pytest.mark.parametrize(("entrants", "seats", "rounds"), [(99, 3, 17), (200, 4, 17), (64, 4, 6), (28, 4, 3)])
def test_that_many_rounds_are_without_rematches(entrants, seats, rounds):
    assert rounds_without_rematch(entrants, seats) == rounds
    scheduled_matches, _history = play(plan_of("swiss", entrants, seats, rounds), better_wins)
    assert max(opponents(scheduled_matches).values()) == 1


@given(entrants=st.integers(8, 24), seats=st.sampled_from([3, 4]), rounds=st.integers(2, 7), seed=SEEDS)
@at_most(15)
def test_after_that_no_exchange_of_two_bots_avoids_a_rematch(entrants, seats, rounds, seed):
    scheduled_matches, _history = play(plan_of("swiss", entrants, seats, rounds, seed), chance(seed))
    last = [
        scheduled_match.seats for scheduled_match in scheduled_matches if scheduled_match.round == rounds - 1
    ]
    met = opponents(
        [scheduled_match for scheduled_match in scheduled_matches if scheduled_match.round < rounds - 1]
    )

    def rematches(tables):
        return sum(met[frozenset(pair)] for table in tables for pair in combinations(table, 2))

    fewest = rematches(last)
    for here, there in combinations([(t, s) for t in range(len(last)) for s in range(seats)], 2):
        tables = [list(table) for table in last]
        tables[here[0]][here[1]], tables[there[0]][there[1]] = (
            last[there[0]][there[1]],
            last[here[0]][here[1]],
        )
        assert rematches(tables) >= fewest


def test_an_organizer_may_let_bots_meet_again_at_tables():
    """The better bot always wins."""
    plan = formats.make_plan("swiss", 12, 4, 3, 0, {"no_rematches": False})
    scheduled_matches, _history = play(plan, better_wins)
    assert [scheduled_match.seats for scheduled_match in scheduled_matches] == WITH_REMATCHES
    assert max(opponents(scheduled_matches).values()) > 1


WITH_REMATCHES = [
    *((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)),
    *((1, 0, 4, 8), (5, 2, 9, 6), (10, 3, 7, 11)),
    *((0, 10, 5, 1), (2, 4, 11, 3), (6, 8, 7, 9)),
]


def test_rounds_of_a_long_swiss_at_tables_are_paired_soon():
    """A round is paired while the tournament is locked; on SQLite nothing else is written meanwhile."""
    began = time.process_time()
    scheduled_matches, _history = play(plan_of("swiss", 200, 8, 16), chance(1))
    assert len(scheduled_matches) == 16 * 25
    assert time.process_time() - began < 10
