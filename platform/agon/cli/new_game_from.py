"""`agon new-game --from`: the folder of a game that a library plays, after some of its matches were tried."""

import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agon.cli.output import CommandError
from games.core.library.referee import Facts, Refused
from games.core.library.trial import Trial, trial
from games.core.library.versions import version_with
from games.core.manifest import GAMES, BadManifest
from games.core.wording import quote

LIBRARIES = ("open_spiel", "pettingzoo")
LONGEST_NAME = 300


class Template(NamedTuple):
    """The folder of a game to copy, and what its files say instead of some of its texts."""

    folder: Path
    texts: Mapping[str, str]


def from_library(slug: str, library_game: str) -> Template:
    """The folder for a game such as "open_spiel:connect_four". Raises CommandError if there can be none."""
    library, _, name = library_game.partition(":")
    if library not in LIBRARIES or not name or len(name) > LONGEST_NAME or not name.isprintable():
        expected = " or ".join(f"{known}:GAME" for known in LIBRARIES)
        raise CommandError(f"--from: expected {expected}, got {quote(library_game, 80)}")
    try:
        with _stderr_to_nowhere():
            module = importlib.import_module(f"games.core.library.{library}")
            facts: Facts = module.facts(name)
            version = version_with(facts.libraries)
            # As the new folder's referee.py will have it.
            own = {"slug": slug, "version": version, "source": facts.name}
            tried = trial(type("Referee", (module.GAME,), own), facts.seats)
    except (BadManifest, Refused) as error:
        raise CommandError(f"--from: {error}") from None
    return Template(GAMES / "core" / "library" / "folder", _texts(facts, tried, version, module))


def _texts(facts: Facts, tried: Trial, version: str, module: Any) -> Mapping[str, str]:
    """Texts of the folder's files, and what they are for this game."""
    texts = {
        '"VERSION"': _quoted(version),
        '"SOURCE"': _quoted(facts.name),
        "SOURCE": facts.name,
        "SUMMARY": f"{facts.title}, as {module.TITLE} plays it.",
        "EXAMPLE": tried.example,
        "answer_bytes = 256": f"answer_bytes = {max(256, 4 * tried.longest_answer)}",
        "games.core.library.open_spiel": module.__name__,
        "OpenSpielGame": module.GAME.__name__,
    }
    if facts.seats == 2:
        return texts | {"FORFEIT": "the match ends, and the other player has won"}
    return texts | {
        "FORFEIT": "the program is stopped; the first of its moves counts from then on",
        "min = 2, max = 2": f"min = {facts.seats}, max = {facts.seats}",
        '"forfeit"': '"retire"',
        '"round_robin"': '"rotations"',
        "starter = true\n": "starter = true\n" + "".join(map(_same_bot, range(2, facts.seats))),
    }


def _same_bot(number: int) -> str:
    """A house bot for a match of more than two: its bots have different names, not different programs."""
    return f"""
[[house_bots]]
name = "Random {number}"
file = "bots/starter.py"
language = "python"
strength = 2
description = "The same as Random, so that there are enough bots for a match."
"""


def _quoted(text: str) -> str:
    """The text as a string of Python and of TOML."""
    return json.dumps(text, ensure_ascii=False)


@contextmanager
def _stderr_to_nowhere() -> Iterator[None]:
    """Libraries of C++ write what they raise to standard error, too, past Python."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
