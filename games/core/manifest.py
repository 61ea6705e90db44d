"""A game's manifest, `games/<slug>/game.toml`. Reading one imports no referee.

slug = "nim"                  the folder's name
title = "Nim"                 for people; at most 120 characters
version = "1"                 changes whenever equal seeds and replies would no longer give an equal match
summary = "One sentence."     at most 400 characters
places = "Places are heaps."  * what values at `places` of an @debug line are drawn at: see viewer.js
channel = "program"           stdio: one process per match, one line out per ask, READY if ready_ms is set
                              program: the bot is started for each move: argv and a file it appends to
                              function: stdio, spoken by the game's adapter beside a Python function
referee = "Nim"               the class in referee.py
seats = { min = 2, max = 2 }

[limits]                      milliseconds, seconds, MiB, bytes; * marks what may be left out
ready_ms = 5000               * from the start to READY
turn_ms = 1000                charged time of each answer
match_s = 60                  wall time after which the platform, not a bot, has failed: that of the referee,
                              without the time for which it waits for bots
answer_bytes = 256            * the longest answer that the game needs, with a margin: of a line without its
                              newline, or of what is appended for a move. A longer one is a fault: of a line
                              a flood, of a file an illegal move. Default: 4096
memory_mib, processes, work_mib, output_bytes, open_files      * defaults: see GameLimits

[faults]                      the policy for each kind of fault; all six are required
start = "forfeit"             forfeit: the match ends, last place. disqualify: as forfeit, and in a
timeout = "forfeit"           tournament none of the bot's matches counts and it is listed last.
crash = "forfeit"             retire: stopped, the default move from now on. default: the default move
illegal = "forfeit"           this once (a bot whose process is gone faults again at its next ask).
flood = "forfeit"             A bot that could not be started cannot be asked again: start is never
memory = "forfeit"            "default". An exception in a Python function is a crash after which the bot
                              still runs: if the policy for crashes is retire, that for illegal moves applies

[tournament]                  how the original contest was played
format = "round_robin"        round_robin: every ordered pair. round_robin_self: self-play, too.
                              rotations: every subset over rotated seats. drawn: seatings drawn from the
                              seed. started_tens: drawn, one match per round for every ten entrants.
                              Or another format of agon.contest.formats
rounds = 10
points = "score"              score: the match's score. win: 1 to a sole best. shared_win: 1 to every best.
                              Or another rule of agon.contest.points

[look]                        * the game's accent and motif; see games/core/look.py
light, dark = "#6b2a8c", ...  colors for light and for dark pages
motif = "motif.svg"           a drawing below the game's folder

[archive]                     * names of the game's output files in an archive, by the game's own name
"history.txt" = "{seat0}_{seat1}_{round}_{index}.txt"
                              {seat0}: the name of the bot in seat 0. {round}, {index}: the round and the
                              match within its round, both from 0

[[house_bots]]                weakest first
name = "Taxman"               unique in the game; at most 40 characters
file = "bots/taxman.py"       a file or folder below the game's folder
language = "python"           a language of the sandbox
strength = 3                  1 (weakest) to 10
description = "What it does, in one sentence."
motto = "What it would say."  * a line in character, shown on its page
starter = false               * true: a competitor may start from it

[[starters]]                  * the starter in more languages, only for download
name = "StarterGo"            unique among these and the house bots
file = "bots/starter.go"
language = "go"
"""

import functools
import importlib
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import games
from games.core.faults import FaultKind, Policy
from games.core.game import Game
from games.core.look import Look, read_look
from games.core.record import MOST_SEATS
from games.core.toml_fields import BadManifest, TomlTable, require_distinct

GAMES = Path(__file__).resolve().parent.parent
LONGEST_ANSWER = (64 << 10) - 1  # bytes: the sandbox cuts a line after one more
LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_NAME = 120, 400, 40  # characters, for which sites have room
SLUG = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_ARCHIVE_NAME = re.compile(r"([^{}/\\\x00-\x1f]|\{[a-z0-9]+\})+", re.ASCII)

__all__ = [
    "BadManifest",
    "Channel",
    "GameInfo",
    "GameLimits",
    "HouseBot",
    "Look",
    "OwnBot",
    "Preset",
    "UnknownGame",
]
__all__ += [
    "all_games",
    "file_of",
    "house_bots",
    "load",
    "module_of",
    "referee",
    "shared_script",
    "slugs",
    "starters",
]


class Channel(StrEnum):
    """How bots are asked; the manifest's description above says more."""

    STDIO = "stdio"
    PROGRAM = "program"
    FUNCTION = "function"


class UnknownGame(Exception):
    """There is no game with that slug; str(e) names it and the existing ones."""


@dataclass(frozen=True)
class GameLimits:
    """[limits]: what a bot may use, in the units of the names. ready_ms: None where no READY is expected."""

    ready_ms: int | None
    turn_ms: int
    match_s: int
    answer_bytes: int
    memory_mib: int
    processes: int
    work_mib: int
    output_bytes: int
    open_files: int


