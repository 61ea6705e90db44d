"""Refused uploads."""


class Refused(Exception):
    """A refused upload. `field`: "name", "file", "text", "language", or "" for none of them.

    proposal: a name that would do, or "". retry_after: seconds until a limit that refuses it allows it again.
    """

    def __init__(self, field: str, message: str, proposal: str = "", retry_after: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.proposal = proposal
        self.retry_after = retry_after


class Closed(Refused):
    """An upload that is refused because the competition is closed."""


class NoRoom(Refused):
    """An upload that is refused because the competition, the site or its disk has no room for it now."""
