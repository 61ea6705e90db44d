"""JSON schemas of the files that the site serves: a match's record and times, and the manifest of an archive.

They are made from the types that write these files, field by field, so that there is no second definition to
forget. Only what looks different in JSON is said here: named tuples are objects there, and what is empty is
left out. A test validates real files against them (tests/agon/site/api/test_file_schemas.py).
"""

from functools import cache
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import models_json_schema

from agon.contest.archive.manifest import (
    ARCHIVE_FORMAT,
    Absent,
    ArchivedAct,
    Digest,
    Draw,
    End,
    Header,
    Origin,
    Why,
)
from agon.contest.attempts import FailedAttempt
from agon.contest.formats import Absence, ScheduledMatch, Value
from agon.contest.secret_seeds import Seeding
from games.core.record import FORMAT, Record, RecordedFault, SeatInfo
from games.core.timing import SeatTiming, Timing

RECORD, TIMES, MANIFEST = "MatchRecord", "MatchTimes", "ArchiveManifest"
REFERENCE = "#/components/schemas/{model}"
Given = dict[str, Any]
SEED = int | str  # large ones as text: many parsers keep 53 bits


@cache
def components() -> dict[str, Any]:
    """The schemas by name, with those that they refer to."""
    models = [(model, "validation") for model in (_record(), _times(), _manifest())]
    _names, definitions = models_json_schema(models, ref_template=REFERENCE)  # type: ignore[arg-type]
    schemas: dict[str, Any] = definitions["$defs"]
    return schemas


def _record() -> type[BaseModel]:
    fault = _object("RecordFault", RecordedFault, leave_out=("reason",), code=str, values=dict[str, Any])
    changed: Given = {
        "seed": (SEED | None, Field(description="Null while it is secret.")),
        "seats": list[_object("RecordSeat", SeatInfo)],  # type: ignore[misc]
        "answers": list[list[Any]],
        "faults": list[fault],  # type: ignore[valid-type]
        "scores": list[str],
    }
    return _object(RECORD, Record, format=Literal[FORMAT], **changed)


def _times() -> type[BaseModel]:
    seat = _object("SeatTimes", SeatTiming, optional=("cpu_us", "wait_us", "host"))
    return _object(TIMES, Timing, seats=list[seat])  # type: ignore[valid-type]


def _manifest() -> type[BaseModel]:
    digest = _object("FileDigest", Digest)
    failed: Given = {"failed": (list[_object("FailedAttempt", FailedAttempt)], [])}  # type: ignore[misc]
    played: Given = {"seed": SEED, "draw": (int, 0), "environment": (str, "")}
    lines: Given = {
        "entrants": list[_object("Entrant", SeatInfo)],  # type: ignore[misc]
        "stopped": (list[create_model("StoppedEntrant", __config__=_STRICT, entrant=int, reason=str)], []),  # type: ignore[misc]
        "departures": (list[_object("Departure", Absence)], []),  # type: ignore[misc]
        "draws": (list[_object("SeedDraw", Draw, optional=("salt", "draw"), why=Literal[tuple(Why)])], []),  # type: ignore[misc]
        "absent": list[_object("AbsentMatch", ScheduledMatch, **_of(Absent, "state", "reason"), **failed)],  # type: ignore[misc]
        "acts": list[_object("ArchivedAct", ArchivedAct)],  # type: ignore[misc]
        "matches": list[_object("ArchivedMatch", ScheduledMatch, **played, **failed)],  # type: ignore[misc]
        "files": dict[str, digest],  # type: ignore[valid-type]
    }
    head: Given = {name: _left_out_if_empty(hint) for name, hint in get_type_hints(Origin).items()}
    head |= _of(Header, "game", "format", "rounds", "points", "seats")
    head |= {name: (str, "") for name in ("salt", "draw", "commitment")}
    head |= {
        "archive": Literal[ARCHIVE_FORMAT],
        "seeding": Seeding,
        "seed": SEED,
        "format_settings": (dict[str, Value], {}),
        "ratings": (list[int | None], []),
        "end": End,
    }
    head["results"] = str
    what = "manifest.json. matches: those in the archive, in order of play. files: all others, by path."
    return create_model(MANIFEST, __config__=_STRICT, __doc__=what, **head, **lines)


_STRICT = ConfigDict(extra="forbid")


def _object(
    name: str, source: type, optional: tuple[str, ...] = (), leave_out: tuple[str, ...] = (), **changed: Any
) -> type[BaseModel]:
    """A model with the fields of a dataclass or named tuple; changed: other types for some, and more."""
    given: Given = {
        field: _left_out_if_empty(hint) if field in optional else hint
        for field, hint in get_type_hints(source).items()
        if field not in leave_out
    }
    return create_model(name, __config__=_STRICT, __doc__=_first_line(source), **(given | changed))


def _left_out_if_empty(hint: Any) -> Any:
    """A field that may be missing, and is never null."""
    return hint, Field(default_factory=lambda: None)


def _of(source: type, *names: str) -> Given:
    """Some of the fields of a type."""
    hints = get_type_hints(source)
    return {name: hints[name] for name in names}


def _first_line(source: type) -> str:
    return (source.__doc__ or "").split("\n")[0]
