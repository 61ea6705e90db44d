"""`agon rungs`: whom a bot beats, how sure that is, and whom to beat next."""

from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.listing import FormatOption, print_items
from agon.cli.output import print_json, show
from agon.cli.sites import SiteOption, chosen_site

COLUMNS = ("name", "level", "verdict", "confidence", "ahead", "equal", "behind", "rating")
MOST_ROWS = 1000


def rungs(
    bot: Annotated[int, typer.Argument(metavar="BOT", help="A number, as in its address: /bots/BOT/.")],
    site: SiteOption = None,
    json: JsonOption = False,
    format: FormatOption = None,
) -> None:
    with chosen_site(site) as client:
        ladder = client.rungs(bot)
        if json:
            print_json(ladder)
            return
        print_items(ladder["rungs"], COLUMNS, MOST_ROWS, json, format)
        if format is None:
            following = ladder["next"]
            show(f"{ladder['name']} beats {ladder['beaten']} of {len(ladder['rungs'])}")
            show(f"next: {following['name']}" if following else "next: none, it beats all of them")
