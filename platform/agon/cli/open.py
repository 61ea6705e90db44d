"""`agon open`: a page of the site, in the browser."""

import webbrowser
from typing import Annotated

import typer

from agon.cli.sites import SiteOption, chosen_site


def open(
    path: Annotated[
        str,
        typer.Argument(metavar="[PATH]", help="Such as bots/7 or matches/3; default: the front page."),
    ] = "",
    site: SiteOption = None,
) -> None:
    with chosen_site(site) as client:
        address = f"{client.url}/{path.strip('/')}/" if path.strip("/") else f"{client.url}/"
    print(address)
    webbrowser.open(address)
