"""`agon verify`: checks that the files of an archive, or a record, match their digests and their replay."""

import os
from pathlib import Path
from typing import Annotated

import typer

from agon.cli.arguments import JsonOption
from agon.cli.game_code import describe_failure, stdout_to_stderr
from agon.cli.output import CommandError, file_errors, print_json
from agon.cli.resolve import is_there
from agon.cli.terminal import progress
from agon.contest.archive.signature import LARGEST_LIST, BadKey, Signers, read_signers
from agon.contest.archive.verify import Report
from agon.contest.archive.verify import verify as check


def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="An archive (folder or zip) or a record (.json).")
    ],
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=256, help="Processes; default: one per core.")
    ] = None,
    signer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The archives must be signed with a key in this file: a .pub file, or an allowed_signers"
            " file of OpenSSH.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    for path in paths:
        if not is_there(str(path)):
            raise CommandError(f"there is no file or folder {path}")
    processes = jobs or len(os.sched_getaffinity(0))
    signers = None if signer is None else _signers(signer)
    reports = [(path, _check(path, processes, signers)) for path in paths]
    if json:
        print_json([{"path": str(path), "sound": report.sound, **vars(report)} for path, report in reports])
    else:
        for path, report in reports:
            _print_report(path, report)
    if not all(report.sound for _, report in reports):
        raise typer.Exit(1)


def _signers(file: Path) -> Signers:
    try:
        unreadable = file_errors(f"--signer: {file} cannot be read")
        with unreadable, open(file, encoding="utf-8", errors="replace") as opened:
            return read_signers(opened.read(LARGEST_LIST + 1), str(file))
    except BadKey as error:
        raise CommandError(f"--signer: {error}") from None


def _check(path: Path, jobs: int, signers: Signers | None) -> Report:
    with progress() as bar, stdout_to_stderr():
        task = bar.add_task("verifying", total=None)
        try:
            return check(
                path, lambda done, total: bar.update(task, completed=done, total=total), jobs, signers
            )
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}") from None
        except (Exception, SystemExit) as error:
            # The game's referee was changed, and cannot replay the record.
            raise CommandError(f"{path} cannot be played again: {describe_failure(error)}", 1) from None


def _print_report(path: Path, report: Report) -> None:
    count = len(report.differences)
    verdict = "sound" if report.sound else f"{count} difference{'s' if count > 1 else ''}"
    signature = f"; {report.signature}" if report.signature else ""
    matches = f"{report.matches} match{'es' if report.matches != 1 else ''} replayed"
    print(f"{path}: {verdict}; {matches}, {report.files} files checked{signature}")
    for line in (*report.differences, *report.notes):
        print(f"  {line}")
