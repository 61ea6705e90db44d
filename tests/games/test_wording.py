"""Text for people: one printable line of readable length, that says how much of it was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.wording import exact, shorten


def test_a_short_text_stays_as_it_is_on_one_line() -> None:
    assert shorten("killed by signal 11", 20) == "killed by signal 11"
    assert shorten("one\ntwo\x1b", 20) == "one two "


def test_a_long_text_is_cut_at_a_word_and_says_how_much_was_cut() -> None:
    words = "expected a line such as the one on the rules page and got another"
    assert shorten(words, 55) == "expected a line such as the one... (34 more characters)"
    assert shorten(words, 54) == "expected a line such as the... (38 more characters)"


def test_a_word_that_ends_where_the_cut_is_stays() -> None:
    assert shorten("abcd efgh " * 10, 34) == "abcd efgh... (91 more characters)"


def test_a_single_long_word_is_cut_where_it_must_be() -> None:
    assert shorten("x" * 300, 100) == f"{'x' * 75}... (225 more characters)"


@given(st.text(max_size=400), st.integers(50, 200))
def test_it_is_always_one_printable_line_of_the_length_asked_for(text: str, most: int) -> None:
    line = shorten(text, most)
    assert len(line) <= most
    assert line.isprintable() or not line


@pytest.mark.parametrize(
    ("score", "shown"), [("0", "0"), ("-12", "−12"), ("11/2", "5 1/2"), ("-7/3", "−2 1/3"), ("-1/2", "−1/2")]
)
def test_a_score_is_shown_as_a_mixed_number_with_a_minus_sign(score: str, shown: str) -> None:
    assert exact(score) == shown
