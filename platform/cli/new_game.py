"""`agon new-game`: a copy of games/core/skeleton, a small complete game, under a name of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import typer

_SKELETON_SLUG, _SKELETON_TITLE = '"skeleton"', '"Skeleton"'


def new_game(
    slug: Annotated[
        str,
        typer.Argument(metavar="SLUG", help="Small letters, digits and underscores; names the folder."),
    ],
) -> None:
    """Write a small complete game, to be changed into yours, into games/SLUG (or $AGON_GAMES/SLUG)."""
    from cli.output import Stop
    from games.core.manifest import read

    _check_slug(slug)
    place = _place()
    try:
        names = _write(slug, place / slug)
    except OSError as error:
        raise Stop(f"{place / slug} cannot be written: {error.strerror or error}") from None
    print(f"{place / slug} holds a game that works: {', '.join(names)}")
    print("Change it into yours; docs/your-first-game.md explains what is what. Now and then:")
    agon = _called()
    print(f"    {agon} check-game {slug}")
    print(f"    {agon} play {slug} {' '.join(bot.name for bot in read(place / slug).house)}")


def _called() -> str:
    """How to call this program again: by its name where a shell finds it, else as it was called now."""
    called = sys.argv[0]
    if Path(called).name != "agon":  # python -m cli
        return "agon"
    found = shutil.which("agon")
    named = found is not None and os.path.samefile(found, called)
    return "agon" if named else shlex.quote(called)


def _check_slug(slug: str) -> None:
    """Raises Stop for a name that cannot be a game's, or already is something's."""
    from cli.output import Stop
    from games.core.manifest import SLUG

    if not SLUG.fullmatch(slug):
        raise Stop(
            "a slug has 1 to 40 small letters, digits and underscores and begins with a letter; "
            f"got {slug[:60]!r}{_suggestion(slug)}"
        )
    if iskeyword(slug):
        raise Stop(f"{slug!r} is a word of Python's own and cannot name a folder that Python imports")
    if (spec := find_spec(f"games.{slug}")) is not None:
        (where,) = spec.submodule_search_locations or [spec.origin or ""]
        raise Stop(f"{slug!r} is taken: {where} is there")


def _suggestion(slug: str) -> str:
    from games.core.manifest import SLUG

    near = re.sub(r"[\W_]+", "_", slug.lower(), flags=re.ASCII).strip("_")[:40]
    return f". What about {near}?" if SLUG.fullmatch(near) else ""


def _place() -> Path:
    """The author's own folder of games where there is one, else the project's."""
    from games.core.manifest import GAMES

    own = os.environ.get("AGON_GAMES")
    return Path(own).absolute() if own else GAMES


def _write(slug: str, folder: Path) -> list[str]:
    """The names of the files written: all of them or, with an OSError, none. The folder must be new."""
    from games.core.manifest import GAMES

    skeleton = GAMES / "core" / "skeleton"
    files = sorted(path for path in skeleton.rglob("*") if path.is_file() and path.suffix != ".pyc")
    title = slug.replace("_", " ").strip().title()
    folder.mkdir(parents=True)
    try:
        for path in files:
            text = path.read_text(encoding="utf-8")
            text = text.replace(_SKELETON_SLUG, f'"{slug}"').replace(_SKELETON_TITLE, f'"{title}"')
            copy = folder / path.relative_to(skeleton)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return [str(path.relative_to(skeleton)) for path in files]
