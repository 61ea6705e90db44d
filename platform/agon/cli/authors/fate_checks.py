"""Plays the bots of a game's `fates.toml` in the sandbox, and says whose fate is another than declared."""

from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agon.cli.game_checks import FAILED, OK, SKIPPED, Verdict, why_unbuilt, why_unplayed
from agon.contest.adapters import adapter_of
from agon.contest.arena import Player, box_limits, play
from agon.contest.platform_failure import PlatformFailure
from agon.contest.reasons import english, from_sandbox
from games.core.fates import FILE, Fate
from games.core.faults import FaultKind
from games.core.manifest import GameInfo
from games.core.match_log import MatchLog
from sandbox.api import Sandbox
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.building.recipes import recipe
from sandbox.source import Source
from sandbox.uploads.accept import BadUpload, pasted, read_path

_CHECK = ("bots_meet_their_fates", f"Every bot of {FILE} meets the fate that it must.")


class Staged(NamedTuple):
    """A fate with the players of its match, by seat. log: None until it was played to a result."""

    fate: Fate
    players: Sequence[Player]
    log: MatchLog | None = None


class Met(NamedTuple):
    """A fate that was played. words: what differs from it, "" if nothing does."""

    staged: Staged
    words: str


@dataclass(frozen=True)
class Cast:
    """Fates with their players. problems: of bots that do not build; missing: languages."""

    playable: Sequence[Staged]
    problems: Sequence[str]
    missing: Sequence[str]


def fate_checks(cast: Cast, met: Sequence[Met]) -> Verdict:
    """The verdict about all fates. met: those that were played."""
    problems = [
        *cast.problems,
        *(f"{played.staged.fate.name}: {played.words}" for played in met if played.words),
    ]
    if not problems and not met and not cast.missing:
        return Verdict(*_CHECK, SKIPPED, (f"there is no {FILE}",))
    return Verdict(*_CHECK, FAILED if problems else OK, tuple(problems or cast.missing))


def cast_fates(info: GameInfo, fates: Sequence[Fate], sandbox: Sandbox, store: Path) -> Cast:
    """Build the bots of all fates, and those that they play against. Raises SandboxError."""
    paths = {bot.name: bot.path for bot in (*info.house, *info.downloads)}
    adapter = adapter_of(info)
    built: dict[str, Player | str] = {}

    def player(name: str, source: Source) -> Player | str:
        """The player, or why there is none."""
        if source.digest not in built:
            result = build(source, sandbox, store, adapter)
            built[source.digest] = (
                f"does not build: {english(from_sandbox(result.reason))}\n{result.log}".rstrip()
                if result.artifact is None
                else Player(name, result.artifact, source.digest)
            )
        known = built[source.digest]
        return known._replace(name=name) if isinstance(known, Player) else known

    playable, problems, missing = [], [], []
    for fate in fates:
        names = [fate.against[place % len(fate.against)] for place in range(info.max_seats - 1)]
        try:
            sources = [read_path(paths[name]) for name in names]
            mine = pasted(fate.python, "python") if fate.path is None else read_path(fate.path)
            names.insert(fate.seat, fate.name)
            sources.insert(fate.seat, mine)
            languages = [recipe(source).language for source in sources]
        except BadUpload as error:
            problems.append(f"{fate.name}: {error}")
            continue
        lacking = [words for slug in languages if (words := why_unbuilt(slug, sandbox, store))]
        if lacking:
            missing.append(f"{fate.name}: not played: {lacking[0]}")
            continue
        players = [player(name, source) for name, source in zip(names, sources, strict=True)]
        unbuilt = [
            f"{name} {made}" for name, made in zip(names, players, strict=True) if isinstance(made, str)
        ]
        if unbuilt:
            problems.append(f"{fate.name}: {unbuilt[0]}")
        else:
            playable.append(Staged(fate, [made for made in players if isinstance(made, Player)]))
    return Cast(playable, problems, missing)


def play_fates(info: GameInfo, playable: Sequence[Staged], sandbox: Sandbox) -> Iterator[Met]:
    """Play these fates. Raises SandboxError."""
    if not playable:
        return
    with closing(Pool(sandbox, box_limits(info), 4 + info.max_seats)) as pool:
        for staged in playable:
            try:
                log = play(info, staged.players, staged.fate.seed, pool).log
            except PlatformFailure as failure:
                yield Met(staged, f"the match has no result: {why_unplayed(failure, info)}")
            else:
                yield Met(staged._replace(log=log), difference(staged.fate, log))


def difference(fate: Fate, log: MatchLog) -> str:
    """What differs from the fate, in words; "" if nothing does."""
    others = [fault for fault in log.faults if fault.seat != fate.seat]
    if others:
        name = log.seats[others[0].seat].name
        return f"{name}, its opponent, made a fault: {others[0].kind}: {english(others[0].reason)}"
    mine = [fault for fault in log.faults if fault.seat == fate.seat]
    shown = "; ".join(f"{fault.kind} at step {fault.step + 1}: {english(fault.reason)}" for fault in mine[:3])
    got = f"got {shown}" if mine else "got no fault"
    kinds = {fault.kind for fault in mine}
    for kind in fate.required:
        if kind not in kinds:
            return f"expected the fault {kind}, {got}"
    allowed = {*fate.required, *fate.permitted}
    if not kinds <= allowed:
        return f"expected {_only(allowed)}, {got}"
    if fate.reason and not any(fate.reason in english(fault.reason) for fault in mine):
        return f"expected a fault whose reason has {fate.reason!r}, {got}"
    if fate.rank not in (None, log.ranks[fate.seat]):
        return f"expected rank {fate.rank}, got rank {log.ranks[fate.seat]} (scores {', '.join(log.scores)})"
    expected = tuple(map(str, fate.scores or ()))
    if expected not in ((), tuple(log.scores)):
        return f"expected the scores {', '.join(expected)}, got {', '.join(log.scores)}"
    steps = len({exchange.step for exchange in log.exchanges})
    if fate.steps not in (None, steps):
        return f"expected a match of {fate.steps} steps, got one of {steps}"
    return ""


def _only(kinds: Set[FaultKind]) -> str:
    return f"no fault but {', '.join(sorted(map(str, kinds)))}" if kinds else "no fault"
