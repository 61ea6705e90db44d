"""What the host of a site can lack at its start, in sentences for the operator."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agon.site.core.db.unavailable import is_damaged, is_unavailable
from agon.site.core.disk_space import is_full
from agon.supervisor.errors import StartupError


@contextmanager
def said_in_a_sentence(var: Path) -> Iterator[None]:
    """Raise StartupError in place of an error of the block that the operator can mend.

    var: the folder of the data.
    """
    try:
        yield
    except Exception as error:
        if why := _why(error, var):
            raise StartupError(why) from error
        raise


def _why(error: Exception, var: Path) -> str | None:
    if is_full(error):
        return f"The disk that holds {var} is full: free some space there, or set AGON_VAR to another folder."
    if isinstance(error, PermissionError) and Path(str(error.filename)).is_relative_to(var):
        return (
            f"{error.filename} belongs to another account, which may have started Agon here before:"
            f" `chown -R ACCOUNT {shlex.quote(str(var))}` gives the folder to this one."
        )
    if is_damaged(error):
        return (
            f"The database in {var} is damaged ({error}). Restore a backup into a new folder (AGON_VAR), or"
            " put back a copy from before an upgrade."
        )
    if is_unavailable(error):
        return f"The database does not answer: {' '.join(str(error).split())}"
    return None
