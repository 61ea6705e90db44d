"""Bots with known fates: a game's `fates.toml`, which says what must happen to each of them.

A bot that is late must be called late, an illegal move must be refused in the words that the game has for it,
and a legal bot that plays badly must lose. `agon check-game` plays each one in the sandbox, and fails if its
fate is another. A fate with `scores` also pins the match: rules and draws that change are noticed.

[[fates]]
name = "late"                 unique among the fates
python = "..."                its program: this Python text, or else
file = "fates/late.c"         a file or folder below the game's folder, or else
bot = "Taxman"                one of the game's house bots and starters
against = ["Taxman"]          * who has the other seats, in order, from the first again if they are too few.
                              Default: the weakest house bot
seat = 1                      * its seat, from 1. Default: 1
seed = 1                      * of the match. Default: 1
required = ["timeout"]        * faults that it must make, each at least once: start, timeout, crash,
                              illegal, flood, memory
permitted = ["crash"]         * faults that it may make; all others it must not
reason = "expected a card"    * a phrase in the reason of one of its faults
rank = 2                      * its rank, from 1
scores = ["13", "7/2"]        * the exact scores of all seats
steps = 26                    * how many asks the match has
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from games.core.faults import FaultKind
from games.core.manifest import GameInfo
from games.core.toml_fields import BadManifest, TomlTable, require_distinct

FILE = "fates.toml"
MOST_FATES = 100  # fates of a game
_PROGRAMS = ("python", "file", "bot")


@dataclass(frozen=True)
class Fate:
    """What must happen to a bot. seat: from 0. rank, scores, steps: None where any will do.

    path: its file or folder; None if `python` is its text. against: names of house bots and starters.
    """

    name: str
    path: Path | None
    python: str
    against: tuple[str, ...]
    seat: int
    seed: int
    required: tuple[FaultKind, ...]
    permitted: tuple[FaultKind, ...]
    reason: str
    rank: int | None
    scores: tuple[Fraction, ...] | None
    steps: int | None


def read_fates(info: GameInfo) -> tuple[Fate, ...]:
    """The fates of a game, in order; () where it has none. Raises BadManifest."""
    path = info.folder / FILE
    if not path.is_file():
        return ()
    top = TomlTable.of_file(path, info.slug)
    tables = top.done(top.tables("fates"))
    if len(tables) > MOST_FATES:
        raise BadManifest(f"{top.path}: fates: expected at most {MOST_FATES}, got {len(tables)}")
    fates = tuple(_fate(table, info) for table in tables)
    require_distinct([repr(fate.name) for fate in fates], f"{top.path}: fates")
    return fates


def _fate(table: TomlTable, info: GameInfo) -> Fate:
    path, python = _program(table, info)
    required, permitted = _kinds(table, "required"), _kinds(table, "permitted")
    reason = table.text("reason", "")
    if reason and not required + permitted:
        raise BadManifest(f"{table.at('reason')}: expected `required` or `permitted` beside it, got neither")
    return table.done(
        Fate(
            name=_name(table),
            path=path,
            python=python,
            against=_against(table, info),
            seat=table.integer("seat", 1, info.max_seats, default=1) - 1,
            seed=table.integer("seed", 0, 1 << 53, default=1),
            required=required,
            permitted=permitted,
            reason=reason,
            rank=table.integer("rank", 1, info.max_seats, default=None),
            scores=_scores(table, info.max_seats),
            steps=table.integer("steps", 0, 1_000_000, default=None),
        )
    )


def _name(table: TomlTable) -> str:
    name = table.text("name")
    if not name.isprintable() or len(name) > 60:
        raise table.reader.wrong(table.at("name"), "a printable name of at most 60 characters", name)
    return name


def _program(table: TomlTable, info: GameInfo) -> tuple[Path | None, str]:
    """The path of the program, or its Python text."""
    given = [name for name in _PROGRAMS if name in table.names()]
    if len(given) != 1:
        got = " and ".join(given) or "none of them"
        raise BadManifest(f"{table.path}: expected one of {', '.join(_PROGRAMS)}, got {got}")
    if given == ["python"]:
        return None, table.text("python")
    if given == ["bot"]:
        paths = {bot.name: bot.path for bot in (*info.house, *info.downloads)}
        return paths[table.choice("bot", tuple(paths))], ""
    path = table.path_below("file", info.folder)
    if not path.exists():
        raise table.reader.wrong(table.at("file"), f"a file or folder below {info.slug}/", path.name)
    return path, ""


def _against(table: TomlTable, info: GameInfo) -> tuple[str, ...]:
    names = tuple(bot.name for bot in (*info.house, *info.downloads))

    def known(value: Any, path: str) -> str:
        if value not in names:
            raise table.reader.wrong(path, f"a house bot or starter ({', '.join(names)})", value)
        return str(value)

    against = table.items("against", known, names[:1])
    if info.max_seats > 1 and not against:
        raise BadManifest(f"{table.at('against')}: expected a house bot or starter, got none")
    return against


def _kinds(table: TomlTable, name: str) -> tuple[FaultKind, ...]:
    def kind(value: Any, path: str) -> FaultKind:
        if value not in tuple(FaultKind):
            raise table.reader.wrong(path, " or ".join(FaultKind), value)
        return FaultKind(value)

    return table.items(name, kind, ())


def _scores(table: TomlTable, seats: int) -> tuple[Fraction, ...] | None:
    def score(value: Any, path: str) -> Fraction:
        text = table.reader.text(value, path)
        wrong = table.reader.wrong(path, 'an exact number, such as "13" or "7/2"', value)
        if "e" in text.lower() or len(text) > 60:  # 1e999999999 has more digits than there is memory
            raise wrong
        try:
            return Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise wrong from None

    scores = table.items("scores", score, None)
    if scores is not None and len(scores) != seats:
        raise BadManifest(f"{table.at('scores')}: expected {seats} of them, got {len(scores)}")
    return scores
