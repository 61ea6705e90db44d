"""Which addresses a webhook may have: https, and hosts of the public Internet alone.

A name is resolved once for each attempt, every address that it has is checked, and the connection goes to one
that was checked (agon.site.webhooks.sending). So a name that changes in between leads nowhere else. With
AGON_LOCAL_HOOKS, which is for development, this machine's own addresses are allowed as well, and http.
"""

import socket
import threading
from concurrent.futures import Future
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from agon.site.webhooks.models import LONGEST_URL

SECONDS = 5.0  # for looking up a host
LOOKUPS = 32  # at a time, in a process
_lookups = threading.BoundedSemaphore(LOOKUPS)
PORTS = {"https": 443, "http": 80}
# Addresses of IPv4 in those of IPv6, which routers of some networks translate.
TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))


class BadTarget(Exception):
    """An address that no webhook may have; str(e) says why, in the reader's language."""


class NotPublic(Exception):
    """A host with an address that is not public."""


class Target(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str


def parse(url: str) -> Target:
    """The parts of an address. Raises BadTarget. Its host is not looked up."""
    if len(url) > LONGEST_URL:
        raise BadTarget(_("An address must have %(most)d characters at most.") % {"most": LONGEST_URL})
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise BadTarget(_wrong(url)) from None
    is_plain = url.isascii() and url.isprintable() and not set(url) & set(' \\<>"')
    if not is_plain or not host or parts.fragment or parts.username is not None or port == 0:
        raise BadTarget(_wrong(url))
    schemes = ("https", "http") if settings.AGON_LOCAL_HOOKS else ("https",)
    if parts.scheme not in schemes:
        raise BadTarget(_wrong(url))
    if _is_literal(host) and not _may_connect(ip_address(host)):
        raise BadTarget(_("%(address)s is not a public address.") % {"address": host})
    return Target(parts.scheme, host, port or PORTS[parts.scheme], _path(parts))


def resolve(host: str, port: int) -> str:
    """An address of the host, after each that it has was checked.

    Raises NotPublic, UnicodeError, OSError, of which TimeoutError after SECONDS.
    """
    addresses = _looked_up(host, port)
    for address in addresses:
        if not _may_connect(ip_address(address)):
            raise NotPublic(address)
    return addresses[0]


def _looked_up(host: str, port: int) -> list[str]:
    """All addresses of the host.

    The system's resolver may wait for half a minute, and cannot be made to end. So it is asked in a thread,
    which is left to itself when it takes too long; there are at most LOOKUPS of them.
    """
    if not _lookups.acquire(timeout=SECONDS):
        raise TimeoutError
    addresses: Future[list[str]] = Future()
    threading.Thread(target=_look_up, args=[host, port, addresses, _lookups], daemon=True).start()
    return addresses.result(SECONDS)


def _look_up(host: str, port: int, addresses: Future[list[str]], lookups: threading.BoundedSemaphore) -> None:
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses.set_result([str(address[0]) for *_rest, address in answers])
    except Exception as error:  # whatever it is, who waits gets it
        addresses.set_exception(error)
    finally:
        lookups.release()


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether it belongs to the public Internet, and to one machine."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or any(address in network for network in TRANSLATED):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _may_connect(address: IPv4Address | IPv6Address) -> bool:
    return is_public(address) or (settings.AGON_LOCAL_HOOKS and address.is_loopback)


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _wrong(url: str) -> str:
    words = _("Expected an address like https://example.org/agon, without a user or a “#”; got “%(got)s”.")
    return words % {"got": url[:80]}
