"""`agon new-game`: copies a small complete game, games/core/skeleton or a library's, under a new name."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import typer

import games
from agon.cli.new_game_from import Template, from_library
from agon.cli.output import CommandError, file_errors
from agon.resources import IS_CHECKOUT, RESOURCES
from games.core.manifest import GAMES, SLUG, read


def new_game(
    slug: Annotated[
        str,
        typer.Argument(metavar="SLUG", help="The folder's name: lowercase letters, digits, and underscores."),
    ],
    library_game: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="LIBRARY:GAME",
            help="A game that a library plays: open_spiel:kuhn_poker, pettingzoo:go(board_size=9).",
        ),
    ] = None,
) -> None:
    _check_slug(slug)
    folder = _games_folder()
    if library_game is None:
        template = Template(GAMES / "core" / "skeleton", {})
    else:
        template = from_library(slug, library_game)
    with file_errors(f"{folder / slug} cannot be written"):
        names = _write(template, _names(slug), folder / slug)
    print(f"Created a working game in {folder / slug}: {', '.join(names)}")
    print(f"Make it your own; {_guide()} explains each file. As you go, run:")
    agon = _program()
    if folder not in _known_folders():
        print(f"    export AGON_GAMES={shlex.quote(str(folder))}")
    print(f"    {agon} check-game {slug}")
    print(f"    {agon} play {slug} {' '.join(bot.name for bot in read(folder / slug).house)}")


def _program() -> str:
    """The command for this program: its name if the shell finds it, otherwise the path used now."""
    path = sys.argv[0]
    if Path(path).name != "agon":  # python -m agon
        return "agon"
    on_path = shutil.which("agon")
    is_on_path = on_path is not None and os.path.samefile(on_path, path)
    return "agon" if is_on_path else shlex.quote(path)


def _check_slug(slug: str) -> None:
    """Raises CommandError for a name that a game cannot have, or that is taken."""
    if not SLUG.fullmatch(slug):
        raise CommandError(
            "a slug has 1 to 40 lowercase letters, digits, and underscores, and starts with a letter; "
            f"got {slug[:60]!r}{_suggestion(slug)}"
        )
    if iskeyword(slug):
        raise CommandError(f"{slug!r} is a Python keyword and cannot name a package")
    if (spec := find_spec(f"games.{slug}")) is not None:
        (where,) = spec.submodule_search_locations or [spec.origin or ""]
        raise CommandError(f"{slug!r} is taken: {where} already exists")


def _suggestion(slug: str) -> str:
    near = re.sub(r"[\W_]+", "_", slug.lower(), flags=re.ASCII).strip("_")[:40]
    return f". How about {near}?" if SLUG.fullmatch(near) else ""


def _games_folder() -> Path:
    """AGON_GAMES if it is set; else `games` of the checkout or, without one, of the current folder."""
    own = os.environ.get("AGON_GAMES")
    if own:
        return Path(own).absolute()
    return GAMES if IS_CHECKOUT else Path("games").absolute()


def _known_folders() -> set[Path]:
    """The folders whose games the other commands find."""
    return {Path(folder).absolute() for folder in games.__path__}


def _guide() -> str:
    guide = Path("docs/guides/write-a-game.md")
    return str(guide if IS_CHECKOUT else RESOURCES / guide)


def _names(slug: str) -> Mapping[str, str]:
    title = slug.replace("_", " ").strip().title()
    return {'"skeleton"': f'"{slug}"', '"Skeleton"': f'"{title}"'}


def _write(template: Template, names: Mapping[str, str], folder: Path) -> list[str]:
    """Write the game; returns the names of the files. Raises OSError, and then leaves no folder behind."""
    files = sorted(path for path in template.folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    folder.mkdir(parents=True)
    try:
        for path in files:
            text = path.read_text(encoding="utf-8")
            for old, new in {**template.texts, **names}.items():
                text = text.replace(old, new)
            copy = folder / path.relative_to(template.folder)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return [str(path.relative_to(template.folder)) for path in files]
