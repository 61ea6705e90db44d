"""The comments of the starter bots in other languages; their code is the same in all of them.

Beside `bots/starter.py` and `bots/Starter.java` the file `bots/starter.ja.toml` has a table for each comment
or paragraph of one, of the starters in all programming languages: `text`, without the marks of comments and
broken anywhere, and `translation`. Comments without one stay English. So do all where there is no such file.
"""

import re
import tomllib
from pathlib import Path

BETWEEN_WORDS = r"(?:[ \t]+|[ \t]*\n[ \t]*(?://|#|\*)?[ \t]*)"
ONLY_MARKS = re.compile(r'(\s*)(//|#|\*|/\*\*?|"""|)(\s*)')


def with_comments(program: Path, language: str) -> str:
    """The text of a program of one file, with its comments in a language, such as "ja"."""
    text = program.read_text("utf-8")
    for comment in _table(program, language):
        pattern = BETWEEN_WORDS.join(re.escape(word) for word in comment["text"].split())
        if place := re.search(pattern, text):
            text = text[: place.start()] + _lines(comment["translation"], text, place) + text[place.end() :]
    return text


def _table(program: Path, language: str) -> list[dict[str, str]]:
    if not language.isalpha():
        return []
    file = program.with_name(f"{program.stem.lower()}.{language}.toml")
    if not file.is_file():
        return []
    comments: list[dict[str, str]] = tomllib.loads(file.read_text("utf-8"))["comments"]
    return comments


def _lines(translation: str, text: str, place: re.Match[str]) -> str:
    """The translation with the marks of its comment at the beginning of each further line."""
    before = text[text.rfind("\n", 0, place.start()) + 1 : place.start()]
    marks = ONLY_MARKS.fullmatch(before)
    return translation.replace("\n", "\n" + _continued(*marks.groups())) if marks else translation


def _continued(indent: str, mark: str, blank: str) -> str:
    """What a further line of a comment begins with, if its first line begins with this."""
    if mark.startswith("/*"):
        return f"{indent} * "
    return indent if mark == '"""' else f"{indent}{mark}{blank}"
