"""`agon challenge`: unrated matches of one's bot against chosen bots of a site."""

import time
from collections.abc import Iterable
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, print_json, say, show
from agon.cli.sites import FAILED, SiteOption, chosen_site
from agon.client import Challenge, ListedBot, Site

POLL_SECONDS = 2.0
EVEN = 0.5  # the share of the points of a bot that is neither better nor worse


def challenge(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="One of yours, by its name or number.")],
    opponents: Annotated[
        list[str], typer.Argument(metavar="OPPONENT...", help="Bots of the same competition, likewise.")
    ],
    matches: Annotated[
        int,
        typer.Option(
            "--matches", min=1, metavar="N", help="A few more, if all are to sit in all seats equally often."
        ),
    ] = 20,
    competition: Annotated[
        str | None,
        typer.Option("--competition", metavar="COMPETITION", help="If you have a BOT in several."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Until it is over.")] = False,
    site: SiteOption = None,
    json: JsonOption = False,
) -> None:
    with chosen_site(site) as client:
        own = _own(client, bot, competition)
        others = list(client.bots_of(own["competition"]))
        numbers = [bot_called(name, others, own["competition"])["id"] for name in opponents]
        made = client.challenge(own["competition"], [own["id"], *numbers], matches)
        if wait:
            made = _follow(client, made, quiet=json)
        if json:
            print_json(made)
        else:
            show(f"challenge {made['id']}: {_result(made)}   {made['url']}")
        if wait and _is_lost(made):
            raise typer.Exit(FAILED)


def _own(site: Site, name: str, competition: str | None) -> ListedBot:
    own = [bot for bot in site.bots() if competition in (None, bot["competition"])]
    matching = [bot for bot in own if _is_called(bot, name)]
    if len(matching) > 1:
        places = ", ".join(sorted(bot["competition"] for bot in matching))
        raise CommandError(f"you have a bot {name} in {places}: say which with --competition")
    return bot_called(name, own, competition or "any competition")


def bot_called(name: str, bots: Iterable[ListedBot], where: str) -> ListedBot:
    """The bot with this name or number; one that plays comes first. Raises CommandError."""
    matching = [bot for bot in bots if _is_called(bot, name)]
    if not matching:
        raise CommandError(f"there is no bot {name} in {where}")
    return max(matching, key=lambda bot: bot["active"] is not None)


def _is_called(bot: ListedBot, name: str) -> bool:
    return name in (bot["name"], str(bot["id"]))


def _follow(site: Site, made: Challenge, quiet: bool) -> Challenge:
    while not made["is_over"]:
        time.sleep(POLL_SECONDS)
        former, made = made, site.challenge_so_far(made["id"])
        if made["played"] != former["played"] and not quiet:
            say(_result(made))
    return made


def _result(made: Challenge) -> str:
    text = f"{made['state']}, {made['played']} of {made['matches']} played"
    if made["share"] is not None:
        text += f", {made['won']} won, {made['drawn']} drawn, {made['lost']} lost,"
        text += f" {made['share']:.0%} of the points ({made['low']:.0%} to {made['high']:.0%})"
    return f"{text}: {made['reason']}" if made["reason"] else text


def _is_lost(made: Challenge) -> bool:
    """Whether the bot is worse, or nothing was decided because the challenge was cancelled."""
    return made["state"] == "cancelled" or (made["high"] is not None and made["high"] < EVEN)
