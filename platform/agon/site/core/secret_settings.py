"""Secrets from the environment or from files that it names; an embedded site generates its own key once."""

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def secret(name: str) -> str:
    """The variable `name`, or the contents of the file that `<name>_FILE` names; "" if neither is set.

    Docker and others pass secrets as files, which show up in no process list, log, or image. Whitespace
    around the contents is stripped. Raises ImproperlyConfigured if the file cannot be read, or if both are
    set.
    """
    value, path = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if not path:
        return value
    if value:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: expected one of them")
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE: {path} cannot be read: {error}") from error


def with_password(url: str, password: str) -> str:
    """The URL with this password, if there is one, in place of its own."""
    if not url or not password:
        return url
    parts = urlsplit(url)
    user, host = (parts.username or ""), parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()


def secret_keys(var: Path, generate: bool) -> list[str]:
    """The key that signs cookies, then former ones, a line each: SECRET_KEY, else `var/secret_key`.

    That file is generated at the first start. Raises ImproperlyConfigured if there is none and not
    `generate`, since several machines need the same key, and if it holds none.
    """
    text = secret("SECRET_KEY")
    if not text:
        if not generate and not (var / "secret_key").exists():
            raise ImproperlyConfigured("SECRET_KEY is not set (it must be, with DATABASE_URL or REDIS_URL)")
        text = made_once(var / "secret_key", lambda: secrets.token_urlsafe(50))
    keys = [line for line in map(str.strip, text.splitlines()) if line]
    if not keys:
        raise ImproperlyConfigured("SECRET_KEY is blank")
    return keys


def made_once(path: Path, make: Callable[[], str]) -> str:
    """The secret in this file, which is made at the first call, readable by its owner only.

    Raises ImproperlyConfigured if the file is empty or unreadable. A new secret in its place would undo
    whatever the former one signed and encrypted, so that is left to the operator.
    """
    if not path.exists():
        _make(path, make)
    try:
        text = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{path} cannot be read: {error}") from error
    if not text:
        raise ImproperlyConfigured(
            f"{path} is empty: put the former one there, from a backup, or remove the file to get a new one"
        )
    return text


def _make(path: Path, make: Callable[[], str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, made = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())  # else the machine may stop and leave an empty file
        os.link(made, path)  # atomic, and the first process to get here wins
    except FileExistsError:
        pass
    finally:
        os.unlink(made)
