"""Games of libraries, written by `agon new-game --from` as their authors do."""

import os
import subprocess
import sys

import pytest

import games
from tests.support.games import forget_games

# One of each kind: open, hidden and drawn, at once; and one of the other library.
KINDS = {
    "rows": "open_spiel:connect_four",
    "cards": "open_spiel:kuhn_poker",
    "bids": "open_spiel:goofspiel(num_cards=5)",
    "zoo": "pettingzoo:tictactoe",
}


def write(folder, kinds):
    """Write these games into a folder of their own."""
    for slug, game in kinds.items():
        subprocess.run(
            [sys.executable, "-m", "agon", "new-game", slug, "--from", game],
            env={**os.environ, "AGON_GAMES": str(folder)},
            check=True,
            capture_output=True,
        )
    return folder


@pytest.fixture(scope="module")
def library_games(tmp_path_factory):
    """All four, in this process too."""
    folder = write(tmp_path_factory.mktemp("library") / "games", KINDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "__path__", [*games.__path__, str(folder)])
        for slug in KINDS:
            forget_games(slug)
        yield folder
    for slug in KINDS:
        forget_games(slug)
