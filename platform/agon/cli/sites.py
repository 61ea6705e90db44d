"""Which site a command means, and with which token.

Both are kept by `agon login` in a file that only its owner can read. AGON_SITE and AGON_TOKEN come first:
programs that run elsewhere have no such file.
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict, cast

import typer

from agon.cli.output import BAD_ARGUMENTS, CommandError, file_errors, say
from agon.client import Site, SiteError
from agon.client.checking import fits
from agon.client.connection import is_sendable

_ELSEWHERE = "name another folder with XDG_CONFIG_HOME, or give the token with AGON_TOKEN"
PATIENCE = 600.0  # seconds: an upgrade, or a restart of the machine, takes minutes
FAILED = 1  # exit codes
SIGN_IN = 3
REFUSED = 4
TRY_LATER = 5
CODES: dict[str, int] = {
    "unreachable": TRY_LATER,
    "too_many_requests": TRY_LATER,
    "quota": TRY_LATER,
    "unavailable": TRY_LATER,
    "key_in_use": TRY_LATER,
    "internal_error": FAILED,
    "no_site": BAD_ARGUMENTS,
    "invalid": BAD_ARGUMENTS,
    "not_found": BAD_ARGUMENTS,
    "token_needed": SIGN_IN,
    "token_unknown": SIGN_IN,
    "token_expired": SIGN_IN,
    "scope_missing": SIGN_IN,
    "expired_token": SIGN_IN,  # of a device login
    "invalid_grant": SIGN_IN,
    "invalid_scope": BAD_ARGUMENTS,
}

CompetitionArgument = Annotated[
    str, typer.Argument(metavar="COMPETITION", help="As in its address: /c/COMPETITION/.")
]
SiteOption = Annotated[
    str | None,
    typer.Option("--site", metavar="URL", help="Default: AGON_SITE, or the last `agon login`."),
]


class _Kept(TypedDict):
    """The file of `agon login`."""

    site: str
    tokens: dict[str, str]


@contextmanager
def chosen_site(url: str | None, patience: float = PATIENCE) -> Iterator[Site]:
    """The site that is meant. What it refuses ends the command with its sentence and an exit code.

    patience: seconds for which it may be away once it has answered.
    """
    chosen = address(url)
    token = os.environ.get("AGON_TOKEN", "").strip() or known().get("tokens", {}).get(chosen, "")
    if not is_sendable(token):
        raise CommandError("AGON_TOKEN: that is no token: expected agon_, letters and digits", SIGN_IN)
    with errors(), Site(chosen, token, patience, say) as client:
        yield client


def address(url: str | None) -> str:
    """The site that is meant: by the command, the environment, or the last `agon login`."""
    chosen = (url or os.environ.get("AGON_SITE") or known().get("site") or "").rstrip("/")
    if not chosen:
        raise CommandError("say which site: agon login URL, or --site URL, or AGON_SITE")
    return chosen


@contextmanager
def errors() -> Iterator[None]:
    """Turn what a site refuses into the end of the command."""
    try:
        yield
    except SiteError as error:
        hint = f"\n{error.hint}" if error.hint else ""
        if CODES.get(error.code) == SIGN_IN:
            hint = "\nagon login URL"
        if error.retry_after is not None:
            hint += f"\ntry again in {error.retry_after:.0f} s"
        raise CommandError(f"{error}{hint}", CODES.get(error.code, REFUSED)) from None
    except BrokenPipeError:  # the reader of our output has ended
        raise
    except OSError as error:
        raise CommandError(f"{error.filename or 'file'}: {error.strerror or error}") from None


def known() -> dict[str, Any]:
    """What is kept: `site`, the last one, and `tokens` by site."""
    if _folder() is None:
        return {}
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
        if not fits(kept, _Kept):
            raise ValueError("it is not as agon login writes it")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CommandError(f"{_file()} cannot be read: {error}; delete it, and sign in again") from None
    return cast(dict[str, Any], kept)


def change(how: Callable[[dict[str, Any]], None]) -> Path:
    """Change what is kept; returns the file. It is replaced as a whole, and only its owner can read it.

    A link to a file elsewhere stays. Commands that change it at once wait for each other.
    """
    path = prepared_file()
    target = Path(os.path.realpath(path))
    with file_errors(f"{path} cannot be written"), open(path.with_suffix(".lock"), "w") as lock:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        kept = known()
        how(kept)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent)  # for its owner alone
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2)
        os.replace(temporary, target)
    return path


def prepared_file() -> Path:
    """The file, whose folder is there and can be written. Raises CommandError."""
    if _folder() is None:
        raise CommandError(f"there is no home folder to keep the token in; {_ELSEWHERE}")
    path = _file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise CommandError(f"{path.parent} cannot be written: {error.strerror}; {_ELSEWHERE}") from None
    return path


def _folder() -> str | None:
    """The folder for settings; None for an account without a home folder, such as a number in a container."""
    if given := os.environ.get("XDG_CONFIG_HOME"):
        return given
    home = os.path.expanduser("~")
    return None if home == "~" else os.path.join(home, ".config")


def _file() -> Path:
    folder = _folder()
    assert folder is not None
    return Path(folder) / "agon" / "sites.json"
