"""Resolves words of a command line to games and bots. For an unknown word the error suggests similar ones."""

import difflib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agon.cli.output import CommandError
from agon.contest.text import escape_controls
from games.core.manifest import GameInfo, UnknownGame, house_bots, load, slugs

_ENDINGS = (".tar.gz", ".tar", ".tgz", ".zip")


class Bot(NamedTuple):
    """A bot to build. name: unique within the command."""

    name: str
    path: Path


def find_game(slug: str) -> GameInfo:
    """The game with that slug, in which hyphens and underscores are the same.

    Raises CommandError, which names similar ones; BadManifest.
    """
    same = [name for name in slugs() if name.replace("-", "_") == slug.replace("-", "_")]
    try:
        return load(same[0] if same and slug not in same else slug)
    except UnknownGame:
        raise CommandError(f"there is no game {slug!r}. {_suggestion(slug, slugs())}") from None


def find_bots(info: GameInfo, words: Sequence[str]) -> list[Bot]:
    """The bots that these words name, in order; repeated names get numbers: name-2, name-3, ...

    Raises CommandError.
    """
    bots: list[Bot] = []
    for word in words:
        name, path = _find_bot(info, word)
        bots.append(Bot(_unique(name, {bot.name for bot in bots}), path))
    return bots


def is_there(word: str) -> bool:
    """Whether `word` names a file or a folder.

    Raises CommandError for a device or a pipe, which may never end.
    """
    if not os.path.exists(word):
        return False
    if not (os.path.isfile(word) or os.path.isdir(word)):
        raise CommandError(f"{word} is neither a file nor a folder")
    return True


def _find_bot(info: GameInfo, word: str) -> tuple[str, Path]:
    """Interpret the word as an existing path if it looks like one, else as a house bot's name, else as a
    path.
    """
    path = Path(word)
    looks_like_path = os.sep in word or path.suffix != ""
    if looks_like_path and is_there(word):
        return _name_of(path), path
    house = {bot.name.casefold(): bot for bot in house_bots(info)}
    if word.casefold() in house:
        bot = house[word.casefold()]
        return bot.name, bot.path
    if is_there(word):
        return _name_of(path), path
    if looks_like_path:
        raise CommandError(f"there is no file or folder {word}")
    names = [bot.name for bot in house.values()]
    raise CommandError(
        f"there is no house bot {word!r} in {info.slug}, and no such file. {_suggestion(word, names)}"
    )


def _name_of(path: Path) -> str:
    """A file's name without its extension, or a folder's name; on one line and safe to print."""
    name = " ".join(escape_controls(path.resolve().name).split())
    if path.is_dir():
        return name or "bot"
    ending = next((ending for ending in _ENDINGS if name.lower().endswith(ending)), Path(name).suffix)
    return name[: len(name) - len(ending)] or name


def _unique(name: str, taken: Iterable[str]) -> str:
    taken, number, new = set(taken), 1, name
    while new in taken:
        number += 1
        new = f"{name}-{number}"
    return new


def _suggestion(word: str, known: Sequence[str]) -> str:
    """The nearest known words ("Did you mean ...?"), or all known words."""
    by_case = {name.casefold(): name for name in known}
    near = [by_case[name] for name in difflib.get_close_matches(word.casefold(), by_case, n=2)]
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"There are: {', '.join(known)}." if known else "There are none."
