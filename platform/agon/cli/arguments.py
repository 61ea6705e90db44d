"""Arguments and options that several commands share."""

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

LARGEST_SEED = (1 << 256) - (1 << 20)  # leaves room for N + n, n being the number of any match
DRAWN = 1 << 53  # drawn seeds are below it: exact in every JSON parser, and too many to guess in a match


class SandboxName(StrEnum):
    """The values of --sandbox."""

    docker = "docker"
    bubblewrap = "bubblewrap"


GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="The game's slug; `agon games` lists them.")
]
BotsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT...",
        help="A file, folder, or archive, or the name of a house bot. The first one gets seat 1.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        callback=lambda seed: _check_seed(seed),
        help="Match n (from 0) of `play` has seed N + n; in a tournament each match has its own, derived from"
        " N. Default: drawn at random.",
    ),
]
SandboxOption = Annotated[
    SandboxName | None, typer.Option("--sandbox", help="Default: Docker if it answers, otherwise bubblewrap.")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", min=1, max=256, help="Worker processes; default: one per core.")
]
SaveOption = Annotated[
    Path | None, typer.Option("--save", metavar="DIR", help="Write an archive to this new or empty folder.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document to stdout.")]
ContestJsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document to stdout; it numbers seats and steps from 0, everything else from 1.",
    ),
]


def _check_seed(seed: int | None) -> int | None:
    if seed is not None and seed > LARGEST_SEED:
        raise typer.BadParameter("expected a number below 2^256 - 2^20")
    return seed


def seed_or_drawn(seed: int | None) -> int:
    """The seed that was given, or one drawn at random."""
    return secrets.randbelow(DRAWN) if seed is None else seed
