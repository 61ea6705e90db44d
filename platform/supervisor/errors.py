"""What keeps a site from starting and its user can fix."""


class StartupError(Exception):
    """The message is the sentence to show: what is wrong, where, and what to do about it."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status
