"""The checks of `agon check-game`, each of which yields a Verdict.

Static checks come first: manifest, code, and the compliance suite with scripted bots. They run the author's
own code in this process; each may use CHECK_CPU_S, so that an endless loop is reported. Then the house bots
are built and played in the sandbox, like every bot. A check that could only repeat an earlier finding is
skipped.
"""

import inspect
import signal
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from agon.cli.crashes import crashes
from agon.contest.adapters import adapter_of
from agon.contest.arena import Player, box_limits, play
from agon.contest.formats import original_of
from agon.contest.platform_failure import PlatformFailure
from agon.contest.points import rule_of
from agon.contest.reasons import english, from_sandbox
from games.core.compliance.checks import (
    CHECKS,
    GameUnderTest,
    Noncompliant,
    game_under_test,
    honest_matches_end_without_faults,
    run,
)
from games.core.errors import describe
from games.core.fates import read_fates
from games.core.manifest import BadManifest, Channel, GameInfo, OwnBot, file_of, load, referee
from sandbox.api import LanguageMissing, Sandbox, SandboxError
from sandbox.boxes.pool import Pool
from sandbox.building import selftest
from sandbox.building.build import build
from sandbox.building.recipes import FORMS, recipe
from sandbox.languages import registry
from sandbox.uploads.accept import BadUpload, read_path

OK, FAILED, SKIPPED = "ok", "failed", "skipped"
CHECK_CPU_S = 60  # of CPU time; the longest check of the bundled games takes a few seconds


@dataclass(frozen=True)
class Verdict:
    """One check: the promise that it verifies, and what breaks it or why it was skipped."""

    check: str
    promise: str
    state: str
    words: tuple[str, ...] = ()


_PLAYED = "house_bots_play", "Every house bot and starter plays in every seat without a fault."
UNPLAYED = Verdict(*_PLAYED, SKIPPED, ("scripted matches must finish first",))


class CheckTimeout(Exception):
    """A check that used up its time."""


def static_checks(slug: str) -> Iterator[Verdict]:
    """All checks that need no sandbox. Raises UnknownGame."""
    manifest = _verdict("manifest", "game.toml can be read.", lambda: _manifest_problems(slug))
    yield manifest
    if manifest.state != OK:
        return
    info = load(slug)
    code = _verdict(
        "code",
        "referee.py and checks.py can be imported; if bots are functions, there is an adapter.py.",
        lambda: _code_problems(info),
    )
    yield code
    yield _verdict("fates", "fates.toml, if there is one, can be read.", lambda: _fate_problems(info))
    if code.state == OK:
        yield from _suite(game_under_test(info))


def playable(verdicts: Sequence[Verdict]) -> bool:
    """Whether scripted matches finish: if they do not, the house bots cannot be played."""
    return any(
        verdict.check == honest_matches_end_without_faults.__name__ and verdict.state == OK
        for verdict in verdicts
    )


def bot_checks(info: GameInfo, sandbox: Sandbox, store: Path) -> Iterator[Verdict]:
    """The checks of the house bots and starters. Raises SandboxError."""
    built, unbuilt, missing = _build_bots(info, sandbox, store)
    promise = "Every house bot and starter builds."
    if unbuilt:
        yield Verdict("house_bots_build", promise, FAILED, tuple(unbuilt))
    else:
        yield Verdict("house_bots_build", promise, SKIPPED if missing else OK, tuple(missing))
    if built:
        with closing(Pool(sandbox, box_limits(info), len(built) + info.max_seats)) as pool:
            faults = tuple(_play_all_seats(info, built, pool))
        yield Verdict(*_PLAYED, FAILED if faults else OK, faults)


def _suite(game: GameUnderTest) -> Iterator[Verdict]:
    """The compliance suite.

    It ends early if honest matches fail, since other checks would only repeat that.
    """
    for check in CHECKS:
        verdict = _complies(check, game)
        yield verdict
        if check is honest_matches_end_without_faults and verdict.state != OK:
            return


def _complies(check: Callable[[GameUnderTest], None], game: GameUnderTest) -> Verdict:
    def problems() -> Sequence[str]:
        try:
            run(check, game)
        except Noncompliant as error:
            return [str(error)]
        return []

    return _verdict(check.__name__, (inspect.getdoc(check) or "").replace("\n", " "), problems)


def _verdict(check: str, promise: str, find_problems: Callable[[], Sequence[str]]) -> Verdict:
    with _cpu_limit():
        problems = tuple(find_problems())
    return Verdict(check, promise, FAILED if problems else OK, problems)


