"""What a site refuses, or answers otherwise than a site of this version would."""

from agon import __version__


class SiteError(Exception):
    """What a site answered instead of doing it; str(e) is its sentence.

    code: of a problem, as the site's documentation lists them; "unreachable" if there was no answer.
    hint: what to do next, or "". retry_after: seconds after which to try again, or None.
    """

    def __init__(
        self, code: str, message: str, status: int = 0, hint: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(code, message, status, hint, retry_after)  # all, so that it can be pickled
        self.code = code
        self.message = message
        self.status = status
        self.hint = hint
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message


def no_site(url: str, what: str) -> SiteError:
    """what: it sent instead."""
    return SiteError("no_site", f"{url} is no site of Agon: it sent {what}")


def other_version(url: str, what: str) -> SiteError:
    """what: it sent, or did not, that a site of this version does otherwise."""
    why = f"it is no site of Agon, or its version does not fit this one ({__version__})"
    return SiteError("no_site", f"{url} sent {what}: {why}")
