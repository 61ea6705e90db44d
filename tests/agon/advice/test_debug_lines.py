"""What bots wrote to standard error, by frame, and the overlays that they ask for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.advice.debug_lines import LONGEST_SHOWN, BadDebugLine, pieces, read_line
from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.record import SeatInfo


@pytest.fixture(scope="module")
def log():
    """Honest RPS: two asks a round, of which a frame is made."""
    driver = play(load("honest_rps"), [lambda request: "R"] * 2, 1)
    return driver.log([SeatInfo("a", ""), SeatInfo("b", "")])


def test_text_belongs_to_the_frame_of_the_ask_that_it_followed(log):
    parts = ["starting\n", "claim 1\n", "throw 1\n", "", "throw 2\n"]
    asks, size = [], 0
    for part in parts:
        size += len(part)
        asks.append(size)
    text_pieces = pieces(log, 1, "".join(parts).encode(), asks[:-1])
    assert [(line.frame, line.seat, line.text) for line in text_pieces] == [
        (0, 1, "starting\nclaim 1\nthrow 1"),
        (1, 1, "throw 2"),
    ]


def test_without_places_all_of_it_is_told_at_the_first_frame(log):
    assert [(piece.frame, piece.text) for piece in pieces(log, 0, b"hello", [])] == [(0, "hello")]


def test_the_last_good_debug_line_of_a_frame_is_drawn_and_bad_ones_stay_text(log):
    stderr = b"".join(
        line + b"\n"
        for line in (
            b'@debug {"text": "old"}',
            b"x\x1b[31m",
            b'@debug {"bars": {"R": 0.5}, "places": {"R": "best"}}',
            b'@debug {"x": 1}',
        )
    )
    [piece] = pieces(log, 0, stderr, [0])
    assert piece.overlay == {"bars": {"R": 0.5}, "places": {"R": "best"}}
    assert piece.text == 'x\\x1b[31m\n@debug {"x": 1} [expected text, bars and places, got x]'


def test_much_text_at_one_step_is_cut(log):
    [piece] = pieces(log, 0, b"a" * 60_000, [0])
    assert len(piece.text) == LONGEST_SHOWN + 1


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ("{", "expected JSON"),
        ("[1]", "expected an object"),
        ('{"text": 1}', "text: expected text of at most 200"),
        (json.dumps({"text": "a" * 201}), "text: expected text of at most 200"),
        ('{"bars": [1]}', "bars: expected an object"),
        ('{"bars": {"a": "1"}}', "bars.a: expected a number"),
        ('{"bars": {"a": true}}', "bars.a: expected a number"),
        ('{"bars": {"a": NaN}}', "bars.a: expected a number"),
        ('{"bars": {"a": Infinity}}', "bars.a: expected a number"),
        (json.dumps({"bars": {"a": 10**400}}), "bars.a: expected a number"),
        (json.dumps({"bars": {str(n): 1 for n in range(13)}}), "bars: expected at most 12 entries, got 13"),
        (json.dumps({"bars": {"a" * 25: 1}}), "bars: a label: expected text of at most 24"),
        ('{"places": {"3": null}}', "places.3: expected a number"),
        ("[" * 1500, "expected JSON"),
        (" " * 3000, "expected at most 2000 characters"),
    ],
)
def test_what_is_wrong_about_a_debug_line_is_named(data, wrong):
    with pytest.raises(BadDebugLine) as error:
        read_line(f"@debug {data}")
    assert str(error.value).startswith(wrong)


@given(st.text(max_size=300) | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_any_line_is_drawn_or_stays_text(log, line):
    written = f"@debug {line}".encode(errors="replace")
    for piece in pieces(log, 0, written, [0]):
        assert piece.overlay is not None or piece.text.startswith("@debug")


@given(st.binary(max_size=400), st.lists(st.integers(0, 500), max_size=600))
def test_any_output_and_any_places_give_pieces(log, stderr, asks):
    for piece in pieces(log, 0, stderr, sorted(asks)):
        assert 0 <= piece.frame < len(log.frames)
