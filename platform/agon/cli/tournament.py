"""`agon tournament`: plays a whole schedule; without options, the game's original contest."""

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from agon.cli.arguments import (
    BotsArgument,
    ContestJsonOption,
    GameArgument,
    JobsOption,
    SandboxOption,
    SaveOption,
    SeedOption,
    seed_or_drawn,
)
from agon.cli.output import CommandError
from agon.cli.resolve import find_bots, find_game
from agon.cli.resume import header_in
from agon.cli.run import Contest, run
from agon.contest import formats
from agon.contest.archive.manifest import Header
from agon.contest.formats import FORMATS, BadFormat, Value
from games.core.manifest import GameInfo


def tournament(
    game: GameArgument,
    bots: BotsArgument,
    format: Annotated[
        str | None, typer.Option("--format", help=f"{', '.join(FORMATS)}; default: the game's own.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="Default: the game's own.")] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--setting", metavar="NAME=VALUE", help="Of the format, such as best_of=5; repeatable."),
    ] = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    sandbox: SandboxOption = None,
    save: SaveOption = None,
    json: ContestJsonOption = False,
) -> None:
    info = find_game(game)
    chosen = format or info.tournament.format
    saved = None if save is None else header_in(save)
    seed = seed_or_drawn(saved.seed if seed is None and saved is not None else seed)
    try:
        settings = _settings(chosen, setting or [], saved)
        rounds = rounds or _rounds_of(saved, chosen) or default_rounds(info, chosen, len(bots), settings)
        plan = formats.make_plan(chosen, len(bots), info.max_seats, rounds, seed, settings)
        most = formats.most_matches(plan)
        scheduled_matches = [] if FORMATS[chosen].needs_results else list(formats.in_order(plan))
    except BadFormat as error:
        raise CommandError(str(error)) from None
    run(
        Contest(
            info=info,
            format=chosen,
            rounds=rounds,
            seed=seed,
            bots=find_bots(info, bots),
            scheduled_matches=scheduled_matches,
            most=most,
            settings=settings,
            jobs=min(jobs or len(os.sched_getaffinity(0)), most),
            sandbox=sandbox.value if sandbox else None,
            save=save,
            json=json,
        )
    )


def _rounds_of(saved: Header | None, format: str) -> int | None:
    """The rounds of the run that is continued."""
    return saved.rounds if saved is not None and saved.format == format else None


def _settings(format: str, given: list[str], saved: Header | None) -> dict[str, Value]:
    """The settings: those given, else those of the run that is continued, else the defaults.

    Raises CommandError, BadFormat.
    """
    if saved is not None and saved.format == format:
        return dict(saved.format_settings) | read_settings(format, given)
    return formats.with_defaults(format, read_settings(format, given))


def read_settings(format: str, given: list[str]) -> dict[str, Value]:
    """Parse NAME=VALUE arguments into values of the format's settings. Raises CommandError.

    A value that does not fit stays text, which formats.with_defaults then refuses.
    """
    known = (
        {setting.name: setting.default for setting in FORMATS[format].settings} if format in FORMATS else {}
    )
    values: dict[str, Value] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if not equals:
            raise CommandError(f"--setting: expected NAME=VALUE, got {argument!r}")
        default = known.get(name)
        if isinstance(default, bool):
            values[name] = {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
        elif isinstance(default, int) and text.isdecimal():
            values[name] = int(text)
        else:
            values[name] = text
    return values


def default_rounds(info: GameInfo, format: str, entrants: int, settings: Mapping[str, Value]) -> int:
    """The game's own rounds if they fit the format; else as many as the format proposes; else 1."""
    chosen = FORMATS.get(format)
    if format == info.tournament.format or (chosen and chosen.repeats_rounds):
        return info.tournament.rounds
    if chosen is None or chosen.proposed_rounds is None:
        return 1
    return chosen.proposed_rounds(entrants, info.max_seats, settings)
