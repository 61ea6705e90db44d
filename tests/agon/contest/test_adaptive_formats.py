"""Formats whose rounds depend on results keep what they promise, whatever the results and the number of
entrants.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from agon.contest import formats
from agon.contest.formats import Absence, BadFormat, Outcome
from agon.contest.formats.equal import DECIDERS, most_deciders
from agon.contest.formats.until_decided import quantile
from tests.support.examples import at_most

SEEDS = st.integers(0, 2**32)
FIELDS = st.integers(2, 200)  # entrants
ADAPTIVE = [name for name, format in formats.FORMATS.items() if format.needs_results]


def plan_of(format, entrants, seats=2, rounds=1, seed=0, **chosen):
    """A plan in which entrants with lower numbers are better seeds."""
    settings = formats.with_defaults(format, chosen)
    ratings = [1000 - entrant for entrant in range(entrants)]
    return formats.make_plan(format, entrants, seats, rounds, seed, settings, "shared_win", ratings)


def chance(seed, void=0.1, tie=0.2, strength=0.0):
    """Outcomes by lot; `strength` lets the earlier entrants win more often."""

    def outcome(scheduled):
        draw = random.Random(f"{seed} {scheduled.index}")
        if draw.random() < void:
            return Outcome(scheduled.seats)
        if draw.random() < tie:
            ranks = (1,) * len(scheduled.seats)
        else:
            order = sorted(scheduled.seats, key=lambda entrant: draw.random() + strength * entrant)
            ranks = tuple(order.index(entrant) + 1 for entrant in scheduled.seats)
        points = tuple(Fraction(rank == 1) for rank in ranks)
        return Outcome(scheduled.seats, points, ranks, seed=draw.getrandbits(53))

    return outcome


def better_wins(scheduled):
    """The entrant with the lower number is better."""
    ranks = tuple(sorted(scheduled.seats).index(entrant) + 1 for entrant in scheduled.seats)
    return Outcome(scheduled.seats, tuple(Fraction(rank == 1) for rank in ranks), ranks)


def play(plan, results, absences=()):
    return formats.replay(plan, results, formats.MOST_MATCHES, absences)


def opponents(scheduled_matches):
    return Counter(
        frozenset(pair)
        for scheduled_match in scheduled_matches
        for pair in combinations(scheduled_match.seats, 2)
    )


@given(
    format=st.sampled_from(ADAPTIVE),
    entrants=st.integers(2, 100),  # each is played twice; the tests of one format have up to 200
    seats=st.sampled_from([2, 3, 4]),
    seed=SEEDS,
    gone=st.lists(
        st.tuples(st.integers(0, 99), st.integers(0, 4), st.integers(1, 3) | st.none()), max_size=4
    ),
)
@example(format="groups", entrants=2, seats=2, seed=0, gone=[(0, 0, None)])
@example(format="groups", entrants=8, seats=2, seed=0, gone=[(0, 0, None), (3, 0, None)])
@settings(max_examples=30, deadline=None)
def test_every_tournament_ends_within_its_count_is_a_pure_function_and_seats_no_one_who_left(
    format, entrants, seats, seed, gone
):
    absences = [Absence(e % entrants, since, more and since + more) for e, since, more in gone]
    try:
        small = {"until_decided": {"budget": 12 * entrants}, "groups": {"groups": max(1, entrants // 4)}}
        plan = plan_of(format, entrants, seats, seed=seed, **small.get(format, {}))
        most = formats.most_matches(plan)
    except BadFormat:
        assume(False)
    results = chance(seed)
    scheduled_matches, history = play(plan, results, absences)

    assert len(scheduled_matches) <= most
    assert [scheduled_match.index for scheduled_match in scheduled_matches] == list(
        range(len(scheduled_matches))
    )
    assert formats.next_round(plan, history, 0) is None
    for scheduled_match in scheduled_matches:
        assert len(set(scheduled_match.seats)) == len(scheduled_match.seats) == seats
        assert history.away(scheduled_match.round).isdisjoint(scheduled_match.seats)
    assert play(plan, results, absences) == (scheduled_matches, history)
    outcomes = [(scheduled_match.round, results(scheduled_match)) for scheduled_match in scheduled_matches]
    assert formats.history_of(plan, outcomes, absences) == history
    ranks = formats.ranking(plan, history).ranks
    assert len(ranks) == entrants
    assert min(ranks, default=1) >= 1


@given(entrants=FIELDS, seed=SEEDS, data=st.data())
@at_most(25)
def test_in_a_swiss_no_two_meet_twice_and_no_one_has_two_byes(entrants, seed, data):
    rounds = data.draw(st.integers(1, min(12, -(-entrants // 2))))
    plan = plan_of("swiss", entrants, rounds=rounds, seed=seed)
    formats.most_matches(plan)
    scheduled_matches, history = play(plan, chance(seed))

    assert max(opponents(scheduled_matches).values()) == 1
    assert (
        max(
            Counter(bye for history_round in history.rounds for bye in history_round.idle).values(), default=0
        )
        <= 1
    )
    for history_round in history.rounds:
        assert len(history_round.idle) == entrants % 2
    assert len(scheduled_matches) == formats.most_matches(plan) == rounds * (entrants // 2)


@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 30, 31])
def test_no_two_meet_twice_in_the_longest_swiss(entrants):
    for seed in range(8):
        plan = plan_of("swiss", entrants, rounds=-(-entrants // 2), seed=seed)
        formats.most_matches(plan)
        scheduled_matches, _history = play(plan, chance(seed))
        assert max(opponents(scheduled_matches).values()) == 1


def test_a_swiss_longer_than_that_is_refused():
    with pytest.raises(
        BadFormat, match="rounds: expected at most 4 for 8 entrants, so that no two meet twice; got 5"
    ):
        formats.most_matches(plan_of("swiss", 8, rounds=5))


def test_the_best_of_sixteen_wins_a_swiss_of_four_rounds():
    plan = plan_of("swiss", 16, rounds=4)
    scheduled_matches, history = play(plan, better_wins)

    assert [set(scheduled_match.seats) for scheduled_match in scheduled_matches[:8]] == [
        {n, n + 8} for n in range(8)
    ]
    ranking = formats.ranking(plan, history)
    assert ranking.ranks[0] == 1
    assert ranking.criteria == ("points", "buchholz_cut", "buchholz", "sonneborn", "wins")
    assert ranking.values[0][0] == 4
    # The winner of every round met winners only: of 0, 1, 2, and 3 rounds at least.
    assert sorted(value[0] for value in ranking.values) == sorted(
        Fraction(points) for points, times in enumerate([1, 4, 6, 4, 1]) for _ in range(times)
    )


def test_buchholz_and_sonneborn_berger_of_a_small_swiss_as_worked_out_by_hand():
    """Four entrants, two rounds: 0-2, 1-3, then 0-1, 2-3; the better one wins each."""
    plan = plan_of("swiss", 4, rounds=2)
    _pairings, history = play(plan, better_wins)
    values = formats.ranking(plan, history).values
    # points: 2, 1, 1, 0; 0 beat 2 and 1; 1 beat 3 and lost to 0; 2 lost to 0 and beat 3; 3 lost to 1 and 2.
    assert values == (
        (2, 1, 2, 2, 2),
        (1, 2, 2, 0, 1),
        (1, 2, 2, 0, 1),
        (0, 1, 2, 0, 0),
    )


@given(entrants=st.integers(4, 60), seats=st.sampled_from([3, 4]), rounds=st.integers(1, 6), seed=SEEDS)
@at_most(25)
def test_byes_of_a_swiss_at_tables_differ_by_one_at_most(entrants, seats, rounds, seed):
    plan = plan_of("swiss", entrants, seats, rounds, seed)
    _pairings, history = play(plan, chance(seed))
    byes = Counter(bye for history_round in history.rounds for bye in history_round.idle)
    had = [byes[entrant] for entrant in range(entrants)]
    assert max(had) - min(had) <= 1


@given(entrants=FIELDS, seed=SEEDS, best_of=st.sampled_from([1, 2, 3, 5]), third=st.booleans())
@at_most(15)
def test_in_a_single_elimination_all_but_one_lose_one_tie(entrants, seed, best_of, third):
    plan = plan_of("single_elimination", entrants, seed=seed, best_of=best_of, third=third)
    scheduled_matches, history = play(plan, chance(seed))
    meetings = opponents(scheduled_matches)

    assert len(meetings) == entrants - 1 + (third and entrants > 3)
    assert all(
        (best_of + 1) // 2 <= matches <= best_of + most_deciders(plan) for matches in meetings.values()
    )
    ranks = Counter(formats.ranking(plan, history).ranks)
    assert ranks[1] == ranks[2] == 1
    if entrants > 3:
        assert ranks[3] == (1 if third else 2)


@given(entrants=FIELDS, format=st.sampled_from(["single_elimination", "double_elimination"]))
@at_most(15)
def test_where_the_better_wins_the_best_seeds_meet_last(entrants, format):
    third = {"third": False} if format == "single_elimination" else {}
    plan = plan_of(format, entrants, best_of=1, **third)
    scheduled_matches, history = play(plan, better_wins)
    ranks = formats.ranking(plan, history).ranks

    assert ranks[:2] == (1, 2)
    assert set(scheduled_matches[-1].seats) == {0, 1}
    if format == "single_elimination":
        assert all(set(scheduled_match.seats) != {0, 1} for scheduled_match in scheduled_matches[:-1])


@given(entrants=FIELDS, seed=SEEDS)
@at_most(15)
def test_in_a_double_elimination_all_but_one_lose_two_ties(entrants, seed):
    plan = plan_of("double_elimination", entrants, seed=seed, best_of=1)
    scheduled_matches, history = play(plan, chance(seed, void=0, tie=0))
    lost = Counter(
        outcome.seats[outcome.ranks.index(2)]
        for history_round in history.rounds
        for outcome in history_round.outcomes
    )

    ranks = formats.ranking(plan, history).ranks
    [winner] = [entrant for entrant, rank in enumerate(ranks) if rank == 1]
    assert lost[winner] <= 1
    assert all(lost[entrant] == 2 for entrant in range(entrants) if entrant != winner)
    assert 2 * entrants - 2 <= len(scheduled_matches) <= 2 * entrants - 1


def test_a_tie_is_over_when_one_entrant_is_out_of_reach():
    plan = plan_of("single_elimination", 2, best_of=5)
    scheduled_matches, _history = play(plan, better_wins)
    assert len(scheduled_matches) == 3
    assert Counter(scheduled_match.seats[0] for scheduled_match in scheduled_matches) in (
        {0: 2, 1: 1},
        {0: 1, 1: 2},
    )


@pytest.mark.parametrize("ranks", [(1, 1), ()], ids=["always tied, as where both fail", "always void"])
def test_where_the_organizer_wants_it_a_tie_that_stays_equal_goes_to_the_better_seed(ranks):
    plan = plan_of("single_elimination", 4, best_of=3, third=False, equal="seed")
    scheduled_matches, history = play(
        plan, lambda scheduled: Outcome(scheduled.seats, (Fraction(0),) * len(ranks), ranks)
    )

    assert set(opponents(scheduled_matches).values()) == {3 + DECIDERS}
    assert formats.ranking(plan, history).ranks == (1, 2, 3, 3)


def test_who_leaves_a_knock_out_loses_the_tie_and_nothing_that_was_decided():
    plan = plan_of("single_elimination", 4, best_of=1, third=False)
    scheduled_matches, history = play(plan, better_wins, [Absence(0, 1)])

    assert [set(scheduled_match.seats) for scheduled_match in scheduled_matches] == [{0, 3}, {1, 2}]
    assert formats.ranking(plan, history).ranks == (2, 1, 3, 3)
    scheduled_matches, history = play(plan, better_wins, [Absence(0, 0)])
    assert [set(scheduled_match.seats) for scheduled_match in scheduled_matches] == [{1, 2}, {1, 3}]
    assert formats.ranking(plan, history).ranks == (3, 1, 3, 2)


def test_a_tie_that_both_leave_gives_the_next_opponent_a_walkover():
    plan = plan_of("single_elimination", 4, best_of=1, third=False)
    _pairings, history = play(plan, better_wins, [Absence(0, 0), Absence(3, 0)])
    assert formats.ranking(plan, history).ranks == (2, 1, 2, 2)  # all but the winner left in the same stage


def test_a_fault_that_disqualifies_is_a_departure():
    plan = plan_of("single_elimination", 4, best_of=1, third=False)

    def fault(scheduled):
        outcome = better_wins(scheduled)
        return outcome._replace(out=(0,)) if 0 in scheduled.seats else outcome

    _pairings, history = play(plan, fault)
    assert history.away(0) == set()
    assert formats.ranking(plan, history).ranks[1] == 1


@given(entrants=st.integers(4, 48), groups=st.integers(1, 8), seed=SEEDS)
@at_most(15)
def test_groups_play_alike_and_their_best_go_on(entrants, groups, seed):
    assume(entrants >= 2 * groups)
    plan = plan_of("groups", entrants, seed=seed, groups=groups, advance=2)
    scheduled_matches, history = play(plan, chance(seed))
    first = [scheduled_match for scheduled_match in scheduled_matches if scheduled_match.round == 0]

    plays = Counter(entrant for scheduled in first for entrant in scheduled.seats)
    assert set(plays.values()) <= {2 * (entrants // groups - 1), 2 * (-(-entrants // groups) - 1)}
    later = {
        entrant
        for scheduled_match in scheduled_matches
        if scheduled_match.round
        for entrant in scheduled_match.seats
    }
    assert len(later) == 2 * groups
    assert set(formats.ranking(plan, history).ranks[e] for e in later) == set(
        sorted(formats.ranking(plan, history).ranks)[: 2 * groups]
    )


def test_a_group_too_small_to_send_as_many_on_is_refused():
    with pytest.raises(BadFormat, match="expected 6 or more for 2 groups of which 3 advance, got 5"):
        formats.most_matches(plan_of("groups", 5, groups=2, advance=3))


def test_clear_winners_are_decided_soon_and_equals_share_the_prize():
    plan = plan_of("until_decided", 4, prizes=1, budget=4000)
    scheduled_matches, history = play(plan, better_wins)
    assert len(scheduled_matches) <= 15 * 4
    assert formats.ranking(plan, history).ranks[0] == 1

    plan = plan_of("until_decided", 4, prizes=1, budget=400)
    scheduled_matches, history = play(
        plan, lambda scheduled: Outcome(scheduled.seats, (Fraction(1, 2),) * 2, (1, 1))
    )
    assert len(scheduled_matches) == 400
    assert formats.ranking(plan, history).ranks == (1, 1, 1, 1)


def test_matches_that_are_still_to_be_played_do_not_lower_the_means():
    """The standings of a running tournament are shown after every match."""
    plan = plan_of("until_decided", 4, prizes=1, budget=4000)
    scheduled_matches, _history = play(plan, better_wins)
    played = [
        (scheduled_match.round, better_wins(scheduled_match)) for scheduled_match in scheduled_matches[:24]
    ]  # six blocks
    waiting = [(1, Outcome(scheduled_match.seats)) for scheduled_match in scheduled_matches[:8]]
    means = formats.ranking(plan, formats.history_of(plan, played, ())).values
    assert formats.ranking(plan, formats.history_of(plan, played + waiting, ())).values == means


@pytest.mark.exhaustive
def test_a_prize_is_seldom_given_to_one_of_equals():
    """Of 100 tournaments of five equal bots; benchmarks/until_decided.py plays more."""
    wrong = 0
    for seed in range(100):
        plan = plan_of("until_decided", 5, seed=seed, budget=200)
        _pairings, history = play(plan, chance(seed, void=0))
        wrong += Counter(formats.ranking(plan, history).ranks)[1] == 1
    assert wrong <= 11  # of 5 expected at most; more has a chance of 1 %


def test_a_budget_too_small_for_the_first_look_is_refused():
    with pytest.raises(BadFormat, match="budget: expected 60 or more for 10 entrants, got 59"):
        formats.most_matches(plan_of("until_decided", 10, budget=59))


@pytest.mark.parametrize(
    ("level", "freedom", "printed"),
    [
        (0.05, 5, "2.015"),
        (0.025, 10, "2.228"),
        (0.001, 6, "5.208"),
        (0.005, 30, "2.750"),
        (0.01, 1, "31.821"),
    ],
)
def test_quantiles_are_those_of_printed_tables(level, freedom, printed):
    assert abs(quantile(level, freedom) - Fraction(printed)) <= Fraction(1, 1000)
