"""The comments of a starter bot in other languages; its code is the same in all of them.

Beside `bots/starter.py` the file `bots/starter.ja.toml` has a table for each comment: `text`, as it is in the
program, and `translation`. Comments without one stay English. So do all where there is no such file.
"""

import tomllib
from pathlib import Path


def with_comments(program: Path, language: str) -> str:
    """The text of a program of one file, with its comments in a language, such as "ja"."""
    text = program.read_text("utf-8")
    if not language.isalpha():
        return text
    table = program.with_suffix(f".{language}.toml")
    if not table.is_file():
        return text
    for comment in tomllib.loads(table.read_text("utf-8"))["comments"]:
        text = text.replace(comment["text"], comment["translation"])
    return text