@dataclass(frozen=True)
class Preset:
    """[tournament]: how the original contest was played. format, points: names that
    those who hold contests know."""

    format: str
    rounds: int
    points: str


@dataclass(frozen=True)
class OwnBot:
    """A bot that belongs to the game. path: its file or folder. language: a language of the sandbox."""

    name: str
    path: Path
    language: str


@dataclass(frozen=True)
class HouseBot(OwnBot):
    """A bot that competes. strength: 1 to 10. motto: "" if it has none. starter: competitors may start from
    it.
    """

    strength: int
    description: str
    motto: str
    starter: bool


@dataclass(frozen=True)
class GameInfo:
    """A manifest. places: "" if its viewer has none. look: None if the game has none of its own. house,
    downloads: their files are not checked here; see house_bots(), starters().
    """

    slug: str
    title: str
    version: str
    summary: str
    places: str
    channel: Channel
    referee: str
    min_seats: int
    max_seats: int
    limits: GameLimits
    faults: Mapping[FaultKind, Policy]
    tournament: Preset
    look: Look | None
    archive: Mapping[str, str]
    house: tuple[HouseBot, ...]
    downloads: tuple[OwnBot, ...]
    folder: Path

    @property
    def seat_range(self) -> str:
        """How many seats a match has: "2", "2-4"."""
        least, most = self.min_seats, self.max_seats
        return str(most) if least == most else f"{least}-{most}"

    def archive_name(self, file: str, names: Sequence[str], round: int, index: int) -> str:
        """The name in an archive of the game's output file `file`; its own if the manifest has none.

        names: the bots' names by seat. round, index: the round and the match within it, from 0.
        """
        seats = {f"seat{seat}": name for seat, name in enumerate(names)}
        return self.archive.get(file, file).format(**seats, round=round, index=index)


def all_games() -> tuple[GameInfo, ...]:
    """Every game, by slug. Raises BadManifest."""
    return tuple(map(load, slugs()))


def slugs() -> tuple[str, ...]:
    """The slug of every game, including those with a bad manifest. Raises BadManifest."""
    return tuple(sorted(_folders()))


@functools.cache
def load(slug: str) -> GameInfo:
    """Read one game's manifest. Raises UnknownGame, BadManifest."""
    folders = _folders()
    if slug not in folders:
        raise UnknownGame(f"there is no game {slug[:60]!r}; there are: {', '.join(sorted(folders))}")
    return read(folders[slug])


def file_of(slug: str, name: str) -> Path | None:
    """A file in the game's folder; None if there is no such file or game."""
    folder = _folders().get(slug)
    return folder / name if folder is not None and (folder / name).is_file() else None


def module_of(slug: str, name: str) -> Any:
    """A module of the game's folder, such as its story; None if there is none."""
    return importlib.import_module(f"games.{slug}.{name}") if file_of(slug, f"{name}.py") else None


def shared_script(name: str) -> Path | None:
    """`<name>.js` beside the folders of the games, which the viewers of several of them import."""
    files = (Path(place) / f"{name}.js" for place in games.__path__)
    return next((file for file in files if SLUG.fullmatch(name) and file.is_file()), None)


def _folders() -> Mapping[str, Path]:
    """The folder of each game, by slug. Raises BadManifest if two share a slug, or AGON_GAMES is bad."""
    folders: dict[str, Path] = {}
    for place in games.__path__:
        if not Path(place).is_dir():
            raise BadManifest(f"AGON_GAMES: expected a folder of games, got {place}, which is none")
        for folder in (path.parent for path in Path(place).glob("*/game.toml")):
            if folder.name in folders:
                raise BadManifest(
                    f"{folder}: there is already a game {folder.name} in {folders[folder.name]}"
                )
            if SLUG.fullmatch(folder.name):
                folders[folder.name] = folder
    return folders


def read(folder: Path) -> GameInfo:
    """Read the manifest in `folder`, whose name must be the game's slug. Raises BadManifest."""
    top = TomlTable.of_file(folder / "game.toml", folder.name)
    channel = Channel(top.choice("channel", tuple(Channel)))
    seats = top.table("seats")
    most = seats.integer("max", 1, MOST_SEATS)
    info = GameInfo(
        slug=top.choice("slug", (folder.name,)),
        title=top.line("title", LONGEST_TITLE),
        version=top.line("version", LONGEST_SUMMARY),
        summary=top.line("summary", LONGEST_SUMMARY),
        places=top.text("places", ""),
        channel=channel,
        referee=top.text("referee"),
        min_seats=seats.integer("min", 1, most),
        max_seats=most,
        limits=_limits(top.table("limits"), channel),
        faults=_faults(top.table("faults")),
        tournament=_preset(top.table("tournament")),
        look=read_look(top.table("look"), folder) if "look" in top.names() else None,
        archive=_archive(top.table("archive", default={}), most),
        house=tuple(_house_bot(table, folder) for table in top.tables("house_bots")),
        downloads=tuple(table.done(_own_bot(table, folder)) for table in top.tables("starters")),
        folder=folder,
    )
    seats.done()
    top.done()
    require_distinct(
        [bot.name for bot in (*info.house, *info.downloads)], f"{top.path}: house_bots, starters"
    )
    return info


