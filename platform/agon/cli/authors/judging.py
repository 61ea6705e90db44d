"""Judges one mutant, in a process of its own: runs the author's checks until one of them fails.

The checks are the compliance suite, the bots with known fates, and the author's own tests (pytest), the
fastest first. Fates are replayed from their records. Only if the mutant asks a bot something else than the
game does, and no other check has caught it, is the fate played again, in the sandbox. Only the file that
changed is loaded otherwise than for a match, wherever it is imported from.

A mutant that shows a secret is judged by the checks of secrets alone. Its views look and parse as before, but
are equal to others only if the secret is the same, too: so it does not matter how a leak would be written.
"""

import builtins
import os
import resource
import runpy
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from agon.cli.authors.fate_checks import Met, Staged, difference, play_fates
from agon.cli.authors.hidden_state import hidden_attributes, plain
from agon.cli.authors.mutations import LEAK, LEAKING, Mutation
from games.core.compliance import running_checks
from games.core.compliance.checks import CHECKS, hidden_facts_do_not_change_views, run
from games.core.compliance.harness import Noncompliant, game_under_test
from games.core.errors import describe
from games.core.game import Invocation
from games.core.manifest import load
from games.core.record import BadRecord
from games.core.replay import replay
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox

FATES, TESTS, PLAYED = "fates", "tests", "fates, played"
MEMORY_BYTES = 4 << 30  # that the game's code may use; a mutant may collect without end
_OF_SECRETS = (hidden_facts_do_not_change_views, running_checks.running_matches_show_what_every_seat_knows)
_BY_NAME = {check.__name__: check for check in CHECKS}
ALL = (*_BY_NAME, FATES, TESTS, PLAYED)


@dataclass(frozen=True)
class Trial:
    """What is judged, by what. mutation: None for the game as it is. checks: their names, in order.

    fates: as they were played by the game as it is. sandbox: its name. tests: files or folders for pytest.
    """

    game: str
    mutation: Mutation | None
    checks: Sequence[str]
    fates: Sequence[Staged]
    sandbox: str
    tests: Sequence[str]


class Judgement(NamedTuple):
    """caught_by: the check that failed, "" if none did. words: what it said. failure: why nothing is known.

    seconds: of each check that was run, by name.
    """

    caught_by: str
    words: str
    seconds: dict[str, float]
    failure: str = ""


def send_hidden(game: str, core: int, pipe: Connection) -> None:
    """The main function of a process that finds the hidden attributes of a game; sends a list or words."""
    _settle(core)
    try:
        pipe.send(hidden_attributes(game_under_test(load(game))))
    except Exception as error:
        pipe.send(describe(error, load(game).folder))


def send_judgement(trial: Trial, core: int, pipe: Connection) -> None:
    """The main function of a mutant's process."""
    _settle(core)
    if trial.mutation is not None:
        _load_changed(trial.mutation.path, trial.mutation.text())
        setattr(builtins, LEAKING, leaking)
    seconds: dict[str, float] = {}
    caught_by = words = failure = ""
    for name in _relevant(trial):
        began = time.monotonic()
        try:
            words = next(_problems(trial, name), "")
        except SandboxError as error:
            failure = str(error)
            break
        except Exception as error:
            words = describe(error, load(trial.game).folder)
        seconds[name] = time.monotonic() - began
        if words:
            caught_by = name
            break
    pipe.send(Judgement(caught_by, words, seconds, failure))


def _settle(core: int) -> None:
    """Make this process one that can be stopped with all that it starts, and that prints nothing."""
    os.setpgid(0, 0)
    os.sched_setaffinity(0, {core})
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _relevant(trial: Trial) -> Iterator[str]:
    if trial.mutation is not None and trial.mutation.kind == LEAK:
        yield from (check.__name__ for check in _OF_SECRETS)
        return
    yield from trial.checks


def _problems(trial: Trial, name: str) -> Iterator[str]:
    """What one check finds."""
    info = load(trial.game)
    if name == TESTS:
        if trial.tests:
            yield from _run_tests(trial.tests)
    elif name == FATES:
        yield from _differences(replayed for replayed in _replayed(trial) if isinstance(replayed, Met))
    elif name == PLAYED:
        again = [replayed for replayed in _replayed(trial) if isinstance(replayed, Staged)]
        if again:
            with closing(open_sandbox(trial.sandbox)) as sandbox:
                yield from _differences(play_fates(info, again, sandbox))
    else:
        with _limited_memory():
            try:
                run(_BY_NAME[name], game_under_test(info))
            except Noncompliant as error:
                yield str(error)


def _differences(met: Iterable[Met]) -> Iterator[str]:
    return (f"{played.staged.fate.name}: {played.words}" for played in met if played.words)


def _replayed(trial: Trial) -> Iterator[Met | Staged]:
    """Each fate with the same answers; as it was, if a bot is asked otherwise and might answer otherwise."""
    for staged in trial.fates:
        assert staged.log is not None
        try:
            log = replay(staged.log.record)
        except BadRecord:
            yield staged
            continue
        before, now = ([exchange[:4] for exchange in every.exchanges] for every in (staged.log, log))
        yield Met(staged, difference(staged.fate, log)) if before == now else staged


def _run_tests(tests: Sequence[str]) -> Iterator[str]:
    """Run pytest in this process, so that the changed file is loaded there, too. What it prints is read."""
    printed = os.memfd_create("pytest")
    os.dup2(printed, 1)
    sys.argv = ["pytest", "-q", "-x", "--tb=line", "-p", "no:cacheprovider", *tests]
    try:
        runpy.run_module("pytest", run_name="__main__")
    except SystemExit as end:
        if end.code not in (0, None):
            sys.stdout.flush()
            last = os.pread(printed, 1 << 20, 0).decode("utf-8", "replace").strip().splitlines()[-5:]
            yield f"pytest ended with {end.code}: {' | '.join(last)}"


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Within the block, this process gets no more than MEMORY_BYTES. The sandbox needs more addresses."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _load_changed(path: Path, text: str) -> None:
    """Imports of the file from now on get this text."""
    original: Callable[[SourceFileLoader, str], CodeType | None] = SourceFileLoader.get_code
    changed = path.resolve()

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if Path(self.path).resolve() != changed:
            return original(self, fullname)
        code: CodeType = compile(text, self.path, "exec", dont_inherit=True)
        return code

    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010 (the type checker knows no assignment)


def leaking(view: str | Invocation, secret: Any) -> str | Invocation:
    """The view of a mutant that shows a secret."""
    shown = _Text(view) if isinstance(view, str) else _Call(*view)
    shown.secret = plain(secret)
    return shown


class _Text(str):
    """Lines that are equal to others only if the secret is the same."""

    secret: Any

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, str) and str.__eq__(self, other)
        return same and (not isinstance(other, _Text) or bool(self.secret == other.secret))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class _Call(Invocation):
    """The same for a call."""

    secret: Any

    def __eq__(self, other: object) -> bool:
        same = (*self,) == (tuple(other) if isinstance(other, tuple) else other)
        return same and (not isinstance(other, _Call) or self.secret == other.secret)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = Invocation.__hash__
