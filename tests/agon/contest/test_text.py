"""Which characters of a bot's output are escaped."""

from unicodedata import bidirectional, category

import pytest

from agon.contest.text import escape_controls, escape_formula, unescape_formula

TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # change the direction of text
PLANE = "".join(map(chr, range(0x10000)))  # no later one has control characters


def test_control_characters_surrogates_and_what_turns_text_around_are_escaped_and_nothing_else():
    odd = {char for char in PLANE if category(char) in ("Cc", "Cs") or bidirectional(char) in TURNS}
    odd -= set("\n\t")
    plain = "".join(char for char in PLANE if char not in odd)

    assert escape_controls(plain) == plain
    assert all(escape_controls(char) == char.encode("unicode_escape").decode() for char in odd)


def test_line_ends_of_windows_become_those_of_unix():
    assert escape_controls("a\r\nb\rc\n") == "a\nb\\rc\n"


@pytest.mark.parametrize(
    "text", ["=1+1", "\uff1d1\uff0b1", "\uff0b1", "\uff0d1", "\uff20SUM(1)", "-1", "Ada", ""]
)
def test_what_is_escaped_for_a_spreadsheet_is_read_again_as_it_was(text):
    assert unescape_formula(escape_formula(text)) == text


def test_full_width_signs_begin_formulas_in_east_asian_spreadsheets():
    for sign in "=+-@":
        wide = chr(ord(sign) + 0xFEE0)
        assert escape_formula(f"{wide}1") == f"'{wide}1"
