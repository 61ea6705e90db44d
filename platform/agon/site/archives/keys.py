"""The key that signs the site's archives, and the list of all keys that have signed them.

It is kept like SECRET_KEY: ARCHIVE_KEY (or the file that ARCHIVE_KEY_FILE names) holds it, an embedded site
makes it once, readable by its owner only. A production site without one has unsigned archives. A new key
takes the place of the old one; public keys that have signed stay known, until one is revoked.
"""

from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils import timezone

from agon.contest.archive.signature import NAMESPACES, BadKey, SigningKey, new_key, public_line, read_key
from agon.site.archives.models import Signer
from agon.site.core.secret_settings import made_once

_FILE = "archive_key"


def signing_key() -> SigningKey | None:
    """The key of this site; None if it has none. Raises ImproperlyConfigured if it cannot be read."""
    text = key_text()
    try:
        return read_key(text) if text else None
    except BadKey as error:
        raise ImproperlyConfigured(f"ARCHIVE_KEY: {error}") from error


def key_text() -> str:
    """The private key of this site as OpenSSH writes it; "" if it has none."""
    return settings.ARCHIVE_KEY or (made_once(_path(), new_key) if settings.EMBEDDED else "")


def remember(key: SigningKey) -> None:
    """Add a key to the list of those that have signed archives."""
    Signer.objects.get_or_create(public_key=public_line(key.public_key))


def rotate() -> SigningKey:
    """Make a new key for an embedded site; the old one is kept beside it. Raises ImproperlyConfigured."""
    old = signing_key()
    if settings.ARCHIVE_KEY or old is None:
        raise ImproperlyConfigured(
            "this site's key is in ARCHIVE_KEY: put a new one there (ssh-keygen -t ed25519)"
        )
    remember(old)
    _path().rename(_path().with_name(f"{_FILE}.until-{timezone.now():%Y%m%dT%H%M%SZ}"))
    new = signing_key()
    assert new is not None
    remember(new)
    return new


def allowed_signers() -> str:
    """The list for `ssh-keygen -Y verify -f`: every key of this site that is not revoked."""
    key = signing_key()
    if key is not None:
        remember(key)
    trusted = Signer.objects.filter(revoked=None).values_list("public_key", flat=True)
    return "".join(f'{name()} namespaces="{",".join(NAMESPACES)}" {line}\n' for line in trusted)


def name() -> str:
    """The name with which this site signs: its host name."""
    return urlsplit(settings.SITE_URL).hostname or "agon"


def address() -> str:
    """The URL of the site's `allowed_signers` file."""
    return f"{settings.SITE_URL}{reverse('archive_signers')}"


def _path() -> Path:
    return Path(settings.VAR) / _FILE
