"""`agon restore`: puts a backup into an empty site."""

from pathlib import Path
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.output import INTERNAL_ERROR, CommandError, print_json, put
from agon.cli.terminal import progress
from agon.cli.verify_backup import check_backup
from agon.resources import data_folder
from agon.supervisor import folder
from agon.supervisor.django_needed import demand_site, set_up_site
from agon.supervisor.stopping import stop_as_by_ctrl_c


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `agon backup` has made.")],
    json: JsonOption = False,
) -> None:
    demand_site()
    report = check_backup(file)
    if not report.sound:
        more = len(report.findings) - 1
        others = f" (and {more} more: agon verify-backup {file})" if more else ""
        raise CommandError(f"{file} is not sound: {report.findings[0]}{others}", INTERNAL_ERROR)
    stop_as_by_ctrl_c()
    try:
        # Before the settings are imported, which write into the folder.
        with folder.claimed(data_folder(), "a restore"):
            set_up_site()
            from agon.supervisor.restoring import restore_backup  # models can be imported only now

            with progress() as bar:
                task = bar.add_task("files", total=report.members)
                restored = restore_backup(file, report, lambda n: bar.update(task, completed=n))
    except OSError as error:  # while the folder was prepared
        from agon.site.core.disk_space import is_full  # it needs Django

        if not is_full(error):
            raise
        why = f"Nothing was restored: the disk that holds {data_folder()} is full."
        raise CommandError(why, INTERNAL_ERROR) from error
    if json:
        print_json(restored._asdict())
        return
    put(f"{file} is restored: the database, {restored.files} files. Start the site; it plays on.")
    for line in restored.notes:
        put(f"  {line}")
