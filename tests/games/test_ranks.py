from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from games.core.ranks import ranks


def test_ties_share_the_better_rank_and_use_up_the_next_ones():
    assert ranks([5, 7, 5, -1]) == (2, 1, 2, 4)
    assert ranks([0, 0]) == (1, 1)
    assert ranks([Fraction(1, 3), Fraction(2, 6), Fraction(33, 100)]) == (1, 1, 3)


@given(st.lists(st.fractions(), min_size=1, max_size=8))
def test_a_rank_is_one_more_than_the_number_of_better_scores(scores):
    assert ranks(scores) == tuple(1 + sum(other_score > score for other_score in scores) for score in scores)
