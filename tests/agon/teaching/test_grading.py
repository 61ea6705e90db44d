"""Grades, and the files that spreadsheets, Moodle and Canvas read."""

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.grading import BadScale, Item, Row, Scale, Threshold, to_canvas, to_csv, to_moodle

ITEMS = [Item("Joined", Decimal(10)), Item("Beats (60)", Decimal("2.50"))]
ADA = Row("007", 'Lovelace, "Ada"', "ada@example.org", "A", (Decimal(10), Decimal("1.25")))
BOB = Row("12", "=1+1", "bob@example.org", "", (Decimal(0), None))
SCALE = Scale((Threshold(Decimal(10), "good"), Threshold(Decimal("0.5"), "passed")))


def read(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


@pytest.mark.parametrize(
    ("points", "grade"),
    [("12", "good"), ("10", "good"), ("9.99", "passed"), ("0.50", "passed"), ("0.49", "")],
)
def test_a_grade_is_the_best_one_whose_points_are_reached(points, grade):
    assert SCALE.grade(Decimal(points)) == grade


def test_thresholds_in_another_order_are_refused():
    with pytest.raises(BadScale, match="points of good: expected less than 5, got 10"):
        Scale((Threshold(Decimal(5), "passed"), Threshold(Decimal(10), "good")))


def test_a_spreadsheet_gets_ids_first_points_a_sum_and_a_grade():
    text = to_csv(ITEMS, [ADA, BOB], SCALE)
    assert text.startswith("\ufeffid,name,")
    assert read(text) == [
        ["id", "name", "email", "group", "Joined", "Beats (60)", "total", "grade"],
        ["007", 'Lovelace, "Ada"', "ada@example.org", "A", "10", "1.25", "11.25", "good"],
        ["12", "'=1+1", "bob@example.org", "", "0", "", "0", ""],
    ]


def test_moodle_gets_its_own_headings():
    assert read(to_moodle(ITEMS, [ADA, BOB])) == [
        ["ID number", "Email address", "Joined", "Beats (60)"],
        ["007", "ada@example.org", "10", "1.25"],
        ["12", "bob@example.org", "0", ""],
    ]


def test_canvas_gets_its_columns_and_the_points_possible():
    assert read(to_canvas(ITEMS, [ADA])) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Joined", "Beats [60]"],
        ["    Points Possible", "", "", "", "", "10", "2.50"],
        ['Lovelace, "Ada"', "", "007", "", "A", "10", "1.25"],
    ]


@pytest.mark.parametrize("write", [to_moodle, to_canvas])
def test_milestones_of_one_title_stay_two_columns(write):
    items = [Item("Week", Decimal(1)), Item("Week", Decimal(1)), Item("Week 2", Decimal(1))]
    assert read(write(items, []))[0][-3:] == ["Week", "Week 2", "Week 2 2"]


@pytest.mark.parametrize("title", ["total", "Grade", "id", "name", "email", "group"])
def test_no_milestone_has_the_heading_of_another_column(title):
    headings = read(to_csv([Item(title, Decimal(1))], [], SCALE))[0]
    assert headings[4:] == [f"{title} (milestone)", "total", "grade"]


def test_headings_differ_as_they_are_written():
    items = [Item("=1", Decimal(1)), Item("'=1", Decimal(1))]
    assert read(to_csv(items, [], SCALE))[0][4:6] == ["'=1", "'=1 2"]


@given(st.text(), st.text(), st.text())
def test_no_name_makes_a_formula_or_another_line(number, name, title):
    row = Row(number, name, name, name, (Decimal(1),))
    for text in (
        to_csv([Item(title, Decimal(1))], [row], SCALE),
        to_moodle([Item(title, Decimal(1))], [row]),
        to_canvas([Item(title, Decimal(1))], [row]),
    ):
        lines = read(text)
        assert {len(line) for line in lines} == {len(lines[0])}
        assert sum(len(line) > 0 and "Points Possible" not in line[0] for line in lines) >= 2
        assert not any(
            cell.startswith(tuple("=+-@\t\uff1d\uff0b\uff0d\uff20")) for line in lines for cell in line
        )
        text.encode()


@given(st.decimals("0", "1e9", places=4))
def test_points_are_never_written_with_an_exponent(points):
    row = Row("1", "Ada", "", "", (points,))
    assert Decimal(read(to_moodle([Item("Week", points)], [row]))[1][2]) == points
    assert "E" not in read(to_moodle([Item("Week", points)], [row]))[1][2]
