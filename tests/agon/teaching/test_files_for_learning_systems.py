"""The files of grades, read by the rules that Canvas and Moodle document for imports, and by none of our
code.

Canvas ("How do I import grades in the Gradebook?"): the first columns are Student and ID, then in this
order, if they are there, SIS User ID, SIS Login ID, Integration ID and Root Account, then Section; all
others are assignments, but those that Canvas computes, which are ignored. A number in parentheses at the
end of a heading is the id of an assignment. The row after the headings may be "Points Possible". An empty
cell changes nothing.

Moodle ("Grade import", CSV): a mark at the beginning is dropped, each row has as many cells as the
headings, a heading is mapped to one column, an identifying column finds the student, and a grade is a
number up to the maximum of its item; an empty cell changes nothing.
"""

import csv
import io
import re
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.grading import Item, Row, to_canvas, to_moodle

COMPUTED = re.compile(
    r"(?:(?:Unposted )?(?:Current|Final) (?:Score|Grade|Points)|Override (?:Score|Grade|Status)|Notes)$"
)
OPTIONAL = ("SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
TITLES = st.sampled_from(
    [
        "First bot",
        "Beat it, twice",
        'The "best" (12)',
        "Final Score",
        "Notes",
        "Section",
        "Email address",
        "=1+1",
        "宿題 (7)",
        "宿題 [7]",
        "Ü",
    ]
)
POINTS = st.decimals(0, 100, places=2)


def canvas(text: str) -> tuple[dict[str, Decimal], dict[str, dict[str, Decimal]]]:
    """The points possible of each assignment, and the grades by SIS User ID and assignment."""
    head, possible, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert head[:2] == ["Student", "ID"]
    known = ["Student", "ID"]
    for name in OPTIONAL:
        known += [name] if head[len(known)] == name else []
    assert head[len(known)] == "Section"
    known.append("Section")
    assert possible[0].strip() == "Points Possible"
    at = {place: name for place, name in enumerate(head) if place >= len(known) and not COMPUTED.match(name)}
    assert not any(name in ("Student", "ID", "Section", *OPTIONAL) for name in at.values())
    assert not any(re.search(r"\(\d+\)$", name) for name in at.values()), "an id of Canvas's own"
    assert len(set(at.values())) == len(at), "two columns are one assignment"
    grades = {
        row[head.index("SIS User ID")]: {
            name: Decimal(row[place]) for place, name in at.items() if row[place]
        }
        for row in rows
    }
    return {name: Decimal(possible[place]) for place, name in at.items()}, grades


def moodle(text: str, most: dict[str, Decimal]) -> dict[str, dict[str, Decimal]]:
    """The grades by ID number and heading. most: the maximum of each item, in the order of the columns."""
    head, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    assert len(head) == len(set(head)) > 1
    assert all(len(row) == len(head) for row in rows), "csvweirdcolumns"
    items = [name for name in head if name not in ("ID number", "Email address")]
    assert len(items) == len(most)
    grades = {}
    for row in rows:
        given = {name: Decimal(row[head.index(name)]) for name in items if row[head.index(name)]}
        assert all(
            0 <= given[name] <= limit
            for name, limit in zip(items, most.values(), strict=True)
            if name in given
        )
        grades[row[head.index("ID number")]] = given
    return grades


@given(st.lists(st.tuples(TITLES, POINTS), min_size=1, max_size=6), st.data())
def test_both_systems_read_the_points_that_were_given(milestones, data):
    items = [Item(title, most) for title, most in milestones]
    points = [st.none() | st.decimals(0, item.points, places=2) for item in items]
    rows = [
        Row(f"s{number}", f"Ada, {number}", "a@b.example", "A", data.draw(st.tuples(*points)))
        for number in range(3)
    ]
    possible, grades = canvas(to_canvas(items, rows))
    assert list(possible.values()) == [item.points for item in items]
    own = moodle(to_moodle(items, rows), possible)
    for row in rows:
        given_points = [point for point in row.points if point is not None]
        assert list(grades[row.number].values()) == list(own[row.number].values()) == given_points
