"""`agon logs`: what one's own bots wrote to standard error in a match."""

import sys
from typing import Annotated

import typer

from agon.cli.output import CommandError, say
from agon.cli.sites import SiteOption, chosen_site
from agon.client import SiteError


def logs(
    match: Annotated[int, typer.Argument(metavar="MATCH", help="The number of the match.")],
    seat: Annotated[
        int | None, typer.Option("--seat", min=1, help="From 1; default: every seat that you may read.")
    ] = None,
    site: SiteOption = None,
) -> None:
    with chosen_site(site) as client:
        count = len(client.match(match)["seats"])
        wanted = range(count) if seat is None else [seat - 1]
        read = 0
        for number in wanted:
            try:
                data = client.download(f"matches/{match}/stderr/{number}")
            except SiteError as error:
                if error.code != "not_found" or seat is not None:
                    raise
                continue
            read += 1
            if seat is None:
                say(f"seat {number + 1}")
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    if not read:
        raise CommandError(f"no bot of yours wrote to standard error in match {match}")
