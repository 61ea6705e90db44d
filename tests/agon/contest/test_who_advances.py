"""Who advances in a knock-out depends on results, ratings and lots, never on names or the order of entry."""

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.contest import formats
from agon.contest.formats import Outcome, groups, seeding
from agon.contest.formats.equal import BY_LOT
from tests.support.examples import at_most

SEEDS = st.integers(0, 2**32)
KNOCK_OUTS = [
    ("single_elimination", 2, {}),
    ("single_elimination", 2, {"third": False, "best_of": 1}),
    ("double_elimination", 2, {}),
    ("groups", 2, {}),
    ("single_elimination", 4, {}),
    ("groups", 4, {}),
]


def plan_of(format, entrants, seats=2, seed=0, ratings=(), **chosen):
    given = formats.with_defaults(format, chosen)
    return formats.make_plan(format, entrants, seats, 1, seed, given, "score", ratings)


def play(plan, results):
    return formats.replay(plan, results, formats.MOST_MATCHES)


def drawn(scheduled, draw=0):
    """Every match is a draw. draw: what the matches' seeds follow from."""
    ranks = (1,) * len(scheduled.seats)
    seed = random.Random(f"{draw} {scheduled.index}").getrandbits(53)
    return Outcome(scheduled.seats, tuple(Fraction(0) for _ in ranks), ranks, seed=seed)


def stronger_wins(strengths):
    """The results where the entrant of the greater strength always wins."""

    def outcome(scheduled):
        order = sorted(scheduled.seats, key=lambda entrant: -strengths[entrant])
        ranks = tuple(order.index(entrant) + 1 for entrant in scheduled.seats)
        return Outcome(scheduled.seats, tuple(Fraction(-rank) for rank in ranks), ranks, seed=scheduled.index)

    return outcome


def ranks_of(plan, results):
    return formats.ranking(plan, play(plan, results)[1]).ranks


@given(
    cup=st.sampled_from(KNOCK_OUTS),
    bots=st.lists(
        st.tuples(st.integers(0, 3000), st.integers()),
        min_size=8,
        max_size=40,
        unique_by=(lambda bot: bot[0], lambda bot: bot[1]),
    ),
    seed=SEEDS,
    data=st.data(),
)
@at_most(20)
def test_the_order_of_entry_changes_no_rank_where_all_ratings_differ(cup, bots, seed, data):
    """bots: rating and strength of each."""
    format, seats, chosen = cup
    entered = data.draw(st.permutations(bots))
    rankings = []
    for order in (bots, entered):
        plan = plan_of(format, len(order), seats, seed, [rating for rating, _ in order], **chosen)
        ranks = ranks_of(plan, stronger_wins([strength for _, strength in order]))
        rankings.append(dict(zip(order, ranks, strict=True)))
    assert rankings[0] == rankings[1]


def test_a_lot_in_a_group_goes_by_the_seeding_and_not_by_the_order_of_entry():
    """Groups of a game of four seats, in which those who are equal at the line did not all meet."""
    draw = random.Random(1)
    bots = [(rating, draw.random()) for rating in range(31)]
    for seed in range(20):
        rankings = []
        for order in (bots, draw.sample(bots, 31)):
            plan = plan_of("groups", 31, 4, seed, [rating for rating, _ in order])
            ranks = ranks_of(plan, stronger_wins([strength for _, strength in order]))
            rankings.append(dict(zip(order, ranks, strict=True)))
        assert rankings[0] == rankings[1]


@pytest.mark.first(2)
@pytest.mark.parametrize(("format", "seats", "chosen"), KNOCK_OUTS[1:])
@pytest.mark.parametrize("ratings", [(), (1500,) * 8], ids=["unrated", "equally rated"])
def test_where_all_are_equal_everyone_wins_equally_often(format, seats, chosen, ratings):
    """80 cups of eight, in which every match is a draw: ten wins each are expected."""
    won = Counter()
    for seed in range(80):
        plan = plan_of(format, 8, seats, seed, ratings, **{"best_of": 1, **chosen})
        ranks = ranks_of(plan, lambda scheduled, seed=seed: drawn(scheduled, seed))
        assert ranks.count(1) == 1
        won[ranks.index(1)] += 1
    distance = sum((won[entrant] - 10) ** 2 / 10 for entrant in range(8))
    assert distance < 24.3  # chi-square with 7 degrees of freedom: a chance of 0.1 %


@given(seed=SEEDS, entrants=st.integers(2, 40))
def test_the_unrated_come_last_and_equal_ratings_are_drawn(seed, entrants):
    ratings = [random.Random(f"{seed} {n}").choice([None, 1400, 1600]) for n in range(entrants)]
    seeds = seeding.seeding(plan_of("single_elimination", entrants, seed=seed, ratings=ratings))
    assert sorted(seeds) == list(range(entrants))
    in_order = [ratings[entrant] or 0 for entrant in seeds]
    assert in_order == sorted(in_order, reverse=True)


