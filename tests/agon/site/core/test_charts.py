"""Charts are well-formed, stay within their frame, and say what they show."""

import re
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from agon.site.web.core.charts import HEIGHT, WIDTH, Bar, Point, Series, bars, lines, nice_ticks

NUMBERS = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
POINTS = st.builds(lambda x, y, d: Point(x, y, y - d, y + d), NUMBERS, NUMBERS, st.floats(0, 1e4))
SERIES = st.lists(
    st.builds(
        Series,
        st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=30),
        st.lists(POINTS, max_size=6),
    ),
    max_size=10,
)


def coordinates(svg: str) -> list[tuple[float, float]]:
    pairs = [pair.split(",") for points in re.findall(r'points="([^"]*)"', svg) for pair in points.split()]
    return [(float(x), float(y)) for x, y in pairs]


@given(SERIES)
def test_lines_and_bands_stay_within_the_frame_and_name_every_series(series):
    svg = lines("A <b>", "What & why", series, str, str)
    if not any(curve.points for curve in series):
        assert svg == ""
        return
    root = ElementTree.fromstring(svg)
    assert [root[0].text, root[1].text] == ["A <b>", "What & why"]
    assert root.attrib["aria-labelledby"].split() == [root[0].attrib["id"], root[1].attrib["id"]]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in coordinates(svg))
    labels = [label for label in root.iter("text") if label.attrib.get("class", "").startswith("label-")]
    assert len(labels) == sum(bool(curve.points) for curve in series)
    heights = sorted(float(label.attrib["y"]) for label in labels)
    assert all(later - earlier > 11 for earlier, later in pairwise(heights))


@given(st.lists(st.builds(Bar, st.just("x"), st.floats(0, 1e6), st.text("<&\"'", max_size=3)), max_size=25))
def test_bars_are_as_high_as_their_values(shown):
    svg = bars("Bars", "", shown, str)
    highest = max((point.value for point in shown), default=0)
    if highest <= 0:
        assert svg == ""
        return
    heights = [float(rect.attrib["height"]) for rect in ElementTree.fromstring(svg).iter("rect")]
    for bar, height in zip(shown, heights, strict=True):
        assert abs(height / max(heights) - bar.value / highest) < 0.01


@given(st.integers(1, 60), st.integers(1, 4))
def test_labels_of_bars_do_not_touch_and_the_first_is_there(number, length):
    svg = bars("Bars", "", [Bar("8" * length, 1.0, "x") for _ in range(number)], str)
    texts = ElementTree.fromstring(svg).iter("text")
    places = [float(text.attrib["x"]) for text in texts if text.attrib["text-anchor"] == "middle"]
    assert places[0] < 100
    widest = 7.8 * length  # of digits of 13 px, which charts have on a phone
    assert all(later - earlier > widest for earlier, later in pairwise(places))


@given(NUMBERS, NUMBERS)
def test_ticks_are_few_round_numbers_within_the_range(first, second):
    low, high = sorted((first, second))
    ticks = nice_ticks(low, high)
    assert 1 <= len(ticks) <= 6
    slack = (high - low) * 1e-6
    assert all(low - slack <= tick <= high + slack for tick in ticks)


def test_ticks_of_ratings():
    assert nice_ticks(1380, 1610) == [1400, 1500, 1600]
