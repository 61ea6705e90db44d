"""`agon try`: plays one match of a program that is not entered against a house bot of a site."""

from pathlib import Path
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, print_json, say, show
from agon.cli.sites import FAILED, CompetitionArgument, SiteOption, chosen_site
from agon.client import Trial


def try_(
    competition: CompetitionArgument,
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="One source file.")],
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME", help="A house bot. Default: the one for a first try."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="LANGUAGE", help="Default: by the file's name.")
    ] = None,
    site: SiteOption = None,
    json: JsonOption = False,
) -> None:
    if not program.is_file():
        raise CommandError(f"there is no file {program}")
    with chosen_site(site) as client:
        try:
            started = client.try_program(competition, program, against, language)
        except UnicodeDecodeError:
            raise CommandError(f"{program}: expected source code in UTF-8") from None
        for trial in client.follow_trial(started["id"]):
            if not json:
                say(trial["state"])
        if json:
            print_json(trial)
        else:
            _show(trial)
        if not _is_fine(trial):
            raise typer.Exit(FAILED)


def _is_fine(trial: Trial) -> bool:
    """Whether it played without a fault and no other bot was better."""
    return trial["fault"] is None and any(place["own"] and place["rank"] == 1 for place in trial["places"])


def _show(trial: Trial) -> None:
    for place in trial["places"]:
        own = " (yours)" if place["own"] else ""
        show(f"{place['rank']}. {place['name']}{own}: {place['score']}")
    for text in (trial["reason"], trial["advice"], *trial["doubts"]):
        if text:
            show(text)
    for text in (trial["build_log"] if trial["state"] == "rejected" else "", trial["stderr"]):
        if text.strip():
            say(text.rstrip())
    show(trial["url"])