@contextmanager
def _cpu_limit() -> Iterator[None]:
    """Raise CheckTimeout within the block, from a signal handler, once it has used CHECK_CPU_S."""

    def raise_timeout(number: int, frame: FrameType | None) -> None:
        raise CheckTimeout(f"did not finish within {CHECK_CPU_S} s of CPU time")

    previous_handler = signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, CHECK_CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous_handler)


def _manifest_problems(slug: str) -> Sequence[str]:
    try:
        info = load(slug)
        original_of(info)
        rule_of(info)
    except BadManifest as error:
        return [str(error)]
    return []


def _fate_problems(info: GameInfo) -> Sequence[str]:
    try:
        read_fates(info)
    except BadManifest as error:
        return [str(error)]
    return []


def _code_problems(info: GameInfo) -> Sequence[str]:
    """All errors in the game's modules, so that the author sees them at once."""
    problems = []
    if info.channel == Channel.FUNCTION and file_of(info.slug, "adapter.py") is None:
        problems.append("adapter.py is missing; a game whose channel is function needs one")
    for import_module in (referee, game_under_test):
        try:
            import_module(info)
        except Noncompliant as error:
            problems.append(str(error))
        except (Exception, SystemExit) as error:
            problems.append(describe(error, info.folder))
    return list(dict.fromkeys(problems))  # checks.py imports referee.py: the same error appears twice


def _build_bots(info: GameInfo, sandbox: Sandbox, store: Path) -> tuple[list[Player], list[str], list[str]]:
    """Build the bots; returns those that can play, build failures, and what this machine lacks for others."""
    players, unbuilt, missing = [], [], []
    adapter = adapter_of(info)
    bots = (*info.house, *info.downloads)
    _query_versions({bot.language for bot in bots}, sandbox)
    for bot in bots:
        try:
            source = read_path(bot.path)
            reason = _missing_language(bot, recipe(source).language, sandbox, store)
        except (BadUpload, WrongLanguage) as error:
            unbuilt.append(f"{bot.name}: {error}")
            continue
        if reason:
            missing.append(f"{bot.name}: {reason}")
            continue
        built = build(source, sandbox, store, adapter)
        if built.artifact is None:
            unbuilt.append(f"{bot.name}: {english(from_sandbox(built.reason))}\n{built.log}".rstrip())
        else:
            players.append(Player(bot.name, built.artifact, source.digest))
    return players, unbuilt, missing


def _query_versions(slugs: Set[str], sandbox: Sandbox) -> None:
    """Query all versions up front: one box per image, not one per language."""
    for family in registry.families():
        with suppress(LanguageMissing):  # reported for each bot that needs it
            there = selftest.languages_in_image(sandbox, family)
            selftest.versions(sandbox, [language for language in there if language.slug in slugs])


class WrongLanguage(Exception):
    """The files of a bot are in another language than the manifest says."""


def _missing_language(bot: OwnBot, detected: str, sandbox: Sandbox, store: Path) -> str:
    """Why this machine cannot build the bot, "" if it can. Raises WrongLanguage if no machine can."""
    if detected not in FORMS and detected != bot.language:
        raise WrongLanguage(f"game.toml declares {bot.language}, but its files are {detected}")
    return why_unbuilt(detected, sandbox, store)


def why_unbuilt(slug: str, sandbox: Sandbox, store: Path) -> str:
    """Why this machine cannot build what is in this language; "" if it can."""
    if slug in FORMS:  # run.sh or bot.toml may use any language
        return ""
    state = selftest.state(registry.get(slug), sandbox, store)
    return "" if state.works else f"{state.language.title} does not work here: {state.problem}"


def why_unplayed(failure: PlatformFailure, info: GameInfo) -> str:
    """What the game did. Raises the SandboxError that was the cause, if one was."""
    cause = failure.__cause__
    if isinstance(cause, SandboxError):
        raise cause from None
    return describe(cause, info.folder) if isinstance(cause, Exception) else str(failure)


def _play_all_seats(info: GameInfo, players: Sequence[Player], pool: Pool) -> Iterator[str]:
    """Play matches that put every player into every seat once, and yield their faults and failures."""
    for seed in range(len(players)):
        seats = [players[(seed + seat) % len(players)] for seat in range(info.max_seats)]
        where = f"seed {seed}, {' - '.join(player.name for player in seats)}"
        try:
            match = play(info, seats, seed, pool)
        except PlatformFailure as failure:
            yield f"{where}: {why_unplayed(failure, info)}"
            continue
        logs = dict(crashes(match))
        for fault in match.log.faults:
            who = f"{seats[fault.seat].name} in seat {fault.seat + 1}"
            log = f"\n{logs[fault]}" if fault in logs else ""
            yield f"{where}: {who}: {fault.kind} at step {fault.step + 1}: {english(fault.reason)}{log}"
