"""`agon tournament`: a whole schedule; without options, the original contest's own."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cli.arguments import (
    BotsArgument,
    GameArgument,
    JsonOption,
    SandboxOption,
    SaveOption,
    SeedOption,
    seed_or_drawn,
)


def tournament(
    game: GameArgument,
    bots: BotsArgument,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="round_robin, round_robin_self, rotations, drawn, started_tens; the game's if not given.",
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, help="The game's own if not given.")
    ] = None,
    seed: SeedOption = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=256, help="Worker processes; one a core if not given.")
    ] = None,
    sandbox: SandboxOption = None,
    save: SaveOption = None,
    json: JsonOption = False,
) -> None:
    """Play a tournament between bots, sandboxed; the number of jobs does not change a result."""
    from cli.output import Stop
    from cli.resolve import find_bots, find_game
    from cli.run import Contest, hold
    from contest.formats import BadFormat, schedule

    info = find_game(game)
    chosen = format or info.tournament.format
    rounds = rounds or info.tournament.rounds
    seed = seed_or_drawn(seed)
    try:
        pairings = schedule(chosen, len(bots), info.max_seats, rounds, seed)
    except BadFormat as error:
        raise Stop(str(error)) from None
    hold(
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
