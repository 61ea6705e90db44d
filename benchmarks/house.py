"""Agon's side of the benchmarks: plays matches as a worker does, from warm boxes to the compressed record."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from agon.cli.building import artifact_store, build_players
from agon.cli.resolve import Bot
from agon.contest.arena import Player, box_limits, play
from games.core import record as records
from games.core import timing
from games.core.manifest import GameInfo, load
from games.core.match_log import MatchLog
from sandbox.api import Failed, Process
from sandbox.backends import open_sandbox
from sandbox.boxes.channel import await_lines
from sandbox.boxes.pool import Pool

READY_SECONDS = 5.0


class House:
    """The bots of a game in warm boxes. Use `house` to create it."""

    def __init__(self, info: GameInfo, players: Sequence[Player], pool: Pool, folder: Path) -> None:
        self.info = info
        self.players = players
        self.pool = pool
        self.folder = folder

    def play(self, seats: Sequence[int], seed: int) -> MatchLog:
        """Play a match.

        seats: indexes of players. Raises RuntimeError at a fault, because times would not be comparable.
        """
        log = play(self.info, [self.players[number] for number in seats], seed, self.pool).log
        self.write(log)
        if log.faults:
            raise RuntimeError(f"a bot of the benchmark failed: {log.faults[0]}")
        return log

    def write(self, log: MatchLog) -> None:
        """Compress and write the record like the site's workers, but to a file."""
        for name, text in (("record", records.to_json(log.record)), ("times", timing.to_json(log.timing))):
            (self.folder / name).write_bytes(zlib.compress(text.encode()))


@contextmanager
def house(slug: str, bots: Sequence[Path], sandbox_name: str) -> Iterator[House]:
    """Build the bots and open a box for each."""
    info = load(slug)
    named = [Bot(f"{path.stem}-{number}", path) for number, path in enumerate(bots)]
    with artifact_store() as store, tempfile.TemporaryDirectory() as folder:
        _, players = build_players(info, named, sandbox_name, store)
        with (
            closing(open_sandbox(sandbox_name)) as sandbox,
            closing(Pool(sandbox, box_limits(info), len(players) + info.max_seats)) as pool,
        ):
            for box in [pool.take(player.artifact) for player in players]:
                pool.give(box)
            yield House(info, players, pool, Path(folder))


@contextmanager
def open_sessions(agon: House, seats: int) -> Iterator[list[Process]]:
    """What the arena does before and after a match: open sessions in warm boxes, start bots, await READY."""
    artifacts = [agon.players[seat % len(agon.players)].artifact for seat in range(seats)]
    boxes = [agon.pool.take(artifact) for artifact in artifacts]
    sessions = [box.session() for box in boxes]
    processes = [session.start() for session in sessions]
    answers = await_lines({seat: (process, READY_SECONDS) for seat, process in enumerate(processes)})
    failed = [answer for answer in answers.values() if isinstance(answer, Failed)]
    if failed:
        raise RuntimeError(f"a bot of the benchmark failed: {failed[0]}")
    yield processes
    for process in processes:
        process.close_input()
    for session in reversed(sessions):
        session.close()
    for box in reversed(boxes):
        agon.pool.give(box)


def files(slug: str, *names: str) -> list[Path]:
    """The paths of a game's bots with these file names."""
    return [load(slug).folder / "bots" / name for name in names]
