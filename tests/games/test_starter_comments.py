"""Starters have comments in other languages, and the same code in all of them."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from games.core.comments import with_comments
from games.core.manifest import all_games, starters

PROGRAMS = [bot.path for info in all_games() for bot in starters(info)]
PYTHON = [program for program in PROGRAMS if program.suffix == ".py"]
TABLES = sorted({table for program in PROGRAMS for table in program.parent.glob("*.toml")})
LANGUAGES = ("ja", "ru")

STRING = r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
COMMENT = {
    "#": re.compile(STRING + r"|(?P<comment>(?:(?<=\s)|^)\#\ [^\n]*|^\#$)", re.MULTILINE),
    "//": re.compile(STRING + r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL),
}
# What follows these marks is a command or what a line of a protocol looks like: the same in all languages.
SAME_EVERYWHERE = re.compile(r"\s*(?:$|\./bot |\w+ [Ss]tarter\S* [A-Z]|turn, |\[0 4 3)")


def named(path: Path) -> str:
    return f"{path.parent.parent.name}-{path.name}"


def split(program: Path, text: str) -> tuple[str, list[str]]:
    """The code without comments, and the lines of the comments without their marks."""
    pattern = COMMENT["#" if program.suffix == ".rb" else "//"]
    comments: list[str] = []

    def taken(match: re.Match[str]) -> str:
        if match["comment"] is None:
            return match[0]
        comments.extend(re.sub(r"^\s*(?://|/\*\*?|\*/|\*|#)", "", line) for line in match[0].split("\n"))
        return ""

    code = pattern.sub(taken, text)
    return re.sub(r"\s*\n\s*", "\n", code), comments


def code_of(text: str) -> str:
    """The Python program without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body.pop(0)
    return ast.dump(tree)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", PYTHON, ids=named)
def test_in_python_only_comments_differ_and_all_of_them(program: Path, language: str) -> None:
    english = program.read_text("utf-8")
    translated = with_comments(program, language)
    assert code_of(translated) == code_of(english)
    assert max(map(len, translated.splitlines())) <= 120
    assert "yours to change" not in translated
    remarks = [line.partition("  # ")[2] for line in translated.splitlines() if "  # " in line]
    assert remarks
    assert all(not remark.isascii() for remark in remarks)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", sorted({*PROGRAMS} - {*PYTHON}), ids=named)
def test_in_other_languages_only_comments_differ_and_all_of_them(program: Path, language: str) -> None:
    english, _ = split(program, program.read_text("utf-8"))
    translated = with_comments(program, language)
    code, comments = split(program, translated)
    assert code == english
    assert max(map(len, translated.splitlines())) <= 132
    assert [line for line in comments if line.isascii() and not SAME_EVERYWHERE.match(line)] == []


@pytest.mark.parametrize("table", TABLES, ids=named)
def test_every_translation_belongs_to_one_comment(table: Path) -> None:
    """A text that is nowhere, or twice in a program, would be translated nowhere, or once."""
    programs = [path.read_text("utf-8") for path in PROGRAMS if path.parent == table.parent]
    words = [re.sub(r"\n[ \t]*(//|#|\*)?[ \t]*|[ \t]+", " ", text) for text in programs]
    comments = tomllib.loads(table.read_text("utf-8"))["comments"]
    counts = {
        comment["text"]: {text.count(" ".join(comment["text"].split())) for text in words}
        for comment in comments
    }
    assert {text: seen for text, seen in counts.items() if max(seen) != 1} == {}


@pytest.mark.parametrize("language", ["en", "de", "", "../ja", "x/y"])
def test_without_a_table_it_stays_english(language: str) -> None:
    for program in PROGRAMS:
        assert with_comments(program, language) == program.read_text("utf-8")
