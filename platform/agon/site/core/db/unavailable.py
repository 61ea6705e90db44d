"""Whether an error means that the database does not answer now: it is stopped, starts, hangs or is full.

Or it takes no writes: services that run PostgreSQL for others do this to one whose disk is nearly full.
"""

from typing import Any

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

# PostgreSQL's codes: it is being stopped, it is starting, it has too many connections, or one was lost.
CODES = {"57P01", "57P02", "57P03", "53300"}
CONNECTION_CODES = "08"
READ_ONLY = "25006"
# SQLite waited for its one writer in vain.
LOCKED = "database is locked"
# What is in SQLite's file is not, or not all, what it has written there.
DAMAGED = ("database disk image is malformed", "file is not a database")


def is_unavailable(error: BaseException | None) -> bool:
    """Whether `error`, or an error that caused it, says so. A query that is wrong or too slow does not."""
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError) and _says_so(error):
            return True
        if isinstance(error, InternalError) and getattr(error.__cause__, "pgcode", "") == READ_ONLY:
            return True
        error = error.__cause__ or error.__context__
    return False


def is_damaged(error: BaseException) -> bool:
    """Whether `error` says that the file of an SQLite database is damaged."""
    return isinstance(error, DatabaseError) and str(error).startswith(DAMAGED)


def _says_so(error: OperationalError | InterfaceError) -> bool:
    driver: Any = error.__cause__
    if not hasattr(driver, "pgcode"):
        return LOCKED in str(error)
    code: str | None = driver.pgcode
    return code is None or code in CODES or code.startswith(CONNECTION_CODES)
