"""The look of a game: its colors, its motif, and what a wrong one gets."""

import re

import pytest

from games.core.look import contrast
from games.core.manifest import BadManifest, all_games, load, read

GOOD = load("coup").folder.joinpath("game.toml").read_text(encoding="utf-8").partition("[look]")[0]
LOOK = '\n[look]\nlight = "#6b2a8c"\ndark = "#cfa0ea"\nmotif = "motif.svg"\n'
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'


@pytest.fixture
def written(tmp_path):
    """Reads the given text as the manifest of a game named coup with that motif."""

    def reader(text, drawing=DRAWING):
        folder = tmp_path / "coup"
        folder.mkdir()
        folder.joinpath("game.toml").write_text(text, encoding="utf-8")
        folder.joinpath("motif.svg").write_text(drawing, encoding="utf-8")
        return read(folder)

    return reader


def test_a_game_has_no_look_of_its_own_unless_it_declares_one(written):
    assert written(GOOD).look is None


def test_a_declared_look_is_read_with_the_tints_of_its_colors(written):
    look = written(GOOD + LOOK).look
    assert (look.light, look.dark, look.motif.name) == ("#6b2a8c", "#cfa0ea", "motif.svg")
    assert (look.light_soft, look.dark_soft) == ("#efe8f2", "#3a313a")


def test_every_game_of_the_project_has_a_look_of_its_own():
    looks = {info.slug: info.look for info in all_games()}
    assert None not in looks.values()
    assert len({(look.light, look.dark) for look in looks.values()}) == len(looks)
    assert len({look.motif.read_bytes() for look in looks.values()}) == len(looks)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#ffffff", "#ffffff", 1.0)],
)
def test_contrast_is_that_of_wcag(first, second, expected):
    assert contrast(first, second) == contrast(second, first) == pytest.approx(expected, abs=0.005)


WRONG = [
    ('light = "#6b2a8c"\n', "", "coup/game.toml: look: light: missing"),
    ("#6b2a8c", "purple", "coup/game.toml: look: light: expected a color such as #6b2a8c, got 'purple'"),
    ("#cfa0ea", "#CFA0EA", "coup/game.toml: look: dark: expected a color such as #6b2a8c, got '#CFA0EA'"),
    ("#6b2a8c", "#d9a7f0", "look: light: expected a color whose contrast .* at least 4.5, got '#d9a7f0'"),
    ("#cfa0ea", "#6b2a8c", "look: dark: expected a color whose contrast .* at least 4.5, got '#6b2a8c'"),
    ("motif.svg", "crown.svg", "coup/game.toml: look: motif: no file crown.svg"),
    ("motif.svg", "../motif.svg", "look: motif: expected a path below the game's folder, got '../motif.svg'"),
    ("motif.svg", "m\\u0000", "look: motif: expected a path below the game's folder, got "),
    ("motif.svg", "m" * 5000, "look: motif: expected a path below the game's folder, got 'mmm"),
    ("[look]", "[look]\nfont = 'Comic'", "coup/game.toml: look: font: no such field"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_a_wrong_look_is_told_with_file_and_field(written, old, new, words):
    with pytest.raises(BadManifest, match=words):
        written(GOOD + LOOK.replace(old, new, 1))


def test_a_look_is_a_table(written):
    with pytest.raises(BadManifest, match=r"coup/game\.toml: look: expected a table, got 'purple'"):
        written('look = "purple"\n' + GOOD)


DRAWINGS = [
    ("<svg", "coup/motif.svg: expected SVG: "),
    ("<html></html>", 'coup/motif.svg: expected <svg xmlns="http://www.w3.org/2000/svg">, got <html>'),
    (DRAWING.replace(" viewBox", " viewbox"), "coup/motif.svg: svg: expected a viewBox, got none"),
    ("<!DOCTYPE svg>" + DRAWING, "coup/motif.svg: expected no document type and no entities"),
    (DRAWING + " " * 8192, "coup/motif.svg: expected at most 8192 bytes, got "),
]


@pytest.mark.parametrize(("drawing", "words"), DRAWINGS)
def test_a_motif_that_is_no_drawing_is_told_with_its_file(written, drawing, words):
    with pytest.raises(BadManifest, match=re.escape(words)):
        written(GOOD + LOOK, drawing)
