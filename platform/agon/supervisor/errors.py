"""The errors of commands of a site that fail for a reason that their user can fix."""


class StartupError(Exception):
    """`sentence` is shown to the user: what is wrong, where, and what to do. `status`: the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


class BackupFailed(Exception):
    """str(e) is a sentence about why there is no backup."""


class RestoreFailed(Exception):
    """str(e) is a sentence about why nothing was restored."""
