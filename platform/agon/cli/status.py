"""`agon status`: one's bots with their ranks, or one submission, and what waits on the site."""

from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.listing import FormatOption, print_items
from agon.cli.output import print_json, show
from agon.cli.sites import SiteOption, chosen_site

COLUMNS = ("id", "name", "competition", "state", "row.rank", "row.rating", "row.played", "url")
MOST_BOTS = 1000


def status(
    submission: Annotated[
        int | None, typer.Argument(metavar="[SUBMISSION]", help="A number; default: all your bots.")
    ] = None,
    site: SiteOption = None,
    json: JsonOption = False,
    format: FormatOption = None,
) -> None:
    with chosen_site(site) as client:
        if submission is None:
            bots = [client.bot(bot["id"]) for bot in client.bots()]
            print_items(bots, COLUMNS, MOST_BOTS, json, format)
            return
        upload = client.submission(submission)
        if json:
            print_json(upload)
            return
        show(f"version {upload['version']} of {upload['name']} in {upload['competition']}: {upload['state']}")
        for text in (upload["reason"], upload["advice"], upload["build_log"].rstrip()):
            if text:
                show(text)
