"""Arguments and options that several commands have."""

from __future__ import annotations

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

MOST_SEED = (1 << 256) - (1 << 20)  # more than that many matches are never played: N + n is a seed, too
DRAWN = 1 << 53  # exact for every reader of JSON, and too many to be tried during a match


class SandboxName(StrEnum):
    """The values of --sandbox."""

    docker = "docker"
    bubblewrap = "bubblewrap"


GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="The game's slug; `agon games` lists them.")
]
BotsArgument = Annotated[
    list[str],
    typer.Argument(metavar="BOT...", help="A file, folder or archive, or the name of a house bot."),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        callback=lambda seed: _bounded(seed),
        help="Match n is played from seed N + n. Drawn if not given.",
    ),
]
SandboxOption = Annotated[
    SandboxName | None, typer.Option("--sandbox", help="Docker if it answers, else bubblewrap, if not given.")
]
SaveOption = Annotated[
    Path | None, typer.Option("--save", metavar="DIR", help="Write an archive into this new or empty folder.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def _bounded(seed: int | None) -> int | None:
    if seed is not None and seed > MOST_SEED:
        raise typer.BadParameter("expected a number below 2^256 - 2^20")
    return seed


def seed_or_drawn(seed: int | None) -> int:
    """The seed that was given, or one drawn."""
    return secrets.randbelow(DRAWN) if seed is None else seed
