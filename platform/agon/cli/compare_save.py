"""The folder of `agon compare --save`, from which an interrupted comparison is continued.

    compare.json                   what is compared, how, and from which seed
    cycles.jsonl                   a line for each cycle, in order: ranks, faults and digests of its matches
    matches/<n>/record.json        the record of match n; `agon verify` replays it

A line is written after its records, so that an interruption loses at most one cycle; a last line without a
newline is dropped. Each line has a check: the digest of the line and of the check before it. The first check
is the digest of the plan. So a plan or a line that was damaged, removed or exchanged is detected. Records are
compared with their digests.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agon.cli.output import CommandError, file_errors
from games.core.record import LARGEST_RECORD

PLAN = "compare.json"
CYCLES = "cycles.jsonl"
_PARTIAL = f"{PLAN}.new"  # a plan that is being written
_FORMAT = 1
_LARGEST_PLAN = 1 << 20  # bytes


class SavedMatch(NamedTuple):
    """ranks: by seat, from 1. faults: how many, by seat. record: its SHA-256."""

    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    record: str


class SavedCycle(NamedTuple):
    """A cycle that was played. matches: () if one of them is void."""

    matches: tuple[SavedMatch, ...]


class Folder:
    """An open folder, to which cycles are added. cycles: those that it held when it was opened."""

    def __init__(self, path: Path, cycles: Sequence[SavedCycle], check: str) -> None:
        self.path = path
        self.cycles = cycles
        self._check = check

    def add(self, number: int, cycle: SavedCycle, records: Sequence[bytes]) -> None:
        """Append a cycle. records: of its matches. Raises CommandError."""
        with file_errors(f"--save: {self.path} cannot be written"):
            for place, record in enumerate(records):
                target = _record_path(self.path, number * len(records) + place)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(record)
            line, self._check = _line(number, cycle, self._check)
            with open(self.path / CYCLES, "a", encoding="utf-8") as file:
                file.write(f"{line}\n")


@contextmanager
def folder_of(path: Path, plan: Mapping[str, Any], seats: Sequence[int]) -> Iterator[Folder]:
    """Open the folder, or make it, and lock it against other commands. Raises CommandError.

    plan: what is compared, as JSON; a folder with another plan is refused. seats: the number of seats of each
    match of a cycle.
    """
    with file_errors(f"--save: {path} cannot be written"):
        path.mkdir(parents=True, exist_ok=True)
        _refuse_others(path)
        with open(path / CYCLES, "ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CommandError(f"--save: {path} is in use by another comparison") from None
            _check_plan(path, plan)
            yield _read(path, seats, _digest(plan))


def saved_plan(path: Path) -> dict[str, Any] | None:
    """The plan that the folder holds; None if the folder is new or empty. Raises CommandError."""
    file = path / PLAN
    if not file.exists():
        return None
    try:
        with file_errors(f"--save: {file} cannot be read"), open(file, "rb") as opened:
            plan = json.loads(opened.read(_LARGEST_PLAN))
    except (ValueError, RecursionError):
        raise CommandError(f"--save: {file}: expected JSON; the file is damaged") from None
    if not isinstance(plan, dict) or plan.get("format") != _FORMAT:
        got = plan.get("format") if isinstance(plan, dict) else type(plan).__name__
        raise CommandError(f"--save: {file}: format: expected {_FORMAT}, got {got!r}")
    return {name: value for name, value in plan.items() if name != "format"}


def _refuse_others(path: Path) -> None:
    if not (path / PLAN).exists():
        other_file = next((file for file in path.iterdir() if file.name not in (CYCLES, _PARTIAL)), None)
        lines = path / CYCLES
        if other_file is None and lines.exists() and lines.stat().st_size:
            other_file = lines
        if other_file is not None:
            raise CommandError(
                f"--save: {path}: expected a new or empty folder, or that of a comparison, it holds"
                f" {other_file.name} and no {PLAN}"
            )


def _check_plan(path: Path, plan: Mapping[str, Any]) -> None:
    saved = saved_plan(path)
    if saved is None:
        partial = path / _PARTIAL
        partial.write_text(
            json.dumps({"format": _FORMAT, **plan}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        os.replace(partial, path / PLAN)
        return
    for name in plan.keys() | saved.keys():
        if plan.get(name) != saved.get(name):
            raise CommandError(
                f"--save: {path} holds another comparison: {name}: expected"
                f" {_as_json(saved.get(name))}, got {_as_json(plan.get(name))}"
            )


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(path: Path, seats: Sequence[int], check: str) -> Folder:
    """Read and check all cycles in the folder; remove an incomplete last line. Raises CommandError.

    check: the digest of the plan.
    """
    file = path / CYCLES
    text = file.read_bytes()
    complete = text.rfind(b"\n") + 1
    if complete < len(text):
        os.truncate(file, complete)
    cycles: list[SavedCycle] = []
    for number, line in enumerate(text[:complete].splitlines()):
        where = f"--save: {file}, line {number + 1}"
        try:
            cycle = _cycle(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise CommandError(f"{where}: expected a cycle as JSON; the line is damaged") from None
        expected, check = _line(number, cycle, check)
        if line != expected.encode():
            raise CommandError(
                f"{where}: its check differs: the line, the one before it or {PLAN} was changed"
            )
        if cycle.matches and [len(match.ranks) for match in cycle.matches] != list(seats):
            raise CommandError(f"{where}: expected {len(seats)} matches of {seats[0]} seats")
        for place, match in enumerate(cycle.matches):
            _check_record(path, number * len(seats) + place, match.record)
        cycles.append(cycle)
    return Folder(path, cycles, check)


def _cycle(data: Any) -> SavedCycle:
    return SavedCycle(
        tuple(
            SavedMatch(
                tuple(map(int, match["ranks"])), tuple(map(int, match["faults"])), str(match["record"])
            )
            for match in data["matches"]
        )
    )


def _line(number: int, cycle: SavedCycle, before: str) -> tuple[str, str]:
    """The line of a cycle, and its check. before: the check of the line before."""
    data = {"cycle": number, "matches": [match._asdict() for match in cycle.matches]}
    check = hashlib.sha256(f"{before}\n{json.dumps(data)}".encode()).hexdigest()
    return json.dumps({**data, "check": check}), check


def _digest(plan: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def _check_record(path: Path, number: int, expected: str) -> None:
    file = _record_path(path, number)
    with file_errors(f"--save: {file} cannot be read"), open(file, "rb") as opened:
        digest = hashlib.sha256(opened.read(LARGEST_RECORD + 1)).hexdigest()
    if digest != expected:
        raise CommandError(f"--save: {file} was changed: its SHA-256 is not that in {CYCLES}")


def _record_path(path: Path, number: int) -> Path:
    return path / "matches" / str(number) / "record.json"
