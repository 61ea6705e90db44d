"""Archives in folders, as `agon play --save` leaves them."""

from collections.abc import Iterable
from pathlib import Path

from agon.contest.archive.manifest import Absent, Header
from agon.contest.archive.writer import UNSIGNED, About, ArchivedMatch, fill_folder, prepare_folder


def write_folder(
    folder: Path, header: Header, matches: Iterable[ArchivedMatch | Absent], about: About = UNSIGNED
) -> None:
    """Write an archive into a new or empty folder. Raises BadFolder, OSError."""
    prepare_folder(folder)
    fill_folder(folder, header, matches, about)
