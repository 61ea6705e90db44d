"""`agon upgrade`: brings the database to the state of this Agon, or says what that would be."""

from typing import Annotated

import typer

from agon import __version__
from agon.cli.arguments import JsonOption
from agon.cli.output import INTERNAL_ERROR, CommandError, print_json, put
from agon.resources import data_folder
from agon.supervisor import folder
from agon.supervisor.django_needed import demand_site, set_up_site


def upgrade(
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Change nothing: print what is pending and which backup there is. Exits with 1 if something"
            " is pending and there is no backup.",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    demand_site()
    if folder.is_embedded() and not (data_folder() / folder.DATABASE).exists():
        raise CommandError(f"there is no site in {data_folder()}: AGON_VAR names the folder of one")
    from agon.supervisor.host_failures import said_in_a_sentence  # it needs Django

    with said_in_a_sentence(data_folder()):
        if check:
            _check(json)
        else:
            _upgrade(json)


def _check(json: bool) -> None:
    set_up_site()
    from agon.supervisor.upgrade_check import check_upgrade  # models can be imported only now

    check = check_upgrade()
    if json:
        print_json(check._asdict() | {"ready": check.ready})
    else:
        made_by = f"Agon {check.database}" if check.database else "an earlier Agon"
        put(f"this is Agon {__version__}; the database is of {made_by}")
        put(f"  pending migrations: {len(check.pending)}")
        for name in check.pending:
            put(f"    {name}")
        put(f"  last backup: {check.last_backup}")
    if check.too_new:
        raise CommandError(check.too_new, INTERNAL_ERROR)
    if not check.ready:
        raise CommandError("make a backup first: agon backup FILE", INTERNAL_ERROR)


def _upgrade(json: bool) -> None:
    with folder.claimed(data_folder(), "an upgrade"):
        set_up_site()
        from agon.supervisor.migrating import migrate  # models can be imported only now

        copy = migrate()
    if json:
        print_json({"agon": __version__, "copy": None if copy is None else str(copy)})
        return
    put(f"the database is of Agon {__version__}")
    if copy is not None:
        put(f"  as it was before: {copy}")
