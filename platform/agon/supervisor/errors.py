"""The error of a site that cannot start for a reason that its user can fix."""


class StartupError(Exception):
    """`sentence` is shown to the user: what is wrong, where, and what to do. `status`: the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status
