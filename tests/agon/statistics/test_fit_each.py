"""Many tables of results fitted at once: each as if it were fitted alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.statistics.ratings import fit_each as at_once
from agon.statistics.ratings.counts import of_match
from agon.statistics.ratings.fit import fit
from agon.statistics.ratings.fit_each import fit_each

ENTRANTS = 5
RESULTS = st.lists(
    st.integers(2, 4).flatmap(
        lambda seats: st.tuples(
            st.lists(st.integers(0, ENTRANTS - 1), min_size=seats, max_size=seats),
            st.lists(st.integers(1, seats), min_size=seats, max_size=seats),
        )
    ),
    max_size=8,
)
OFTEN = st.sampled_from([0, 1, 2, 7, 100, 10**6])


def alone(entrants, pairs, numbers):
    """The strengths by the fit of ratings, about their mean."""
    rows = [
        pair._replace(
            first_ahead=pair.first_ahead * number,
            tied=pair.tied * number,
            second_ahead=pair.second_ahead * number,
        )
        for row, number in zip(pairs, numbers, strict=True)
        for pair in row
        if number
    ]
    fitted = fit(range(entrants), rows)
    strengths = fitted.strengths[[fitted.place[entrant] for entrant in range(entrants)]]
    return strengths - strengths.mean()


@given(results=RESULTS, data=st.data())
def test_each_table_has_the_strengths_that_it_has_alone(results, data):
    pairs = [of_match(*result) for result in results]
    counts = st.lists(OFTEN, min_size=len(results), max_size=len(results))
    tables = data.draw(st.lists(counts, min_size=1, max_size=4))
    fitted = fit_each(ENTRANTS, pairs, np.array(tables, dtype=np.int64).reshape(len(tables), -1))
    for row, numbers in zip(fitted, tables, strict=True):
        assert row == pytest.approx(alone(ENTRANTS, pairs, numbers), abs=1e-9)


@given(start=st.lists(st.floats(-30, 30), min_size=3, max_size=3))
def test_a_start_far_away_leads_to_the_same_strengths(start):
    pairs = [of_match(*result) for result in [((0, 1), (1, 2)), ((1, 2), (1, 2)), ((0, 2), (1, 1))]]
    numbers = np.array([[1000, 1, 3], [0, 40, 2]])
    assert fit_each(3, pairs, numbers, np.array(start)) == pytest.approx(
        fit_each(3, pairs, numbers), abs=1e-9
    )


def test_tables_that_do_not_fit_into_one_array_are_fitted_in_turn(monkeypatch):
    pairs = [of_match((0, 1), (1, 2)), of_match((1, 2), (1, 2))]
    numbers = np.array([[place, 7] for place in range(9)])
    whole = fit_each(3, pairs, numbers)
    monkeypatch.setattr(at_once, "AT_ONCE", 4 * 9)
    assert fit_each(3, pairs, numbers) == pytest.approx(whole, abs=1e-12)
