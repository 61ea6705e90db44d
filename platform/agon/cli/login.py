"""`agon login`: gets a token for a site and keeps it, so that other commands act as its account.

A person approves it on a page of the site, on this machine or another one. With --token, it is one that was
made on the page of the account.
"""

import getpass
import os
import socket
import sys
import webbrowser
from typing import Annotated

import typer

from agon.cli.output import CommandError, say
from agon.cli.sites import SIGN_IN, SiteOption, address, change, errors, prepared_file
from agon.client import Site
from agon.client.connection import is_sendable

LONGEST_NAME = 60  # of a token


def login(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="The address of the site's front page.")
    ] = None,
    token: Annotated[
        bool,
        typer.Option("--token", help="Ask for a token that you have made, or read it from stdin."),
    ] = False,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="What commands may do: read, submit, organize, operate. Repeatable. Default: read, submit.",
        ),
    ] = None,
    site: SiteOption = None,
) -> None:
    if url and site and url.rstrip("/") != site.rstrip("/"):
        raise CommandError(f"--site: expected {url}, or no --site, got {site}")
    chosen = address(url or site)
    prepared_file()  # before a token is made that could not be kept
    text = _given(chosen) if token else _approved(chosen, scope or [])
    with errors(), Site(chosen, text) as client:
        account = client.me()
    path = change(lambda kept: kept.update(site=chosen, tokens=kept.get("tokens", {}) | {chosen: text}))
    say(f"signed in to {chosen} as {account['name']}; the token is kept in {path}")


def _given(url: str) -> str:
    """The token, from the terminal without an echo, or from stdin."""
    if sys.stdin is None:  # it is closed
        raise CommandError("standard input is closed: expected the token there", SIGN_IN)
    if sys.stdin.isatty():
        say(f"make a token at {url}/accounts/tokens/ and paste it here")
        token = getpass.getpass("token: ").strip()
    else:
        token = sys.stdin.readline().strip()
    if not token.startswith("agon_") or not is_sendable(token):
        raise CommandError("that is no token: one begins with agon_", SIGN_IN)
    return token


def _approved(url: str, scopes: list[str]) -> str:
    """The token that a person approves on the page of the site."""
    program = f"agon on {socket.gethostname()}"[:LONGEST_NAME]
    with errors(), Site(url) as site:
        begun = site.begin_login(program, scopes)
        say(f"open {begun['verification_uri']} and enter the code {begun['user_code']}")
        say(f"or open {begun['verification_uri_complete']}")
        say(f"waiting for up to {begun['expires_in'] // 60} minutes")
        if _has_browser() and _is_of(url, begun["verification_uri_complete"]):
            webbrowser.open(begun["verification_uri_complete"])
        return site.finish_login(begun, program)


def _has_browser() -> bool:
    """Whether a person sits at this machine who would see a window open."""
    has_windows = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    return has_windows and sys.stderr.isatty()


def _is_of(url: str, page: str) -> bool:
    """A site opens none but its own pages."""
    return page.startswith(f"{url}/")
