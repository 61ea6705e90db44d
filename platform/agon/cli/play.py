"""`agon play`: plays matches between bots, seated in the order in which they are named."""

from typing import Annotated

import typer

from agon.cli.arguments import (
    BotsArgument,
    ContestJsonOption,
    GameArgument,
    SandboxOption,
    SaveOption,
    SeedOption,
    seed_or_drawn,
)
from agon.cli.output import CommandError
from agon.cli.resolve import find_bots, find_game
from agon.cli.run import Contest, run
from agon.contest.formats import SERIES, BadFormat, series


def play(
    game: GameArgument,
    bots: BotsArgument,
    seed: SeedOption = None,
    matches: Annotated[
        int, typer.Option("--matches", min=1, help="Number of matches, with consecutive seeds.")
    ] = 1,
    sandbox: SandboxOption = None,
    save: SaveOption = None,
    json: ContestJsonOption = False,
    browser: Annotated[
        bool, typer.Option("--browser", help="Then show the replay in a browser, until Ctrl-C.")
    ] = False,
) -> None:
    info = find_game(game)
    if not info.min_seats <= len(bots) <= info.max_seats:
        most = "" if info.min_seats == info.max_seats else f" to {info.max_seats}"
        raise CommandError(f"{info.slug} needs {info.min_seats}{most} bots, got {len(bots)}")
    try:
        scheduled_matches = series(range(len(bots)), matches)
    except BadFormat as error:
        raise CommandError(str(error)) from None
    contest = Contest(
        info=info,
        format=SERIES,
        rounds=matches,
        seed=seed_or_drawn(seed),
        bots=find_bots(info, bots),
        scheduled_matches=scheduled_matches,
        most=matches,
        settings={},
        jobs=1,
        sandbox=sandbox.value if sandbox else None,
        save=save,
        json=json,
    )
    if not browser:
        run(contest)
        return
    from agon.cli.replays import MOST_SHOWN, show  # an HTTP server: importing it takes 20 ms

    show(info, run(contest, MOST_SHOWN))
