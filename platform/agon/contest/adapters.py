"""The files that turn a bot written as a Python function into a program, among them the game's adapter.

Only games of channel `function` have one (see sandbox/building/function_runner.py). Bots in other languages,
and bots with commands of their own, speak the game's line protocol themselves.
"""

from pathlib import Path

from agon.contest.arena import box_limits
from games.core.manifest import Channel, GameInfo
from sandbox.building import function_runner
from sandbox.building.adapter import Adapter

_ADAPTER_FILE = f"{function_runner.ADAPTER}.py"


def adapter_of(info: GameInfo) -> Adapter | None:
    """The files to add to the game's Python bots; None for games whose bots are programs. Raises OSError."""
    if info.channel != Channel.FUNCTION:
        return None
    files = {
        function_runner.ENTRY: Path(function_runner.__file__).read_bytes(),
        _ADAPTER_FILE: (info.folder / "adapter.py").read_bytes(),
    }
    assert info.limits.ready_ms is not None  # only programs that are run for each move have none
    return Adapter("python", function_runner.ENTRY, files, info.limits.ready_ms / 1000, box_limits(info))
