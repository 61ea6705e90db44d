"""The site's signature of the download of one match, which is made when someone asks for it.

What a download holds depends on the reader, who may or may not see standard error. So it is made by the web
process, which faces the internet and has no key. A process that has one (compose's service `signer`) makes
the same download from the database, byte for byte, and signs that: never what another process hands to it.
The two meet in the cache: signatures are not secret, and one that does not fit is noticed.

Where the key is in this process, as on an embedded site, it signs here.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from django.core.cache import cache

from agon.contest.archive.signature import MATCH_NAMESPACE
from agon.contest.archive.writer import Sign
from agon.site.archives import keys
from agon.site.archives.models import Signer
from agon.site.core.queue.notify import request_task
from agon.site.matches.models import Match

QUEUE = "signing"
PATIENCE = 5.0  # seconds for which a reader waits
KEPT_SECONDS = 600
_POLL_SECONDS = 0.02


class NotSigned(Exception):
    """No process that has the key has signed the download, or it has changed since."""


@dataclass(frozen=True)
class Seal:
    """How a download is signed. fingerprint: of the key, which the manifest names."""

    fingerprint: str
    sign: Sign


def own() -> Seal | None:
    """A seal with the key of this process; None if it has none."""
    key = keys.signing_key()
    if key is None:
        return None
    keys.remember(key)
    return Seal(key.fingerprint, partial(key.sign, namespace=MATCH_NAMESPACE))


def of(match: Match, seats: Collection[int]) -> Seal | None:
    """The seal for a download with the standard error of these seats; None where the site has no key.

    Raises NotSigned if the process that has the key does not answer in time.
    """
    if (seal := own()) is not None:
        return seal
    if not Signer.objects.filter(revoked=None).exists():
        return None
    key = _key(match.pk, seats)
    given = cache.get(key) or _asked(key, match.pk, seats)
    return Seal(given["fingerprint"], partial(_given, given, key)) if given["signature"] else None


def record(sign: Sign, seen: dict[str, str]) -> Sign:
    """`sign`, with what was signed and the signature noted in `seen`."""

    def recording(sha512: bytes) -> bytes:
        signature = sign(sha512)
        seen.update(sha512=sha512.hex(), signature=signature.decode())
        return signature

    return recording


def hand_out(match: int, seats: Collection[int], fingerprint: str, seen: dict[str, str]) -> None:
    """Give what `record` noted to the process that asked; an empty dictionary says that there is no key."""
    cache.set(
        _key(match, seats),
        {"fingerprint": fingerprint, "sha512": "", "signature": ""} | seen,
        KEPT_SECONDS,
    )


def _asked(key: str, match: int, seats: Collection[int]) -> dict[str, str]:
    if cache.add(f"{key}-asked", True, PATIENCE):
        request_task("agon.site.archives.tasks.sign_match", QUEUE, _words(match, seats))
    return _until(time.monotonic() + PATIENCE, lambda: cache.get(key))


def _until(deadline: float, look: Callable[[], dict[str, str] | None]) -> dict[str, str]:
    while (answer := look()) is None:
        if time.monotonic() > deadline:
            raise NotSigned
        time.sleep(_POLL_SECONDS)
    return answer


def _given(given: dict[str, str], key: str, sha512: bytes) -> bytes:
    if sha512.hex() != given["sha512"]:
        cache.delete_many([key, f"{key}-asked"])
        raise NotSigned
    return given["signature"].encode()


def _words(match: int, seats: Collection[int]) -> str:
    return " ".join(map(str, (match, *sorted(seats))))


def _key(match: int, seats: Collection[int]) -> str:
    return f"signature-{_words(match, seats).replace(' ', '-')}"
