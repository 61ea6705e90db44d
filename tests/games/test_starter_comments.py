"""Starters have comments in other languages, and the same code in all of them."""

import ast
import tomllib
from pathlib import Path

import pytest

from games.core.comments import with_comments
from games.core.manifest import all_games, starters

PYTHON = [
    pytest.param(bot.path, id=info.slug)
    for info in all_games()
    for bot in starters(info)
    if bot.language == "python"
]
LANGUAGES = ("ja", "ru")


def code_of(text: str) -> str:
    """The program without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body.pop(0)
    return ast.dump(tree)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", PYTHON)
def test_only_comments_differ_and_all_of_them(program: Path, language: str) -> None:
    english = program.read_text("utf-8")
    translated = with_comments(program, language)
    assert code_of(translated) == code_of(english)
    assert max(map(len, translated.splitlines())) <= 120
    assert "yours to change" not in translated
    remarks = [line.partition("  # ")[2] for line in translated.splitlines() if "  # " in line]
    assert remarks
    assert all(not remark.isascii() for remark in remarks)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", PYTHON)
def test_every_translation_belongs_to_a_comment(program: Path, language: str) -> None:
    table = tomllib.loads(program.with_suffix(f".{language}.toml").read_text("utf-8"))
    text = program.read_text("utf-8")
    assert [each["text"] for each in table["comments"] if text.count(each["text"]) != 1] == []


@pytest.mark.parametrize("language", ["en", "de", "", "../ja", "x/y"])
def test_without_a_table_it_stays_english(language: str) -> None:
    program = PYTHON[0].values[0]
    assert with_comments(program, language) == program.read_text("utf-8")
