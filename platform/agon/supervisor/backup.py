"""`agon backup`: one file with the database and the files of this site, made while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from agon.backups import members
from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, print_json, put, say
from agon.cli.sizes import format_size
from agon.cli.terminal import progress
from agon.resources import data_folder
from agon.supervisor.django_needed import demand_site, set_up_site
from agon.supervisor.folder import DATABASE, is_embedded
from agon.supervisor.stopping import stop_as_by_ctrl_c


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make; it must not exist.")],
    with_keys: Annotated[
        bool,
        typer.Option(
            "--with-keys",
            help="Include the keys of cookies, second factors and archives: keep such a file as safe.",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    demand_site()
    if is_embedded() and not (data_folder() / DATABASE).exists():
        raise CommandError(f"there is no site in {data_folder()}: AGON_VAR names the folder of one")
    set_up_site()
    from agon.supervisor.backing_up import back_up  # models can be imported only now

    stop_as_by_ctrl_c()
    with progress() as bar:
        task = bar.add_task("database", total=None)
        made = back_up(
            file.absolute(),
            with_keys,
            lambda done, total: bar.update(task, description="files", completed=done, total=total),
        )
    if made.missing:
        say(f"lost before this backup: {len(made.missing)} files that rows name are not in the storage:")
        for name in made.missing:
            say(f"  {name}")
    left_out = ["artifacts, cache and broker, which are made again"]
    if not with_keys:
        left_out.append("the keys (--with-keys), without which nothing reads second factors")
    if json:
        print_json(made._asdict() | {"left_out": left_out})
        return
    keys = f", keys ({', '.join(made.keys)})" if made.keys else ""
    put(
        f"{made.file}: {members.DATABASES[made.kind]}, {made.files} files{keys}; {format_size(made.size)};"
        f" Agon {made.agon}"
    )
    if made.removed:
        left_out.append(f"{made.removed} files that were removed meanwhile, as nothing needs them any more")
    put(f"  left out: {'; '.join(left_out)}")
    put(f"  digest: {made.digest}")
