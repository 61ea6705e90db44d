"""`agon login`: keeps a token for a site, so that other commands act as its account."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from agon.cli.output import CommandError, say
from agon.cli.sites import SIGN_IN, change, errors
from agon.client import Site


def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the site's front page.")],
) -> None:
    url = url.rstrip("/")
    token = _ask(url)
    with errors(), Site(url, token) as site:
        account = site.me()
    path = change(lambda kept: kept.update(site=url, tokens=kept.get("tokens", {}) | {url: token}))
    say(f"signed in to {url} as {account['name']}; the token is kept in {path}")


def _ask(url: str) -> str:
    """The token, from the terminal without an echo, or from stdin."""
    if sys.stdin.isatty():
        say(f"make a token at {url}/accounts/tokens/ and paste it here")
        token = getpass.getpass("token: ").strip()
    else:
        token = sys.stdin.readline().strip()
    if not token.startswith("agon_"):
        raise CommandError("that is no token: one begins with agon_", SIGN_IN)
    return token
