"""Draws the picture that other sites show beside a link to a match: bots, scores, and how the lead changed.

It is drawn with Pillow and a font of the site (fonts/), so that it is the same on every machine. The font has
the letters of European languages. A name in other letters is replaced by the number of the seat.
"""

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630  # pixels, what sites ask for
ACCENT = "#f39a72"  # for games without one
_SCALE = 2  # drawn larger and reduced, for smooth lines
_MARGIN = 60
_BAND = 14  # at the left edge, in the accent
_GAP = 40  # at least, between a name and its score
_PAPER, _INK, _MUTED, _LINE = "#1d1a16", "#ede9e1", "#a9a294", "#36322c"
_SEATS = ("#6fb7f0", "#ff9d5c", "#4fd1ab", "#e5a3dc")  # as in the player (static/js/player_style.js)
_GOLD = "#eac056"
_FONT = Path(__file__).with_name("fonts") / "DejaVuSans.ttf"
_NO_LETTER = "\uffff"
_MOST_SEATS = 4  # those ranked best, if there are more

_Point = tuple[float, float]


class Side(NamedTuple):
    """A seat as it is shown. rank: 1 is best."""

    number: int
    name: str
    score: str
    rank: int


def draw(title: str, sides: Sequence[Side], curve: Sequence[Sequence[float]], accent: str = ACCENT) -> bytes:
    """Draw the picture, as a PNG.

    curve: [frame, one number per seat], in the order of the frames; [] draws none. accent: the game's color
    for dark backgrounds.
    """
    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle([_to_pixels((0, 0)), _to_pixels((_BAND, HEIGHT))], fill=accent)
    _text(
        pen,
        (_MARGIN, 74),
        _truncated(_drawable_name(title, "Match"), 44, WIDTH - 2 * _MARGIN - 150),
        44,
        accent,
    )
    _text(pen, (WIDTH - _MARGIN - 110, 74), "Agon", 44, _MUTED)
    shown = sorted(sides, key=lambda side: side.rank)[:_MOST_SEATS]
    height = 74 if len(shown) > 2 else 96
    for place, side in enumerate(sorted(shown)):
        _side(pen, side, 130 + place * height, height)
    _curve(pen, curve, 150 + len(shown) * height)
    data = io.BytesIO()
    # Better filters and `optimize=True` take five times as long; the filters ring, which doubles the size.
    image.reduce(_SCALE).save(data, "PNG")
    return data.getvalue()


def _side(pen: ImageDraw.ImageDraw, side: Side, top: float, height: float) -> None:
    size = int(height * 0.58)
    color = _SEATS[side.number % len(_SEATS)]
    middle = top + height / 2
    _shape(pen, side.number, (_MARGIN + 22, middle), 20, color)
    ink = _GOLD if side.rank == 1 else _INK
    left = _MARGIN + 66
    room = WIDTH - _MARGIN - left - _width(side.score, size) - _GAP
    name = _drawable_name(side.name, f"Seat {side.number + 1}")
    _text(pen, (left, middle), _truncated(name, size, room), size, ink)
    _text(pen, (WIDTH - _MARGIN, middle), side.score, size, ink, right=True)


def _shape(pen: ImageDraw.ImageDraw, number: int, center: _Point, radius: float, color: str) -> None:
    x, y = center
    left, right, top, bottom = x - radius, x + radius, y - radius, y + radius
    corners: Sequence[Sequence[_Point]] = (
        (),
        ((left, top), (right, top), (right, bottom), (left, bottom)),
        ((x, top), (right, bottom), (left, bottom)),
        ((x, top), (right, y), (x, bottom), (left, y)),
    )
    chosen = corners[number % len(corners)]
    if chosen:
        pen.polygon([_to_pixels(point) for point in chosen], fill=color)
    else:
        pen.ellipse([_to_pixels((x - radius, y - radius)), _to_pixels((x + radius, y + radius))], fill=color)


def _curve(pen: ImageDraw.ImageDraw, curve: Sequence[Sequence[float]], top: float) -> None:
    if len(curve) < 2:
        return
    bottom, left, right = HEIGHT - 48, _MARGIN, WIDTH - _MARGIN
    values = [value for _frame, *standing in curve for value in standing]
    low, high, last = min(values), max(values), curve[-1][0]
    spread = max(high - low, 1e-9)

    def place(frame: float, value: float) -> _Point:
        return left + (right - left) * frame / last, bottom - (bottom - top) * (value - low) / spread

    pen.line([_to_pixels((left, bottom)), _to_pixels((right, bottom))], fill=_LINE, width=2 * _SCALE)
    for seat in reversed(range(len(curve[0]) - 1)):
        points = [_to_pixels(place(point[0], point[seat + 1])) for point in curve]
        pen.line(points, fill=_SEATS[seat % len(_SEATS)], width=5 * _SCALE, joint="curve")


def _text(
    pen: ImageDraw.ImageDraw, at: _Point, text: str, size: int, color: str, *, right: bool = False
) -> None:
    pen.text(_to_pixels(at), text, fill=color, font=_font(size), anchor="rm" if right else "lm")


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONT, size * _SCALE)


@cache
def _glyph(letter: str) -> bytes:
    mask = _font(20).getmask(letter)
    return bytes(str(mask.size), "ascii") + bytes(mask)


def _width(text: str, size: int) -> float:
    return _font(size).getlength(text) / _SCALE


def _drawable_name(name: str, otherwise: str) -> str:
    """The name if it is not empty and the font has all its letters; else `otherwise`."""
    known = all(letter.isprintable() and _glyph(letter) != _glyph(_NO_LETTER) for letter in name)
    return name if name and known else otherwise


def _truncated(text: str, size: int, room: float) -> str:
    """The text, cut so that it is no wider than `room`."""
    if _width(text, size) <= room:
        return text
    most = next((most for most in range(len(text), 0, -1) if _width(f"{text[:most]}…", size) <= room), 0)
    return f"{text[:most]}…"


def _to_pixels(point: _Point) -> _Point:
    return point[0] * _SCALE, point[1] * _SCALE
