"""`agon verify`: is an archive, or a record, what it says it is?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import JsonOption

if TYPE_CHECKING:
    from contest.archive.verify import Report


def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="An archive (folder or zip), or a record (.json).")
    ],
    json: JsonOption = False,
) -> None:
    """Check digests and play every match again without bots; exit code 1 at any difference."""
    from cli.output import Stop, print_json
    from cli.resolve import is_there

    for path in paths:
        if not is_there(str(path)):
            raise Stop(f"there is no file or folder {path}")
    reports = [(path, _check(path)) for path in paths]
    if json:
        print_json([{"path": str(path), "sound": report.sound, **vars(report)} for path, report in reports])
    else:
        for path, report in reports:
            _tell(path, report)
    if not all(report.sound for _, report in reports):
        raise typer.Exit(1)


def _check(path: Path) -> Report:
    from cli.output import Stop, progress
    from contest.archive.verify import verify as check

    with progress() as bar:
        task = bar.add_task("verifying", total=None)
        try:
            return check(path, lambda done, of: bar.update(task, completed=done, total=of))
        except OSError as error:
            raise Stop(f"{path} cannot be read: {error.strerror or error}") from None


def _tell(path: Path, report: Report) -> None:
    count = len(report.differences)
    verdict = "sound" if report.sound else f"{count} difference{'s' if count > 1 else ''}"
    matches = f"{report.matches} match{'es' if report.matches != 1 else ''} played again"
    print(f"{path}: {verdict}; {matches}, {report.files} files checked")
    for line in (*report.differences, *report.notes):
        print(f"  {line}")
