"""`agon serve`: a whole site on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.output import Stop


def serve(
    host: Annotated[
        str, typer.Option(envvar="HOST", help="Address to listen on; 0.0.0.0 for every one.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", min=1, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    """Run the site, its workers and its scheduler in the foreground, with all data in var/."""
    from supervisor.errors import Trouble
    from supervisor.site import run

    try:
        run(host, port)
    except Trouble as trouble:
        raise Stop(str(trouble), trouble.status) from trouble
