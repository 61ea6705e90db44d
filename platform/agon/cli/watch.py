"""`agon watch`: follows a submission through its build, its qualification and its first matches."""

import time
from enum import StrEnum
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import print_json, say, show
from agon.cli.sites import FAILED, SiteOption
from agon.cli.sites import site as chosen
from agon.client import Site

POLL_SECONDS = 3.0


class Until(StrEnum):
    """active: it has qualified. rated: it has a rank. forever: until Ctrl-C."""

    active = "active"
    rated = "rated"
    forever = "forever"


def watch(
    submission: Annotated[
        int, typer.Argument(metavar="SUBMISSION", help="Its number: `agon submit` prints it.")
    ],
    until: Annotated[
        Until, typer.Option("--until", help="When to end; with 1 if it is rejected.")
    ] = Until.rated,
    site: SiteOption = None,
    json: JsonOption = False,
) -> None:
    with chosen(site) as found:
        for step in found.follow(submission):
            if not json:
                say(": ".join(filter(None, (step["state"], step["reason"]))))
        bot = found.bot(step["bot"])
        if step["state"] == "active" and until != Until.active:
            bot = _follow_rating(found, step["bot"], until, quiet=json)
    if json:
        print_json(step | {"row": bot["row"]})
    if step["state"] == "rejected":
        raise typer.Exit(FAILED)


def _follow_rating(site: Site, number: int, until: Until, quiet: bool) -> dict[str, object]:
    shown = None
    while True:
        bot = site.bot(number)
        row = bot["row"]
        now = row and (row["rank"], row["played"], row["won"], round(row["rating"]))
        if row and now != shown and not quiet:
            show(
                f"rank {row['rank']}, rating {row['rating']:.0f} ({row['low']:.0f} to {row['high']:.0f}),"
                f" {row['won']} of {row['played']} won"
            )
        shown = now
        if row is None or (until == Until.rated and not row["provisional"] and row["best"]):
            return bot
        time.sleep(POLL_SECONDS)
