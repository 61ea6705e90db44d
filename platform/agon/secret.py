"""The key that signs cookies: given by the environment, or made once for an embedded site."""

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key(var: Path, generate: bool) -> str:
    """The key kept in `var/secret_key`, made at the first start if `generate`.

    Raises ImproperlyConfigured where there is none and none may be made: several machines need the same one.
    """
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
