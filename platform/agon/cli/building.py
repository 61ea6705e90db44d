"""Builds the bots that a command names, with the same checks and in the same sandbox as an upload."""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from agon.cli.output import NO_SANDBOX, CommandError, file_errors
from agon.cli.resolve import Bot
from agon.cli.terminal import progress
from agon.contest.adapters import adapter_of
from agon.contest.arena import Player
from agon.contest.text import escape_controls
from games.core.manifest import GameInfo
from sandbox.api import Sandbox, SandboxError
from sandbox.backends import open_sandbox
from sandbox.building.adapter import Adapter
from sandbox.building.build import build
from sandbox.building.store import hold, prune
from sandbox.reason_texts import english
from sandbox.uploads.accept import BadUpload, Source, read_path

STORE_BYTES = 4 << 30  # above it, the least recently used artifacts are removed


@contextmanager
def artifact_store() -> Iterator[Path]:
    """The folder that keeps artifacts between commands, so that the same source is built once.

    It is in $XDG_CACHE_HOME, ~/.cache or, for root, /var/cache, and only its owner can read it. If it cannot
    be written, or there is no home folder, it is a temporary folder that is removed when the command ends.
    """
    try:
        caches = os.environ.get("XDG_CACHE_HOME") or (
            "/var/cache" if os.geteuid() == 0 else Path.home() / ".cache"
        )
        store = Path(caches, "agon")
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = os.access(store, os.W_OK)
    except (OSError, RuntimeError):  # RuntimeError: no home folder is known
        usable = False
    if usable:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        yield Path(folder)


def build_players(
    info: GameInfo, bots: Sequence[Bot], sandbox_name: str | None, store: Path
) -> tuple[str, tuple[Player, ...]]:
    """Build the bots; returns the sandbox's name and the players, in order.

    sandbox_name: a backend's name, None for the best available. store: see artifact_store. Raises
    CommandError, after printing the build log to stderr.
    """
    with file_errors(f"{store} cannot be used"):
        prune(store, STORE_BYTES)
    sources = [_read(bot) for bot in bots]
    adapter = adapter_of(info)
    try:
        with closing(open_sandbox(sandbox_name)) as sandbox, progress() as bar:
            task = bar.add_task("building", total=len(bots))
            players = []
            for bot, source in zip(bots, sources, strict=True):
                players.append(_build(bot, source, sandbox, store, adapter))
                bar.advance(task)
            return sandbox.name, tuple(players)
    except SandboxError as error:
        raise CommandError(str(error), NO_SANDBOX) from None


def _read(bot: Bot) -> Source:
    try:
        return read_path(bot.path)
    except BadUpload as error:
        raise CommandError(f"{bot.name}: {error}") from None


def _build(bot: Bot, source: Source, sandbox: Sandbox, store: Path, adapter: Adapter | None) -> Player:
    built = build(source, sandbox, store, adapter)
    if built.artifact is None:
        if log := built.log.rstrip("\n"):
            print(escape_controls(log), file=sys.stderr)
        raise CommandError(f"{bot.name} does not build: {english(built.reason)}")
    if hold(built.artifact.path) is None:  # until this command ends
        raise SandboxError(f"the artifact of {bot.name} was removed from {store} while in use")
    return Player(bot.name, built.artifact, source.digest)
