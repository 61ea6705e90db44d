"""How a Python function becomes a program: the game's adapter, put beside the bot when it is built.

Only games of channel `function` have one (sandbox/building/function_runner.py tells what it does). Bots in
other languages, and those that bring their own commands, speak the game's lines themselves.
"""

from __future__ import annotations

from pathlib import Path

from games.core.manifest import GameInfo
from sandbox.building import function_runner
from sandbox.building.adapter import Adapter

ENTRY = "agon_adapter.py"
GAME = "agon_game.py"


def adapter_of(info: GameInfo) -> Adapter | None:
    """What is put beside the game's Python bots; None for games whose bots are programs. Raises OSError."""
    if info.channel != "function":
        return None
    files = {
        ENTRY: Path(function_runner.__file__).read_bytes(),
        GAME: (info.folder / "adapter.py").read_bytes(),
    }
    return Adapter("python", ENTRY, files)
