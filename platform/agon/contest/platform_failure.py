"""A match without a result for which no bot is to blame: what is raised, and what failed."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from agon.contest.attempts import FailureKind
from agon.contest.match_clock import OutOfTime
from games.core.errors import describe, ends_the_process
from games.core.manifest import GameInfo
from sandbox.api import MachineTooBusy, SandboxError

_KINDS: Mapping[FailureKind, type[Exception]] = {  # the first that fits
    FailureKind.BUSY: MachineTooBusy,
    FailureKind.BOX: SandboxError,
    FailureKind.OVERTIME: OutOfTime,
}


class PlatformFailure(Exception):
    """The match has no result, and no bot is to blame; str(e) says what failed.

    used: the worker's seconds by seat, as in Played; () where nothing was measured. asked: the seats that had
    to answer when it failed; () before the first ask.
    """

    used: tuple[float, ...] = ()
    asked: tuple[int, ...] = ()

    def __init__(self, why: str, kind: FailureKind = FailureKind.PLATFORM) -> None:
        super().__init__(why)
        self.kind = kind


@contextlib.contextmanager
def named_failures(info: GameInfo) -> Iterator[None]:
    """Within the block, whatever goes wrong is raised as a PlatformFailure of its kind."""
    try:
        yield
    except PlatformFailure:
        raise
    except BaseException as error:
        _reraise_exit(error, info.folder)
        raise _as_platform_failure(info, error) from error


def _as_platform_failure(info: GameInfo, error: BaseException) -> PlatformFailure:
    for kind, errors in _KINDS.items():
        if isinstance(error, errors):
            return PlatformFailure(str(error), kind)
    return PlatformFailure(f"{info.slug}: {describe(error, info.folder)}", FailureKind.REFEREE)


def _reraise_exit(error: BaseException | None, referee: Path) -> None:
    """Re-raise the SystemExit or KeyboardInterrupt that this error is, or was raised during, if there is one.

    Either can interrupt anything halfway, and cleaning up then fails. That is not a match to be played again.
    A referee that exits by itself has failed as one that raises any other exception.
    """
    while error is not None:
        if ends_the_process(error, referee):
            raise error
        error = error.__context__
