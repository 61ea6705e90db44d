"""What `agon check-game` looks at, one Verdict after the other.

First the game alone: manifest, code, and the compliance suite with scripted bots. That runs the author's own
code here, in this process; CHECK_CPU_S bounds each check, so that a game without end is found instead of
waited for. Then the house bots, which are built and played in the sandbox like everybody's. What could only
say again what an earlier check has found is left out.
"""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from contest.adapters import adapter_of
from contest.arena import PlatformFailure, Player, box_limits, play
from games.core.compliance.checks import (
    CHECKS,
    Noncompliant,
    Subject,
    honest_matches_end_without_faults,
    run,
    subject,
)
from games.core.errors import told
from games.core.manifest import BadManifest, GameInfo, OwnBot, file_of, load, referee
from sandbox import Sandbox, SandboxError
from sandbox.api import ImageMissing
from sandbox.boxes.pool import Pool
from sandbox.building import selftest
from sandbox.building.build import build
from sandbox.building.recipes import FORMS, recipe
from sandbox.languages import registry
from sandbox.uploads.accept import BadUpload, read_path

OK, FOUND, SKIPPED = "ok", "found", "skipped"
CHECK_CPU_S = 60  # of processor time; the longest check of the games here takes a few


@dataclass(frozen=True)
class Verdict:
    """One check: the promise that it looks after, and in words where that is broken or was not looked at."""

    check: str
    promise: str
    state: str
    words: tuple[str, ...] = ()


_PLAYED = "house_bots_play", "Every house bot and starter plays in every seat without a fault."
UNPLAYED = Verdict(*_PLAYED, SKIPPED, ("scripted matches must come to an end first",))


class Endless(Exception):
    """A check that used up its time."""


def alone(slug: str) -> Iterator[Verdict]:
    """Everything that needs no sandbox. Raises UnknownGame."""
    manifest = _verdict("manifest", "game.toml can be read.", lambda: _manifest(slug))
    yield manifest
    if manifest.state != OK:
        return
    info = load(slug)
    code = _verdict(
        "code",
        "referee.py and checks.py can be imported; for functions there is an adapter.py.",
        lambda: _code(info),
    )
    yield code
    if code.state == OK:
        yield from _suite(subject(info))


def playable(verdicts: Sequence[Verdict]) -> bool:
    """Do scripted matches come to an end? Then the house bots can be played."""
    return any(
        verdict.check == honest_matches_end_without_faults.__name__ and verdict.state == OK
        for verdict in verdicts
    )


def sandboxed(info: GameInfo, sandbox: Sandbox, store: Path) -> Iterator[Verdict]:
    """The house bots and starters. Raises SandboxError."""
    built, unbuilt, missing = _built(info, sandbox, store)
    promise = "Every house bot and starter builds."
    if unbuilt:
        yield Verdict("house_bots_build", promise, FOUND, tuple(unbuilt))
    else:
        yield Verdict("house_bots_build", promise, SKIPPED if missing else OK, tuple(missing))
    if built:
        with closing(Pool(sandbox, box_limits(info), len(built) + info.max_seats)) as pool:
            faults = tuple(_faults(info, built, pool))
        yield Verdict(*_PLAYED, FOUND if faults else OK, faults)


def _suite(game: Subject) -> Iterator[Verdict]:
    """The compliance suite. Where honest matches do not end, all that follows would only say so again."""
    for check in CHECKS:
        verdict = _complies(check, game)
        yield verdict
        if check is honest_matches_end_without_faults and verdict.state != OK:
            return


def _complies(check: Callable[[Subject], None], game: Subject) -> Verdict:
    def look() -> Sequence[str]:
        try:
            run(check, game)
        except Noncompliant as error:
            return [str(error)]
        return []

    return _verdict(check.__name__, (inspect.getdoc(check) or "").replace("\n", " "), look)


def _verdict(check: str, promise: str, look: Callable[[], Sequence[str]]) -> Verdict:
    with _limited():
        found = tuple(look())
    return Verdict(check, promise, FOUND if found else OK, found)