def test_a_pairing_that_stays_equal_plays_six_more_and_then_a_lot_decides_and_it_is_said():
    plan = plan_of("single_elimination", 4, best_of=3, third=False)
    scheduled_matches, history = play(plan, drawn)

    matches = Counter(frozenset(scheduled.seats) for scheduled in scheduled_matches)
    assert list(matches.values()) == [3 + 6] * 3
    shown = formats.FORMATS["single_elimination"].show(plan, history)
    pairings = [pairing for chart in shown.charts for column in chart.columns for pairing in column.pairings]
    assert [pairing.note for pairing in pairings] == [BY_LOT] * 3
    ranking = formats.ranking(plan, history)
    assert ranking.criteria == ("ties_won", "lots_won")
    assert sorted(ranking.values) == [(0, 0), (0, 0), (1, 1), (2, 2)]


def test_a_pairing_that_is_decided_while_it_plays_on_needs_no_lot():
    plan = plan_of("single_elimination", 2, best_of=1, ratings=[2, 1])

    def fourth_is_decisive(scheduled):
        if scheduled.index < 3:
            return drawn(scheduled)
        return stronger_wins([1, 2])(scheduled)

    scheduled_matches, history = play(plan, fourth_is_decisive)
    assert len(scheduled_matches) == 1 + 2 + 2
    ranking = formats.ranking(plan, history)
    assert ranking.ranks == (2, 1)
    assert ranking.values == ((0, 0), (1, 0))


def test_at_a_table_a_lot_decides_who_crosses_the_line_and_it_is_said():
    plan = plan_of("single_elimination", 8, 4)
    _pairings, history = play(plan, drawn)
    [chart] = formats.FORMATS["single_elimination"].show(plan, history).charts
    tables = [table for column in chart.columns for table in column.pairings]
    assert [table.note for table in tables] == [BY_LOT] * 3
    ranks = formats.ranking(plan, history).ranks
    assert sorted(ranks) == [1, 2, 2, 2, 5, 5, 5, 5]  # nothing separates the others of the final


def test_in_a_group_a_lot_decides_among_equals_and_those_it_leaves_out_share_their_place():
    plan = plan_of("groups", 8, groups=2, advance=2, third=False)
    _pairings, history = play(plan, drawn)
    shown = formats.FORMATS["groups"].show(plan, history)
    assert [group.note for group in shown.groups] == [BY_LOT] * 2
    ranking = formats.ranking(plan, history)
    assert sorted(ranking.ranks) == [1, 2, 3, 3, 5, 5, 5, 5]
    places = ranking.criteria.index("group_place")
    assert {values[places] for values in ranking.values} == {1}


def test_while_a_match_is_played_nothing_is_decided():
    """A site shows the bracket while matches are played."""
    plan = plan_of("single_elimination", 2, best_of=1)
    scheduled_matches, _history = play(plan, drawn)
    played = [(scheduled_match.round, drawn(scheduled_match)) for scheduled_match in scheduled_matches[:-1]]
    last = scheduled_matches[-1]
    in_play = [*played, (last.round, Outcome(last.seats, is_open=True))]
    [chart] = formats.FORMATS["single_elimination"].show(plan, formats.history_of(plan, in_play)).charts
    [pairing] = chart.columns[0].pairings
    assert (pairing.over, pairing.note) == (False, "")
    groups_plan = plan_of("groups", 8, groups=2, advance=2)
    first = [scheduled for scheduled in play(groups_plan, drawn)[0] if scheduled.round == 0]
    running = formats.history_of(
        groups_plan, [(0, Outcome(scheduled.seats, is_open=True)) for scheduled in first]
    )
    assert groups.bracket(groups_plan, running) is None


def test_matches_that_are_run_again_draw_another_lot():
    """So no one can know the lot first, and then choose whether to run them again."""
    plan = plan_of("single_elimination", 2, best_of=1)
    won = Counter(
        ranks_of(plan, lambda scheduled, draw=draw: drawn(scheduled, draw)).index(1) for draw in range(100)
    )
    assert 30 < won[0] < 70


def test_a_tournament_from_before_lots_keeps_its_rules():
    old = {"best_of": 3, "seeding": "order", "third": False}
    plan = formats.make_plan("single_elimination", 4, 2, 1, 0, old)
    assert (plan.settings["equal"], formats.most_matches(plan)) == ("seed", 3 * 5)
    assert ranks_of(plan, drawn) == (1, 2, 3, 3)
    assert formats.make_plan("swiss", 4, 2, 1, 0, {}).settings["seeding"] == "order"
