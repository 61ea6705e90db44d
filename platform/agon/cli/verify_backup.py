"""`agon verify-backup`: whether a backup is as it was written, and if not, what of it differs."""

from pathlib import Path
from typing import Annotated

import typer

from agon.backups.checking import Report, check
from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, file_errors, print_json, put
from agon.cli.sizes import format_size
from agon.cli.terminal import progress
from agon.contest.text import escape_controls


def verify_backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `agon backup` has made.")],
    json: JsonOption = False,
) -> None:
    report = check_backup(file)
    if json:
        about = None if report.about is None else report.about._asdict()
        print_json({"file": str(file), "sound": report.sound, **report._asdict(), "about": about})
    else:
        _print(file, report)
    if not report.sound:
        raise typer.Exit(1)


def check_backup(file: Path) -> Report:
    """The report about a backup, with a progress bar meanwhile. Raises CommandError if it cannot be read."""
    if not file.is_file():
        raise CommandError(f"there is no file {file}")
    with file_errors(f"{file} cannot be read"), open(file, "rb") as opened, progress() as bar:
        task = bar.add_task("checking", total=file.stat().st_size)
        return check(opened, lambda at: bar.update(task, completed=at))


def _print(file: Path, report: Report) -> None:
    count = len(report.findings)
    verdict = "sound" if report.sound else f"{count} difference{'s' if count > 1 else ''}"
    origin = ""
    if report.about is not None:
        about = report.about
        origin = f"; made {about.made} by Agon {about.agon}, of {about.kind} {about.server}"
        origin += f"; {report.members} members, {format_size(report.content_bytes)} when restored"
    put(escape_controls(f"{file}: {verdict}{origin}"))
    for line in report.findings:
        put(escape_controls(f"  {line}"))
    if report.digest:
        put(f"  digest: {report.digest}")
