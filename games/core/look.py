"""How a game looks on its pages: one color in two shades, and a motif.

[look]                        of a manifest; a game without it looks as the site does
light = "#6b2a8c"             the accent on light pages: links, buttons, the cover of its card
dark = "#cfa0ea"              the same color for dark pages
motif = "motif.svg"           a drawing in the game's folder. Only its opacity counts: pages color it

Text is written in the accent, and in white on the light one, so both must be readable (WCAG 2.2, 1.4.3).
"""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from games.core.toml_fields import BadManifest, TomlTable

MOST_BYTES = 8192  # of a motif: every page of the site has it in its style sheet
LEAST_CONTRAST = 4.5
LIGHT_BACKGROUND, DARK_BACKGROUND = "#ffffff", "#1e1c19"  # the surfaces of static/css/tokens.css
LIGHT_TINT, DARK_TINT = 0.11, 0.16  # the share of the accent in the background of a header

_COLOR = re.compile(r"#[0-9a-f]{6}", re.ASCII)
_SVG = "{http://www.w3.org/2000/svg}svg"


@dataclass(frozen=True)
class Look:
    """Colors as #rrggbb. light_soft, dark_soft: the backgrounds of headers."""

    light: str
    dark: str
    motif: Path

    @property
    def light_soft(self) -> str:
        """The accent, made paler, for backgrounds of light pages."""
        return _mix(self.light, LIGHT_BACKGROUND, LIGHT_TINT)

    @property
    def dark_soft(self) -> str:
        """The accent, made darker, for backgrounds of dark pages."""
        return _mix(self.dark, DARK_BACKGROUND, DARK_TINT)


def read_look(table: TomlTable, folder: Path) -> Look:
    """The table [look] of the manifest in `folder`. Raises BadManifest."""
    look = Look(_color(table, "light"), _color(table, "dark"), _motif(table, folder))
    _check_contrast(table, "light", look.light, look.light_soft)
    _check_contrast(table, "dark", look.dark, look.dark_soft)
    return table.done(look)


def contrast(first: str, second: str) -> float:
    """The contrast of two colors, from 1 to 21, as WCAG defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _color(table: TomlTable, name: str) -> str:
    text = table.text(name)
    if not _COLOR.fullmatch(text):
        raise table.reader.wrong(table.at(name), "a color such as #6b2a8c", text)
    return text


def _check_contrast(table: TomlTable, name: str, accent: str, background: str) -> None:
    actual = contrast(accent, background)
    if actual < LEAST_CONTRAST:
        words = (
            f"expected a color whose contrast with its own tint, {background}, is at least {LEAST_CONTRAST}"
        )
        raise table.reader.refuse(table.at(name), f"{words}, got '{accent}' with {actual:.1f}")


def _motif(table: TomlTable, folder: Path) -> Path:
    path = table.path_below("motif", folder)
    if not path.is_file():
        raise table.reader.refuse(table.at("motif"), f"no file {path.name}")
    _check_drawing(path.read_bytes(), f"{folder.name}/{path.name}")
    return path


def _check_drawing(data: bytes, where: str) -> None:
    if len(data) > MOST_BYTES:
        raise BadManifest(f"{where}: expected at most {MOST_BYTES} bytes, got {len(data)}")
    if b"<!" in data.replace(b"<!--", b""):
        raise BadManifest(f"{where}: expected no document type and no entities")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BadManifest(f"{where}: expected SVG: {error}") from None
    if root.tag != _SVG:
        raise BadManifest(f'{where}: expected <svg xmlns="http://www.w3.org/2000/svg">, got <{root.tag}>')
    if root.get("viewBox") is None:
        raise BadManifest(f"{where}: svg: expected a viewBox, got none")


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _mix(color: str, background: str, share: float) -> str:
    parts = zip(_channels(color), _channels(background), strict=True)
    return "#" + "".join(f"{round(share * front + (1 - share) * back):02x}" for front, back in parts)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
