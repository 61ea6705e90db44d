"""What is known of one game only is in that game's folder, so that adding a game changes no other file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from games.core.manifest import all_games

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("frontend", "games", "manage.py", "platform", "sandbox", "static", "templates")
BUNDLED = ("static/editor/",)  # the code editor, which other people have written


def files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PRODUCT],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.split("\0") if name and not name.startswith(BUNDLED)]


def test_no_file_outside_a_games_folder_names_the_game():
    words = {word for info in all_games() for word in (info.slug, info.slug.replace("_", "-"), info.title)}
    named = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(words)))})(?![\w-])", re.IGNORECASE)
    folders = tuple(f"games/{info.slug}/" for info in all_games())
    mentions = []
    for name in files():
        if name.startswith(folders) or not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        mentions += [f"{name}: {match[0]}" for match in named.finditer(text)]
    assert mentions == []
