"""`agon tournament`: a whole schedule; without options, the game's original contest."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cli.arguments import (
    BotsArgument,
    ContestJsonOption,
    GameArgument,
    SandboxOption,
    SaveOption,
    SeedOption,
    seed_or_drawn,
)
from cli.output import CommandError
from cli.resolve import find_bots, find_game
from cli.run import Contest, run
from contest.formats import FORMATS, BadFormat, schedule


def tournament(
    game: GameArgument,
    bots: BotsArgument,
    format: Annotated[
        str | None, typer.Option("--format", help=f"{', '.join(FORMATS)}; default: the game's own.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="Default: the game's own.")] = None,
    seed: SeedOption = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=256, help="Worker processes; default: one per core.")
    ] = None,
    sandbox: SandboxOption = None,
    save: SaveOption = None,
    json: ContestJsonOption = False,
) -> None:
    info = find_game(game)
    chosen = format or info.tournament.format
    rounds = rounds or info.tournament.rounds
    seed = seed_or_drawn(seed)
    try:
        pairings = schedule(chosen, len(bots), info.max_seats, rounds, seed)
    except BadFormat as error:
        raise CommandError(str(error)) from None
    run(
        Contest(
            info=info,
            format=chosen,
            rounds=rounds,
            seed=seed,
            bots=find_bots(info, bots),
            pairings=pairings,
            jobs=min(jobs or len(os.sched_getaffinity(0)), len(pairings)),
            sandbox=sandbox.value if sandbox else None,
            save=save,
            json=json,
        )
    )
