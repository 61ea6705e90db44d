"""Agon's side: matches as a worker plays them, from warm boxes to the compressed record in a file."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from cli.building import artifact_store, build_players
from cli.resolve import Bot
from contest.arena import Player, box_limits, play
from games.core import record as records
from games.core.manifest import GameInfo, load
from games.core.record import Record
from sandbox import open_sandbox
from sandbox.api import Failed, Process
from sandbox.boxes.channel import await_lines
from sandbox.boxes.pool import Pool

READY_SECONDS = 5.0


class House:
    """A game's bots in warm boxes. Made by house()."""

    def __init__(self, info: GameInfo, players: Sequence[Player], pool: Pool, folder: Path) -> None:
        self.info = info
        self.players = players
        self.pool = pool
        self.folder = folder

    def play(self, seats: Sequence[int], seed: int) -> Record:
        """One match; seats: players by number. Raises RuntimeError at a fault: it would be another match."""
        record = play(self.info, [self.players[number] for number in seats], seed, self.pool).record
        self.write(record)
        if record.faults:
            raise RuntimeError(f"a bot of the benchmark failed: {record.faults[0]}")
        return record

    def write(self, record: Record) -> None:
        """Into a file, as the site's workers do (matches.results)."""
        data = records.to_json(record).encode()
        (self.folder / "record.json.gz").write_bytes(gzip.compress(data, 6, mtime=0))


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
def seated(agon: House, seats: int) -> Iterator[list[Process]]:
    """What the arena does around a match: warm boxes, a session in each, bots that have said READY."""
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
    """Bots of a game's folder, by the names of their files."""
    return [load(slug).folder / "bots" / name for name in names]
