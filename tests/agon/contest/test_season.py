"""Boards of seasons, against boards that are computed in another way."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.contest.season import Finisher, Kind, Rule, board, places, points

standings = st.lists(st.builds(Finisher, st.none() | st.integers(1, 5), st.integers(1, 6)), max_size=8)
tables = st.lists(st.integers(0, 30), min_size=1, max_size=6).map(
    lambda values: tuple(sorted(values, reverse=True))
)
rules = st.builds(Rule, st.sampled_from(Kind), tables, st.none() | st.integers(1, 4))


def test_house_bots_take_no_place_and_of_several_bots_of_one_account_the_best_counts():
    finishes = places([Finisher(None, 1), Finisher(7, 2), Finisher(7, 3), Finisher(8, 4), Finisher(9, 4)])
    assert [(row.competitor, row.first, row.shared, row.entrants) for row in finishes] == [
        (7, 1, 1, 3),
        (8, 2, 2, 3),
        (9, 2, 2, 3),
    ]


def test_those_who_share_a_place_share_its_points():
    [first, second, last] = places([Finisher(1, 1), Finisher(2, 1), Finisher(3, 3)])
    by_table = Rule(Kind.TABLE, (25, 18, 15))
    assert [points(by_table, bot) for bot in (first, second, last)] == [Fraction(43, 2), Fraction(43, 2), 15]
    mean = Rule(Kind.MEAN)
    assert [points(mean, bot) for bot in (first, second, last)] == [Fraction(3, 4), Fraction(3, 4), 0]


@given(standings, rules)
def test_a_tournament_gives_what_its_places_are_worth_however_they_are_shared(finishers, rule):
    taken = places(finishers)
    given_out = sum((points(rule, bot) for bot in taken), Fraction(0))
    if rule.kind is Kind.TABLE:
        assert given_out == sum(rule.table[: len(taken)])
    elif len(taken) > 1:
        assert given_out == Fraction(len(taken), 2)


@given(st.lists(standings, min_size=1, max_size=5), rules)
def test_the_board_is_the_best_choice_of_results_of_each_competitor(all_finishers, rule):
    tournaments = {number: places(finishers) for number, finishers in enumerate(all_finishers)}
    rows = board(rule, tournaments)
    worth = {
        (place.competitor, number): points(rule, place)
        for number, taken in tournaments.items()
        for place in taken
    }
    counted = min(rule.best or len(all_finishers), len(all_finishers))
    for row in rows:
        mine = [worth.get((row.competitor, number), Fraction(0)) for number in tournaments]
        best = max(sum(chosen, Fraction(0)) for chosen in combinations(mine, counted))
        assert row.total == (best / counted if rule.kind is Kind.MEAN else best)
        assert len(row.results) == sum(row.competitor == competitor for competitor, _ in worth)
        assert sum((result.points for result in row.results if result.counts), Fraction(0)) == best
    totals = [row.total for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert [row.rank for row in rows] == [
        1 + sum(other_total > total for other_total in totals) for total in totals
    ]
    assert {row.competitor for row in rows} == {competitor for competitor, _ in worth}


@pytest.mark.parametrize("kind", Kind)
def test_nothing_counts_before_the_first_tournament(kind):
    assert board(Rule(kind, (3,), 2), {}) == []
    assert board(Rule(kind, (3,), 2), {1: []}) == []
