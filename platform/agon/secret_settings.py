"""Secrets: given by the environment, or by a file that it names; the key of an embedded site is made once."""

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret(name: str) -> str:
    """The variable `name`, or the contents of the file that `<name>_FILE` names; "" if neither is set.

    A file is how Docker and others hand secrets over: it shows in no process list, log or image. White space
    around its contents is left out. Raises ImproperlyConfigured if it cannot be read, or if both are set.
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


def secret_key(var: Path, generate: bool) -> str:
    """The key that signs cookies: SECRET_KEY, else what `var/secret_key` holds, made at the first start.

    Raises ImproperlyConfigured where there is none and not `generate`: several machines need the same one.
    """
    if given := secret("SECRET_KEY"):
        return given
    path = var / "secret_key"
    if path.exists():
        return path.read_text().strip()
    if not generate:
        raise ImproperlyConfigured("SECRET_KEY is not set (it must be, with DATABASE_URL or REDIS_URL)")
    var.mkdir(parents=True, exist_ok=True)
    descriptor, made = tempfile.mkstemp(dir=var)  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        os.link(made, path)  # complete or not there at all, and the first process of a start wins
    except FileExistsError:
        pass
    finally:
        os.unlink(made)
    return path.read_text().strip()
