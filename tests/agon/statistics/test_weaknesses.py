"""Weaknesses: what is named, in which order, and that chance alone makes none."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.statistics.ratings.published import POINTS
from agon.statistics.weaknesses import findings as weaknesses
from agon.statistics.weaknesses.findings import Finding, Parts
from agon.statistics.weaknesses.groups import Kind, quarters
from agon.statistics.weaknesses.outcomes import FaultSeen, Outcome, PairedComparison, compared, seat_bonuses
from agon.statistics.weaknesses.tables import tables
from agon.statistics.weaknesses.watch import Why, to_watch


def parts_of(outcomes, errors=None):
    return Parts(outcomes, quarters(seen.steps for seen in outcomes), errors or {})


def findings(outcomes, errors=None) -> list[Finding]:
    return weaknesses.findings(parts_of(outcomes, errors)) if outcomes else []


def season(share_of, matches=200, seats=2):
    """Matches against eight equal opponents in turn; share_of(number, seat, opponent, steps) -> share."""
    outcomes = []
    for number in range(matches):
        seat, opponent, steps = number // 8 % seats, number % 8, 10 + number * 7 % 40
        share = share_of(number, seat, opponent, steps)
        outcomes.append(Outcome(number, seat, (PairedComparison(opponent, share, 0.5),), steps))
    return outcomes


def even(number: int) -> float:
    """Half of all, whatever the opponent and the seat."""
    return float((number // 16 + number) % 2)


@pytest.mark.parametrize(
    ("weak", "kind", "value"),
    [
        (lambda number, seat, opponent, steps: opponent == 3, Kind.OPPONENT, 3),
        (lambda number, seat, opponent, steps: seat == 1, Kind.SEAT, 1),
    ],
)
def test_the_part_in_which_a_bot_always_loses_is_named_with_what_it_costs(weak, kind, value):
    outcomes = season(lambda *where: 0.0 if weak(*where) else even(where[0]))
    [first, *_] = findings(outcomes)
    assert (first.kind, first.value) == (kind, value)
    assert first.share == 0
    elsewhere = [
        seen.share for seen in outcomes if not weak(seen.match, seen.seat, seen.comparisons[0].opponent, 0)
    ]
    level = sum(elsewhere) / len(elsewhere)
    assert math.isclose(first.level, level)
    assert math.isclose(first.cost, level * first.matches / len(outcomes))
    assert first.low < -level < first.high < 0


def test_long_matches_and_short_ones_are_named_by_their_steps():
    [long, *_] = findings(season(lambda number, seat, opponent, steps: 0.0 if steps > 39 else even(number)))
    assert long.kind == Kind.LONG
    assert 39 <= long.value <= 41
    [short, *_] = findings(season(lambda number, seat, opponent, steps: 0.0 if steps < 20 else even(number)))
    assert short.kind == Kind.SHORT


def test_faults_are_named_by_their_kind_and_time_outs_with_answers_that_came_nearly_too_late():
    outcomes = season(lambda number, *_: 0.0 if number % 9 == 0 else even(number))
    crashes = [
        seen._replace(faults=(FaultSeen("crash", 3),) if seen.match % 9 == 0 else ()) for seen in outcomes
    ]
    assert (findings(crashes)[0].kind, findings(crashes)[0].value) == (Kind.FAULT, "crash")
    late = [
        seen._replace(time=0.95, faults=(FaultSeen("timeout", 3),) if seen.match % 2 else ())
        if seen.match % 9 == 0
        else seen._replace(time=0.3)
        for seen in outcomes
    ]
    assert findings(late)[0].kind == Kind.TIME
    assert findings(late)[0].matches == 23


def test_what_costs_more_comes_first_and_is_not_named_twice():
    def share_of(number, seat, opponent, steps):
        return 0.0 if (seat == 1 or opponent == 3) and number % 5 else even(number)

    ordered = findings(season(share_of, 800))
    assert [(weakness.kind, weakness.value) for weakness in ordered] == [(Kind.SEAT, 1), (Kind.OPPONENT, 3)]
    assert ordered[0].cost > ordered[1].cost > 0


def test_a_bot_that_is_equally_bad_everywhere_has_no_weakness():
    assert findings(season(lambda number, *_: float(number % 10 == 0))) == []
    assert findings(season(lambda *_: 0.0)) == []
    assert findings([]) == []


def test_a_strength_in_a_small_part_is_no_weakness_of_the_large_one():
    assert findings(season(lambda number, seat, opponent, steps: 1.0 if steps > 39 else even(number))) == []


def test_a_few_lost_matches_prove_nothing():
    assert (
        findings(season(lambda number, seat, opponent, steps: 0.0 if opponent == 3 else even(number), 56))
        == []
    )


def test_an_opponent_whose_rating_is_uncertain_is_not_called_a_weakness():
    outcomes = season(lambda number, seat, opponent, steps: 0.0 if opponent == 3 else even(number))
    assert findings(outcomes, {3: 20.0})
    assert findings(outcomes, {3: 200.0}) == []


OUTCOMES = st.lists(
    st.builds(
        Outcome,
        match=st.integers(0, 10**6),
        seat=st.integers(0, 3),
        comparisons=st.lists(
            st.builds(
                PairedComparison, st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.02, 0.98)
            ),
            min_size=1,
            max_size=3,
        ).map(tuple),
        steps=st.integers(0, 50),
        faults=st.lists(
            st.builds(FaultSeen, st.sampled_from(["crash", "timeout"]), st.integers(0, 50)), max_size=2
        ),
        time=st.none() | st.floats(0, 2),
    ),
    max_size=60,
)


@given(OUTCOMES, st.randoms(use_true_random=False))
def test_findings_do_not_depend_on_the_order_of_the_matches(outcomes, chance):
    shuffled = list(outcomes)
    chance.shuffle(shuffled)
    in_order, again = findings(outcomes), findings(shuffled)
    assert [(weakness.kind, weakness.matches) for weakness in in_order] == [
        (weakness.kind, weakness.matches) for weakness in again
    ]


@given(OUTCOMES)
def test_every_finding_is_a_loss_within_its_interval(outcomes):
    for finding in findings(outcomes):
        assert -1 <= finding.cost <= 1
        assert finding.cost > 0
        assert finding.points > 0
        assert finding.low < finding.high < 0
        assert 0 <= finding.share <= 1
        assert finding.share <= finding.level <= 1


@given(OUTCOMES)
def test_what_is_named_stands_in_the_table_with_the_same_numbers_and_an_interval_without_zero(outcomes):
    if not outcomes:
        return
    parts = parts_of(outcomes)
    shown = tables(parts)
    lengths = shown.lengths
    for finding in weaknesses.findings(parts):
        line = {
            Kind.OPPONENT: lambda value: shown.opponents[value],
            Kind.SEAT: lambda value: shown.seats[value],
            Kind.SHORT: lambda value: next(
                line for least, most, line in lengths if (least, most) == (0, value)
            ),
            Kind.LONG: lambda value: next(
                line for least, most, line in lengths if (least, most) == (value, None)
            ),
            Kind.FAULT: lambda value: next(fault.line for fault in shown.faults if fault.kind == value),
            Kind.TIME: lambda value: shown.slow,
        }[finding.kind](finding.value)
        assert (line.matches, line.share, line.low, line.high) == (
            finding.matches,
            finding.share,
            finding.low,
            finding.high,
        )
        assert line.low < line.difference < line.high < 0


def test_every_line_has_the_difference_from_all_other_matches_within_its_interval():
    outcomes = season(lambda number, seat, *_: 0.0 if seat == 1 else even(number))
    shown = tables(parts_of(outcomes))
    lines = [*shown.opponents.values(), *shown.seats.values(), *(line for *_, line in shown.lengths)]
    for line in lines:
        assert line.matches + line.others == len(outcomes)
        assert -1 <= line.low < line.difference < line.high <= 1
    share = [seen.share for seen in outcomes]
    first = [seen.share for seen in outcomes if seen.seat == 0]
    assert math.isclose(shown.seats[1].difference, -sum(first) / len(first))
    assert math.isclose(shown.seats[0].difference, sum(share) / len(first))


def test_exact_ties_with_a_copy_make_no_other_difference_clearer():
    """Half of the matches are ties with a copy; against the others, the second seat is a little worse."""
    chance = random.Random(3)
    others = season(lambda number, seat, *_: float(chance.random() < (0.6, 0.4)[seat]), 160)
    ties = [
        Outcome(1000 + number, number % 2, (PairedComparison(99, 0.5, 0.5),), 10 + number % 40)
        for number in range(160)
    ]
    alone, beside = (tables(parts_of(group)).seats[1] for group in (others, [*others, *ties]))
    assert alone.high > 0 or alone.high / alone.difference < 0.5
    assert math.isclose(beside.difference, alone.difference / 2, abs_tol=0.01)
    assert beside.high - beside.low > 0.45 * (alone.high - alone.low)


def test_the_same_match_again_is_no_evidence():
    """Deterministic bots: each pair has one result, whatever the seats. The bot loses to one of eight."""
    outcomes = season(lambda number, seat, opponent, steps: float(opponent % 2 or opponent == 0), 800)
    assert findings(outcomes) == []


@given(
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.floats(0, 3000)), min_size=1),
)
def test_what_is_expected_follows_the_ratings(rank, others):
    for comparison, (bot, other_rank, rating) in zip(compared(rank, others, 1500.0), others, strict=True):
        assert comparison.opponent == bot
        assert comparison.share == {True: 1.0, False: 0.0}[rank < other_rank] if rank != other_rank else 0.5
        elo = 1 / (1 + 10 ** ((rating - 1500) / 400))
        assert math.isclose(comparison.expected, min(max(elo, 0.02), 0.98))
    assert math.isclose(POINTS * math.log(10), 400)


def bonuses_of(matches):
    """matches: (rank, rating) by seat."""
    rows = [(number, rank, rating) for number, match in enumerate(matches) for rank, rating in match]
    return seat_bonuses(*(np.array(column) for column in zip(*rows, strict=True)))


@given(st.lists(st.permutations([1, 2, 3, 4]), min_size=1))
def test_bonuses_of_equals_add_up_to_nothing(matches):
    bonuses = bonuses_of([[(rank, 1500.0) for rank in ranks] for ranks in matches])
    assert math.isclose(sum(bonuses.values()), 0, abs_tol=1e-9)


def test_the_bonus_of_a_seat_is_what_it_adds_to_the_strength():
    chance = random.Random(5)
    matches = []
    for _ in range(4000):
        ratings = [1500 + 400 * chance.random(), 1500 + 400 * chance.random()]
        ahead = chance.random() < 1 / (1 + 10 ** ((ratings[1] - ratings[0] - 60) / 400))
        matches.append(list(zip([1, 2] if ahead else [2, 1], ratings, strict=True)))
    bonuses = bonuses_of(matches)
    assert math.isclose(bonuses[2, 0] * POINTS, 60, abs_tol=20)  # its standard error is 6
    assert math.isclose(bonuses[2, 0], -bonuses[2, 1])


@given(OUTCOMES)
def test_quarters_hold_a_quarter_of_the_matches_or_more_where_lengths_are_equal(outcomes):
    for part, steps in enumerate(quarters(seen.steps for seen in outcomes), start=1):
        assert sum(seen.steps <= steps for seen in outcomes) >= len(outcomes) * part // 4


def outcome(match, share, expected, faults=()):
    return Outcome(match, 0, (PairedComparison(1, share, expected),), 10, faults)


def test_upsets_faults_and_close_matches_are_worth_watching():
    crash = (FaultSeen("crash", 2),)
    outcomes = [
        outcome(1, 1.0, 0.9),  # won as expected
        *(outcome(number, 0.0, number / 10)._replace(steps=number) for number in range(2, 10)),
        outcome(20, 0.0, 0.3, crash),
        outcome(21, 0.0, 0.8, crash),
        outcome(22, 1.0, 0.1, crash),  # won in spite of it
    ]
    assert to_watch(outcomes) == [
        (9, Why.UPSET),
        (8, Why.UPSET),
        (21, Why.FAULT),
        (5, Why.CLOSE),
        (4, Why.CLOSE),
    ]


@given(OUTCOMES)
def test_at_most_five_different_matches_are_named_and_all_were_worse_than_expected(outcomes):
    outcomes = [played._replace(match=number) for number, played in enumerate(outcomes)]
    watched = to_watch(outcomes)
    assert len({loss.match for loss in watched}) == len(watched) <= 5
    assert all(outcomes[loss.match].share < outcomes[loss.match].expected for loss in watched)
    lost = [seen for seen in outcomes if seen.share < seen.expected and not seen.faults]
    assert len(watched) >= min(len(set(map(course, lost))), 5)


def course(outcome):
    """What is the same in matches that deterministic bots play again."""
    results = [(compared.opponent, compared.share) for compared in outcome.comparisons]
    return outcome.seat, outcome.steps, *results


def test_of_a_match_that_is_played_again_and_again_one_is_worth_watching():
    again = [outcome(number, 0.0, 0.8) for number in range(3)]
    longer = [outcome(number, 0.0, 0.7)._replace(steps=12) for number in (3, 4)]
    assert [loss.match for loss in to_watch(again + longer)] == [0, 3]


def test_chance_alone_is_seldom_called_a_weakness():
    chance = random.Random(13)
    named = sum(bool(findings(season(lambda *_: float(chance.random() < 0.5)))) for _ in range(100))
    assert named <= 12  # at most 5 expected; 13 or more have a probability of 0.1 %
