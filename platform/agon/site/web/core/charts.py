"""Charts as SVG, made on the server: lines with bands, and bars.

Charts have a title and a description. Their colors, in static/css/charts.css, can be told apart without
seeing red and green, and series also differ by dashes and labels. Every chart comes with its numbers as a
table or a file.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT = 380.0, 210.0  # small, so that text is legible on a phone, where a chart is little wider
LEFT, RIGHT, TOP, BOTTOM = 44.0, 102.0, 10.0, 24.0
COLORS = 8
WIDEST = 48.0  # of a bar
TICKS = 4
TINY = 1e-9
LINE = 13.0  # between two labels
LONGEST_LABEL = 13  # characters
LETTER = 8.0  # the width of nearly every letter, at most

_numbers = count(1)


class Point(NamedTuple):
    """low, high: of the band around y."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """A line of a chart. label: for the legend."""

    label: str
    points: Sequence[Point]


class Bar(NamedTuple):
    """label: "" for one without. title: what the bar says when it is pointed at."""

    label: str
    value: float
    title: str


class _Scale(NamedTuple):
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = self.high - self.low
        place = (value - self.low) / span if span else 0.5
        return round(self.start + place * (self.end - self.start), 1)


def lines(
    title: str,
    description: str,
    series: Sequence[Series],
    name_x: Callable[[float], str],
    name_y: Callable[[float], str],
) -> SafeString:
    """Lines, each with its band and its label at the end; "" without a point."""
    points = [point for line in series for point in line.points]
    if not points:
        return SafeString("")
    values = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    ticks = nice_ticks(min(values), max(values))
    x = _Scale(min(point.x for point in points), max(point.x for point in points), LEFT, WIDTH - RIGHT)
    y = _Scale(min(ticks[0], *values), max(ticks[-1], *values), HEIGHT - BOTTOM, TOP)
    parts = [_horizontal(tick, y, name_y) for tick in ticks]
    parts += [_below(x.at(x.low), "start", name_x(x.low))]
    parts += [_below(x.at(x.high), "end", name_x(x.high))] if x.high > x.low else []
    parts += [_band(line, place, x, y) for place, line in enumerate(series)]
    parts += [_line(line, place, x, y) for place, line in enumerate(series)]
    parts += _labels(series, x, y)
    return _svg(title, description, parts)


def bars(title: str, description: str, shown: Sequence[Bar], name_y: Callable[[float], str]) -> SafeString:
    """Bars side by side; "" without one above zero. A label that has no room is left out."""
    highest = max((bar.value for bar in shown), default=0.0)
    if highest <= 0:
        return SafeString("")
    ticks = nice_ticks(0.0, highest)
    y = _Scale(0.0, max(ticks[-1], highest), HEIGHT - BOTTOM, TOP)
    step = min((WIDTH - LEFT - 10) / len(shown), WIDEST)
    parts = [_horizontal(tick, y, name_y, WIDTH - 10) for tick in ticks]
    free = 0.0
    for place, item in enumerate(shown):
        left = round(LEFT + place * step, 1)
        parts.append(
            format_html(
                '<rect class="bar" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>',
                *(left + 1, y.at(item.value), round(max(step - 2, 1), 1)),
                *(round(y.at(0) - y.at(item.value), 1), item.title),
            )
        )
        middle, half = left + step / 2, len(item.label) * LETTER / 2
        if item.label and middle - half >= free:
            parts.append(_below(round(middle, 1), "middle", item.label))
            free = middle + half + LETTER / 2
    return _svg(title, description, parts)


def nice_ticks(low: float, high: float) -> list[float]:
    """About TICKS round numbers from `low` or a little above to `high` or a little below, at least one."""
    span = high - low
    if span < TINY:
        return [low]
    raw = span / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step - 1e-9)
    ticks = [tick * step for tick in range(first, math.floor(high / step + 1e-9) + 1)]
    return ticks or [low]


def _horizontal(
    tick: float, y: _Scale, name: Callable[[float], str], right: float = WIDTH - RIGHT
) -> SafeString:
    return format_html(
        '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text x="{}" y="{}" text-anchor="end">{}</text>',
        *(LEFT, right, y.at(tick), y.at(tick), LEFT - 5, y.at(tick) + 4, name(tick)),
    )


def _below(x: float, anchor: str, text: str) -> SafeString:
    return format_html('<text x="{}" y="{}" text-anchor="{}">{}</text>', x, HEIGHT - 7, anchor, text)


def _band(series: Series, place: int, x: _Scale, y: _Scale) -> SafeString:
    banded = [point for point in series.points if point.low is not None and point.high is not None]
    upper = [f"{x.at(point.x)},{y.at(point.high or 0.0)}" for point in banded]
    lower = [f"{x.at(point.x)},{y.at(point.low or 0.0)}" for point in reversed(banded)]
    if not banded:
        return SafeString("")
    return format_html('<polygon class="band-{}" points="{}"/>', place % COLORS, " ".join(upper + lower))


def _line(series: Series, place: int, x: _Scale, y: _Scale) -> SafeString:
    if not series.points:
        return SafeString("")
    path = " ".join(f"{x.at(point.x)},{y.at(point.y)}" for point in series.points)
    last = series.points[-1]
    return format_html(
        '<polyline class="line-{0}" points="{1}"/><circle class="dot-{0}" cx="{2}" cy="{3}" r="3"/>',
        *(place % COLORS, path, x.at(last.x), y.at(last.y)),
    )


def _labels(series: Sequence[Series], x: _Scale, y: _Scale) -> list[SafeString]:
    """The names at the ends of the lines, moved down where they would overlap, all of them within the
    chart.
    """
    ends = sorted((y.at(item.points[-1].y), place, item) for place, item in enumerate(series) if item.points)
    lowest = HEIGHT - BOTTOM
    free = TOP
    parts = []
    for number, (height, place, item) in enumerate(ends):
        left_below = (len(ends) - number - 1) * LINE
        free = max(min(height, lowest - left_below), free)
        parts.append(
            format_html(
                '<text class="label-{}" x="{}" y="{}">{}</text>',
                *(place % COLORS, WIDTH - RIGHT + 8, round(free + 4, 1), _short(item.label)),
            )
        )
        free += LINE
    return parts


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def _svg(title: str, description: str, parts: Sequence[str]) -> SafeString:
    number = next(_numbers)
    return mark_safe(
        f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"'
        f' aria-labelledby="chart-{number}-title chart-{number}-description">'
        f'<title id="chart-{number}-title">{escape(title)}</title>'
        f'<desc id="chart-{number}-description">{escape(description)}</desc>{"".join(parts)}</svg>'
    )
