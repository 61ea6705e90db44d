"""`agon download`: a file of a site: a match's record or archive, a tournament's archive or tables."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agon.cli.output import CommandError, file_errors, say
from agon.cli.sites import SiteOption, chosen_site
from agon.client import Site, SiteError


class What(StrEnum):
    """The values of WHAT."""

    record = "record"
    match = "match"
    tournament = "tournament"
    csv = "csv"
    parquet = "parquet"
    source = "source"
    matches = "matches"


# The address and the name of the file, with the number in them.
FILES = {
    What.record: ("matches/{}/record", "match-{}.json"),
    What.match: ("matches/{}/archive", "match-{}.zip"),
    What.tournament: ("tournaments/{}/archive", "tournament-{}.zip"),
    What.csv: ("tournaments/{}/csv", "tournament-{}.csv"),
    What.parquet: ("tournaments/{}/parquet", "tournament-{}.parquet"),
    What.source: ("submissions/{}/source", "submission-{}"),
}


def download(
    what: Annotated[
        What,
        typer.Argument(
            metavar="WHAT",
            help="record, match (its archive), tournament (its archive), csv or parquet (of a tournament),"
            " source (of a submission), or matches (the records of all matches of a bot).",
        ),
    ],
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Of the match, tournament, submission or bot.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="A file, or a folder for matches; - is stdout."),
    ] = None,
    site: SiteOption = None,
) -> None:
    if what == What.matches and output == Path("-"):
        raise CommandError("-o: matches are many files: expected a folder, got -")
    with chosen_site(site) as client:
        if what == What.matches:
            _matches(client, number, output or Path(f"bot-{number}-matches"))
            return
        address, name = FILES[what]
        data = client.download(address.format(number))
    if output == Path("-"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        _write(output or Path(name.format(number)), data)


def _matches(site: Site, bot: int, folder: Path) -> None:
    """Records that are there already are left alone, so an interrupted download can be continued.

    A competition removes old records of those who have most first, so there may be older ones after a gap.
    """
    with file_errors(f"-o: {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    got = missing = 0
    for match in site.matches(bot=bot, state="finished"):
        number = match["id"]  # a number, so that it may be in the name of a file
        path = folder / f"match-{number}.json"
        if path.exists():
            continue
        try:
            data = site.download(f"matches/{number}/record")
        except SiteError as error:
            if error.code != "not_found":
                raise
            missing += 1
            continue
        _write(path, data, quiet=True)
        got += 1
    say(f"{got} records written to {folder}")
    if missing:
        say(f"{missing} records are not kept any more, or still secret")


def _write(path: Path, data: bytes, quiet: bool = False) -> None:
    """A file is there as a whole or not at all. A pipe or a device is written to, never replaced."""
    if path.is_dir():
        raise CommandError(f"-o: {path} is a folder, expected a file")
    with file_errors(f"-o: {path}"):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            target = Path(os.path.realpath(path))  # of a symbolic link
            part = target.with_name(f"{target.name}.{os.getpid()}.part")  # other downloads have others
            part.write_bytes(data)
            os.replace(part, target)
    if not quiet:
        say(f"{len(data)} bytes written to {path}")
