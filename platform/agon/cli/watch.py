"""`agon watch`: follows a submission through its build, its qualification and its first matches."""

import time
from enum import StrEnum
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import print_json, say, show
from agon.cli.sites import FAILED, SiteOption, chosen_site
from agon.client import Bot, Site, Submission

POLL_SECONDS = 3.0
FAILS = ("rejected", "removed")


class Until(StrEnum):
    """active: it has qualified. rated: it has a rank. forever: as long as it plays, or until Ctrl-C."""

    active = "active"
    rated = "rated"
    forever = "forever"


def watch(
    submission: Annotated[
        int, typer.Argument(metavar="SUBMISSION", help="Its number: `agon submit` prints it.")
    ],
    until: Annotated[
        Until, typer.Option("--until", help="When to end; with 1 if it cannot get there.")
    ] = Until.rated,
    site: SiteOption = None,
    json: JsonOption = False,
) -> None:
    with chosen_site(site) as client:
        for step in client.follow(submission):
            if not json:
                say(": ".join(filter(None, (step["state"], step["reason"]))))
        bot = client.bot(step["bot"])
        why = ""
        if step["state"] not in FAILS and until != Until.active:
            bot, why = _follow_rating(client, step, until, quiet=json)
    if why and not json:
        say(why)
    if json:
        print_json(step | {"row": bot["row"], "reason": why or step["reason"]})
    if why or step["state"] in FAILS:
        raise typer.Exit(FAILED)


def _follow_rating(site: Site, step: Submission, until: Until, quiet: bool) -> tuple[Bot, str]:
    """The bot at the end, and why it gets no rank; "" if it has one."""
    shown = said = None
    while True:
        bot = site.bot(step["bot"])
        why, row = _end_of_play(bot, step), bot["row"]
        if why or row is None:
            return bot, why
        rests = bot.get("rests", "")  # an older site does not say
        now = row["rank"], row["played"], row["won"], round(row["rating"])
        if now != shown and not quiet:
            show(
                f"rank {row['rank']}, rating {row['rating']:.0f} ({row['low']:.0f} to {row['high']:.0f}),"
                f" {row['won']} of {row['played']} won"
            )
        shown = now
        if until == Until.rated and row["best"]:
            return bot, ""
        if until == Until.rated and rests and row["provisional"]:  # otherwise its rank is computed soon
            return bot, f"it has no rank: {rests}"
        if rests not in ("", said) and not quiet:
            say(rests)
        said = rests
        time.sleep(POLL_SECONDS)


def _end_of_play(bot: Bot, step: Submission) -> str:
    """Why this version no longer has a row; "" if it has one."""
    row = bot["row"]
    if row is not None and row["submission"] == step["id"]:
        return ""
    if bot["state"] != "entered":
        return ": ".join(filter(None, (f"{bot['name']} is {bot['state']}", bot["reason"])))
    if row is not None:
        return f"version {row['version']} of {bot['name']} plays in its place"
    where = "plays at home alone" if bot["home"] else "does not play"
    return f"version {step['version']} of {bot['name']} {where}"
