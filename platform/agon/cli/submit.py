"""`agon submit`: enters a program as the next version of a bot."""

from pathlib import Path
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, print_json, say, show
from agon.cli.sites import FAILED, CompetitionArgument, SiteOption, chosen_site
from agon.client import Site, Submission


def submit(
    competition: CompetitionArgument,
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="A source file or an archive.")],
    bot: Annotated[
        str | None,
        typer.Option("--bot", metavar="NAME", help="A new name enters a new bot. Default: the file's name."),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option("--team", metavar="NAME", help="Your team that a new bot is for. Default: you."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Check only, enter nothing.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until it is active or rejected, which is 1.")] = False,
    site: SiteOption = None,
    json: JsonOption = False,
) -> None:
    if not program.is_file():
        raise CommandError(f"there is no file {program}")
    with chosen_site(site) as client:
        made = client.submit(competition, bot or program.stem, program, check, team)
        if wait and not check:
            made = _follow(client, made, quiet=json)
        if json:
            print_json(made)
        elif check:
            files = ", ".join(made["files"])
            show(
                f"it would be version {made['version']} of {bot or program.stem}: {made['language']}, {files}"
            )
        else:
            show(f"version {made['version']} of {made['name']}: {made['state']}   {made['url']}")
            show(f"submission {made['id']}")
        if wait and not check and made["state"] == "rejected":
            raise typer.Exit(FAILED)


def _follow(site: Site, made: Submission, quiet: bool) -> Submission:
    step = made
    for step in site.follow(made["id"]):
        if not quiet:
            say(": ".join(filter(None, (step["state"], step["reason"]))))
    for text in (step["build_log"].rstrip(), step["advice"]):
        if step["state"] == "rejected" and text and not quiet:
            say(text)
    return step
