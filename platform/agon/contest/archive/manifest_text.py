"""manifest.json as text, piece by piece, so that the manifest of a large contest is never in memory."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from agon.contest.archive.json_stream import LARGEST_VALUE
from agon.contest.archive.manifest import (
    ARCHIVE_FORMAT,
    SECRET,
    Absent,
    ArchivedAct,
    Digest,
    Draw,
    End,
    Header,
    Origin,
)
from agon.contest.attempts import FailedAttempt
from agon.contest.formats import ScheduledMatch
from games.core import seeds


def head_of(header: Header, origin: Origin, end: End, results: str) -> dict[str, object]:
    """The short fields."""
    facts: dict[str, object] = {"archive": ARCHIVE_FORMAT}
    facts |= {name: value for name, value in asdict(origin).items() if value}
    facts |= {
        "game": header.game,
        "format": header.format,
        "rounds": header.rounds,
        "points": header.points,
        "seats": header.seats,
        "seeding": header.seeds.seeding,
        "seed": seeds.to_data(header.seed),
    }
    if header.format_settings:
        facts["format_settings"] = dict(header.format_settings)
    if header.ratings:
        facts["ratings"] = header.ratings
    facts |= {name: value for name in SECRET if (value := getattr(header, name))}
    return facts | {"end": end, "results": results}


def pieces(
    head: Mapping[str, object],
    header: Header,
    absent: Iterable[str],
    acts: Iterable[ArchivedAct],
    matches: Iterable[str],
    files: Iterable[str],
) -> Iterator[str]:
    """The text. absent, matches, files: lines made by the functions below."""
    yield "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    yield from _block("entrants", "[]", (json.dumps(entrant._asdict()) for entrant in header.entrants))
    for name, lines in (
        ("stopped", [json.dumps({"entrant": number, "reason": reason}) for number, reason in header.stopped]),
        ("departures", [json.dumps(departure._asdict()) for departure in header.departures]),
        ("draws", list(map(_draw_line, header.draws))),
    ):
        if lines:
            yield from _block(name, "[]", lines)
    yield from _block("absent", "[]", absent)
    yield from _block("acts", "[]", map(_act_line, acts))
    yield from _block("matches", "[]", matches)
    yield from _block("files", "{}", files)
    yield "\n}\n"


def match_line(
    scheduled: ScheduledMatch,
    seed: int,
    environment: str = "",
    drawn: int = 0,
    failed: Sequence[FailedAttempt] = (),
) -> str:
    """The entry of a match that was played.

    environment: a key of the manifest's `environments`. drawn: a number of the header's draws, from 1, or 0.
    failed: the attempts at it that failed.
    """
    played_in = {"environment": environment} if environment else {}
    from_draw = {"draw": drawn} if drawn else {}
    facts = _scheduled(scheduled) | {"seed": seeds.to_data(seed)}
    return json.dumps(facts | from_draw | played_in | _failed(failed))


def absent_line(match: Absent) -> str:
    """The entry of a match that was not played."""
    why_not: dict[str, object] = {"state": match.state, "reason": match.reason}
    return json.dumps(_scheduled(match.scheduled) | why_not | _failed(match.failed))


def file_line(path: str, digest: Digest) -> str:
    """The entry of a file."""
    return f"{json.dumps(path)}: {json.dumps(digest._asdict())}"


def _scheduled(scheduled: ScheduledMatch) -> dict[str, object]:
    return {name: getattr(scheduled, name) for name in ("index", "round", "number", "seats")}


def _failed(attempts: Sequence[FailedAttempt]) -> dict[str, object]:
    return {"failed": [attempt._asdict() for attempt in attempts]} if attempts else {}


def _draw_line(draw: Draw) -> str:
    """Without the salt while it is a secret."""
    return json.dumps({name: value for name, value in draw._asdict().items() if value != ""})


def _act_line(act: ArchivedAct) -> str:
    """Details are left out of a line that no reader would take."""
    line = json.dumps(act._asdict())
    if len(line) < LARGEST_VALUE:
        return line
    return json.dumps(act._replace(details={"left out": "too long"})._asdict())


def _block(name: str, brackets: str, lines: Iterable[str]) -> Iterator[str]:
    yield f",\n{json.dumps(name)}: {brackets[0]}"
    before = "\n"
    for line in lines:
        yield before + line
        before = ",\n"
    yield ("\n" if before != "\n" else "") + brackets[1]
