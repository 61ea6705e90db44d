"""The errors of commands of a site that fail for a reason that their user can fix: str(e) is the sentence."""

from agon.cli.output import INTERNAL_ERROR, CommandError


class StartupError(CommandError):
    """What is wrong, where, and what to do. code: the exit status."""

    def __init__(self, sentence: str, code: int = INTERNAL_ERROR) -> None:
        super().__init__(sentence, code)


class BackupFailed(StartupError):
    """Why there is no backup."""


class RestoreFailed(StartupError):
    """Why nothing was restored."""