def house_bots(info: GameInfo) -> tuple[HouseBot, ...]:
    """The game's house bots, weakest first. Raises BadManifest naming the first whose file is missing."""
    _require_files(info, info.house)
    return info.house


def starters(info: GameInfo) -> tuple[OwnBot, ...]:
    """Every bot to start from, in all languages. Raises BadManifest naming the first without a file."""
    own_bots = (*(bot for bot in info.house if bot.starter), *info.downloads)
    _require_files(info, own_bots)
    return own_bots


def _require_files(info: GameInfo, bots: Sequence[OwnBot]) -> None:
    for bot in bots:
        if not bot.path.exists():
            raise BadManifest(f"{info.slug}/game.toml: bot {bot.name}: no file {bot.path.name}")


def referee(info: GameInfo) -> type[Game]:
    """Import the game's referee. Raises BadManifest if it is not the game that the manifest describes."""
    module = importlib.import_module(f"games.{info.slug}.referee")
    result = getattr(module, info.referee, None)
    if not isinstance(result, type) or not issubclass(result, Game):
        raise BadManifest(f"{info.slug}/game.toml: referee: no Game named {info.referee} in referee.py")
    if (result.slug, result.version) != (info.slug, info.version):
        raise BadManifest(
            f"{info.slug}/game.toml: describes {info.slug} version {info.version}, "
            f"referee.py has {result.slug} version {result.version}"
        )
    return result


def _limits(table: TomlTable, channel: Channel) -> GameLimits:
    return table.done(
        GameLimits(
            ready_ms=None if channel == Channel.PROGRAM else table.integer("ready_ms", 1, 600_000, None),
            turn_ms=table.integer("turn_ms", 1, 600_000),
            match_s=table.integer("match_s", 1, 86_400),
            answer_bytes=table.integer("answer_bytes", 1, LONGEST_ANSWER, default=4096),
            memory_mib=table.integer("memory_mib", 16, 1 << 16, default=256),
            processes=table.integer("processes", 1, 4096, default=64),
            work_mib=table.integer("work_mib", 1, 1 << 16, default=64),
            output_bytes=table.integer("output_bytes", 1, 1 << 30, default=1 << 20),
            open_files=table.integer("open_files", 8, 4096, default=256),
        )
    )


def _faults(table: TomlTable) -> Mapping[FaultKind, Policy]:
    policies = {kind: Policy(table.choice(kind, _policies(kind))) for kind in FaultKind}
    return table.done(policies)


def _policies(kind: FaultKind) -> tuple[Policy, ...]:
    """The policies that this kind of fault may have. A bot that was never started cannot be asked again."""
    return tuple(policy for policy in Policy if (kind, policy) != (FaultKind.START, Policy.DEFAULT))


def _preset(table: TomlTable) -> Preset:
    return table.done(
        Preset(
            format=table.text("format"),
            rounds=table.integer("rounds", 1, 1_000_000),
            points=table.text("points"),
        )
    )


def _archive(table: TomlTable, seats: int) -> Mapping[str, str]:
    allowed = {"round", "index", *(f"seat{seat}" for seat in range(seats))}
    names = {file: table.text(file) for file in table.names()}
    for file, pattern in names.items():
        try:
            used = {field for _, field, _, _ in string.Formatter().parse(pattern) if field is not None}
        except ValueError as error:  # a brace without its counterpart
            raise table.reader.refuse(table.at(file), str(error)) from None
        if not used <= allowed:
            known = ", ".join(sorted(allowed))
            raise table.reader.refuse(table.at(file), f"knows {known}, not {min(used - allowed)}")
        if not _ARCHIVE_NAME.fullmatch(pattern):
            raise table.reader.wrong(table.at(file), "the name of a file, with no more in braces", pattern)
    require_distinct(list(names.values()), table.path)
    return table.done(names)


def _house_bot(table: TomlTable, folder: Path) -> HouseBot:
    bot = _own_bot(table, folder)
    return table.done(
        HouseBot(
            bot.name,
            bot.path,
            bot.language,
            strength=table.integer("strength", 1, 10),
            description=table.text("description"),
            motto=table.text("motto", ""),
            starter=table.read("starter", table.reader.flag, False),
        )
    )


def _own_bot(table: TomlTable, folder: Path) -> OwnBot:
    return OwnBot(table.line("name", LONGEST_NAME), table.path_below("file", folder), table.text("language"))
