"""`agon serve`: runs a whole site on this machine."""

from typing import Annotated

import typer

from agon.cli.output import CommandError
from agon.supervisor.django_needed import demand_site


def serve(
    host: Annotated[
        str, typer.Option(envvar="HOST", help="Address to listen on; 0.0.0.0 listens on all of them.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", min=1, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    demand_site()
    from django.core.exceptions import ImproperlyConfigured

    from agon.supervisor.site import run

    try:
        run(host, port)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error