@contextmanager
def _limited() -> Iterator[None]:
    """Raise Endless wherever the check is, most likely in the game, once CHECK_CPU_S are used up."""

    def strike(number: int, frame: FrameType | None) -> None:
        raise Endless(f"no end in sight after {CHECK_CPU_S} s of processor time")

    before = signal.signal(signal.SIGPROF, strike)
    signal.setitimer(signal.ITIMER_PROF, CHECK_CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _manifest(slug: str) -> Sequence[str]:
    try:
        load(slug)
    except BadManifest as error:
        return [str(error)]
    return []


def _code(info: GameInfo) -> Sequence[str]:
    """All files, so that the author hears of all of them at once."""
    found = []
    if info.channel == "function" and file_of(info.slug, "adapter.py") is None:
        found.append("there is no adapter.py, which games of channel function need")
    for look in (referee, subject):
        try:
            look(info)
        except Noncompliant as error:
            found.append(str(error))
        except Exception as error:
            found.append(told(error, info.folder))
    return list(dict.fromkeys(found))  # checks.py imports referee.py: the same error comes twice


def _built(info: GameInfo, sandbox: Sandbox, store: Path) -> tuple[list[Player], list[str], list[str]]:
    """The bots that can play, why others do not build, and which languages this machine lacks."""
    players, unbuilt, missing = [], [], []
    adapter = adapter_of(info)
    bots = (*info.house, *info.downloads)
    _ask_for_versions({bot.language for bot in bots}, sandbox)
    for bot in bots:
        try:
            source = read_path(bot.path)
            lacking = _lacking(bot, recipe(source).language, sandbox, store)
        except BadUpload as error:
            unbuilt.append(f"{bot.name}: {error}")
            continue
        if lacking:
            missing.append(f"{bot.name}: {lacking}")
            continue
        built = build(source, sandbox, store, adapter)
        if built.artifact is None:
            unbuilt.append(f"{bot.name}: {built.reason}\n{built.log}".rstrip())
        else:
            players.append(Player(bot.name, built.artifact, source.digest))
    return players, unbuilt, missing


def _ask_for_versions(slugs: Set[str], sandbox: Sandbox) -> None:
    """Of all languages in one throw-away box for each image, instead of one for each language."""
    for family in registry.families():
        with suppress(ImageMissing):  # said of each bot that needs it
            there = selftest.reachable(sandbox, family)
            selftest.versions(sandbox, [language for language in there if language.slug in slugs])


def _lacking(bot: OwnBot, told_by_file: str, sandbox: Sandbox, store: Path) -> str:
    """Why this machine cannot build the bot, "" if it can. Raises BadUpload for what no machine can."""
    if told_by_file in FORMS:  # run.sh or bot.toml: any language
        return ""
    if told_by_file != bot.language:
        raise BadUpload(
            "game.toml declares %(declared)s, but its files are %(found)s",
            declared=bot.language,
            found=told_by_file,
        )
    language = selftest.state(registry.get(bot.language), sandbox, store)
    return "" if language.works else f"{language.language.title} does not work here: {language.why}"


def _faults(info: GameInfo, players: Sequence[Player], pool: Pool) -> Iterator[str]:
    """Matches in which every player sits in every seat once, and what went wrong in them."""
    for seed in range(len(players)):
        seats = [players[(seed + seat) % len(players)] for seat in range(info.max_seats)]
        where = f"seed {seed}, {' - '.join(player.name for player in seats)}"
        try:
            record = play(info, seats, seed, pool).record
        except PlatformFailure as failure:
            if isinstance(failure.__cause__, SandboxError):
                raise failure.__cause__ from None
            cause = failure.__cause__
            yield f"{where}: {told(cause, info.folder) if isinstance(cause, Exception) else failure}"
            continue
        for fault in record.faults:
            who = f"{seats[fault.seat].name} in seat {fault.seat}"
            yield f"{where}: {who}: {fault.kind} at ask {fault.turn}: {fault.reason}"
