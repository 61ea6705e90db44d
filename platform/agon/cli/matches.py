"""`agon matches`: the matches of a site, the newest first."""

from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.listing import FormatOption, LimitOption, print_items
from agon.cli.sites import SiteOption, chosen_site
from agon.client import Match

COLUMNS = ("id", "competition", "kind", "state", "result", "finished")


def matches(
    competition: Annotated[str | None, typer.Option("--competition", metavar="COMPETITION")] = None,
    bot: Annotated[int | None, typer.Option("--bot", metavar="ID", help="With this bot in a seat.")] = None,
    against: Annotated[int | None, typer.Option("--against", metavar="ID", help="And this one.")] = None,
    tournament: Annotated[int | None, typer.Option("--tournament", metavar="ID")] = None,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE")] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND")] = None,
    limit: LimitOption = 20,
    site: SiteOption = None,
    json: JsonOption = False,
    format: FormatOption = None,
) -> None:
    with chosen_site(site) as client:
        items = client.matches(
            competition=competition, bot=bot, against=against, tournament=tournament, state=state, kind=kind
        )
        shown = (item if json else item | {"result": _result(item)} for item in items)
        print_items(shown, COLUMNS, limit, json, format)


def _result(match: Match) -> str:
    """The seats with their scores, best first: "Rita 3, Sue 1"."""
    ranked = sorted(match["seats"], key=lambda seat: (seat["rank"] or 0, seat["number"]))
    return ", ".join(" ".join(filter(None, (seat["name"] or "?", seat["score"]))) for seat in ranked)
