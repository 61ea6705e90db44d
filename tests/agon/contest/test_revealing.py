"""Places are revealed from the last to the first, and shared ones together."""

from hypothesis import given
from hypothesis import strategies as st

from agon.contest.revealing import next_step, steps

tables = st.lists(st.integers(1, 6), max_size=30).map(sorted)


def test_places_come_from_the_last_and_shared_ones_together():
    assert steps([1, 2, 2, 4, 5, 5, 5]) == [3, 4, 6, 7]
    assert steps([1, 1, 1]) == [3]
    assert steps([]) == []


@given(tables)
def test_step_by_step_every_place_is_revealed_once_and_no_shared_one_alone(ranks):
    revealed, seen = 0, []
    while (step := next_step(ranks, revealed)) is not None:
        new = ranks[len(ranks) - step : len(ranks) - revealed]
        assert len(set(new)) == 1
        seen.append(new[0])
        revealed = step
    assert revealed == len(ranks)
    assert seen == sorted(set(ranks), reverse=True)


@given(tables, st.integers(0, 40), st.integers(0, 40))
def test_many_at_once_keep_those_hidden_that_were_asked_for(ranks, revealed, hidden):
    step = next_step(ranks, revealed, hidden)
    if revealed >= len(ranks):
        assert step is None
        return
    assert step > revealed
    single_step = next_step(ranks, revealed)
    assert step == single_step or len(ranks) - step >= hidden
    assert step in steps(ranks)


def test_a_step_that_was_cut_by_a_change_of_the_table_is_completed():
    assert next_step([1, 2, 2, 2], 1) == 3
