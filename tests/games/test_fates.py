"""`fates.toml`: what may be in it, and how an error names file, field, what was expected, what is there."""

import dataclasses
from fractions import Fraction
from pathlib import Path

import pytest

from games.core.fates import read_fates
from games.core.manifest import BadManifest, all_games, read

SKELETON = read(Path(__file__).parents[2] / "games" / "core" / "skeleton")
HEAD = '[[fates]]\nname = "x"\npython = "pass"\n'


def fates(folder, text):
    (folder / "fates.toml").write_text(text)
    return read_fates(dataclasses.replace(SKELETON, folder=folder))


def test_what_is_left_out_has_a_default(tmp_path):
    (fate,) = fates(tmp_path, HEAD)
    assert (fate.python, fate.path, fate.against, fate.seat, fate.seed) == ("pass", None, ("Climber",), 0, 1)
    assert (fate.required, fate.permitted, fate.reason, fate.rank, fate.scores, fate.steps) == (
        (),
        (),
        "",
        None,
        None,
        None,
    )
    assert fates(tmp_path, HEAD + 'scores = ["7/2", "-1"]')[0].scores == (Fraction(7, 2), Fraction(-1))


@pytest.mark.parametrize("info", all_games(), ids=lambda info: info.slug)
def test_every_game_here_has_some_and_one_of_them_pins_the_scores(info):
    own_fates = read_fates(info)
    assert any(fate.scores for fate in own_fates)
    assert any(fate.required for fate in own_fates)


WRONG = [
    ("fates", "skeleton/fates.toml: "),
    ("fates = 3", "skeleton/fates.toml: fates: expected tables headed [[fates]], got '3'"),
    ("x = 3", "skeleton/fates.toml: x: no such field"),
    ('[[fates]]\nname = "x"', "fates[0]: expected one of python, file, bot, got none of them"),
    (HEAD + 'file = "a"', "fates[0]: expected one of python, file, bot, got python and file"),
    ('[[fates]]\nname = "x"\nbot = "y"', "fates[0]: bot: expected Climber or Starter, got 'y'"),
    ('[[fates]]\nname = "x"\nfile = "../y"', "file: expected a path below the game's folder, got '../y'"),
    (
        '[[fates]]\nname = "x"\nfile = "\\u0000"',
        "fates[0]: file: expected a path below the game's folder, got '\\x00'",
    ),
    ('[[fates]]\nname = "x"\npython = " "', "fates[0]: python: expected text, got ' '"),
    (
        HEAD.replace("x", "\\u202e"),
        "fates[0]: name: expected a printable name of at most 60 characters, got '\\u202e'",
    ),
    (HEAD.replace("x", "x" * 61), f"a printable name of at most 60 characters, got '{'x' * 60}'"),
    (HEAD + HEAD, "skeleton/fates.toml: fates: the name 'x' is there twice"),
    (HEAD * 101, "fates: expected at most 100, got 101"),
    (HEAD + "seat = 0", "fates[0]: seat: expected a whole number from 1 to 2, got '0'"),
    (HEAD + "seat = 3", "fates[0]: seat: expected a whole number from 1 to 2, got '3'"),
    (HEAD + "seed = -1", "fates[0]: seed: expected a whole number from 0 to 9007199254740992, got '-1'"),
    (HEAD + 'rank = "1"', "fates[0]: rank: expected a whole number from 1 to 2, got '1'"),
    (HEAD + "scores = [1, 2]", "fates[0]: scores[0]: expected text, got '1'"),
    (
        HEAD + 'scores = ["1", "1/0"]',
        'scores[1]: expected an exact number, such as "13" or "7/2", got \'1/0\'',
    ),
    (HEAD + 'scores = ["1", "1e999999999"]', "scores[1]: expected an exact number, such as"),
    (HEAD + f'scores = ["1", "{"1" * 61}"]', "scores[1]: expected an exact number, such as"),
    (HEAD + "steps = -1", "fates[0]: steps: expected a whole number from 0 to 1000000, got '-1'"),
    (HEAD + 'scores = ["1"]', "fates[0]: scores: expected 2 of them, got 1"),
    (HEAD + 'required = "crash"', "fates[0]: required: expected a list, got 'crash'"),
    (HEAD + 'permitted = ["wrong"]', "permitted[0]: expected start or timeout or crash or illegal"),
    (HEAD + "permitted = [[1]]", "permitted[0]: expected start or timeout or crash or illegal"),
    (HEAD + 'reason = "x"', "fates[0]: reason: expected `required` or `permitted` beside it, got neither"),
    (HEAD + "against = []", "fates[0]: against: expected a house bot or starter, got none"),
    (
        HEAD + 'against = ["Me"]',
        "against[0]: expected a house bot or starter (Climber, Starter), got 'Me'",
    ),
    (HEAD + "fate = 1", "fates[0]: fate: no such field"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_wrong_field_is_named(tmp_path, text, words):
    with pytest.raises(BadManifest) as error:
        fates(tmp_path, text)
    assert words in str(error.value)
