"""`agon play`: matches between the bots named, in the seats in which they are named."""

from __future__ import annotations

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


def play(
    game: GameArgument,
    bots: BotsArgument,
    seed: SeedOption = None,
    matches: Annotated[int, typer.Option("--matches", min=1, help="How many, seed after seed.")] = 1,
    sandbox: SandboxOption = None,
    save: SaveOption = None,
    json: JsonOption = False,
) -> None:
    """Play matches between bots, sandboxed, seats in the order given."""
    from cli.output import Stop
    from cli.resolve import find_bots, find_game
    from cli.run import Contest, hold
    from contest.formats import SERIES, BadFormat, series

    info = find_game(game)
    if not info.min_seats <= len(bots) <= info.max_seats:
        most = "" if info.min_seats == info.max_seats else f" to {info.max_seats}"
        raise Stop(f"{info.slug} is for {info.min_seats}{most} bots, got {len(bots)}")
    try:
        pairings = series(range(len(bots)), matches)
    except BadFormat as error:
        raise Stop(str(error)) from None
    hold(
        Contest(
            info=info,
            format=SERIES,
            rounds=matches,
            seed=seed_or_drawn(seed),
            bots=find_bots(info, bots),
            pairings=pairings,
            jobs=1,
            sandbox=sandbox.value if sandbox else None,
            save=save,
            json=json,
        )
    )
