"""The address of a request, by which rate limits count visitors.

X-Forwarded-For is trusted only as far as TRUSTED_PROXY_COUNT says: each trusted proxy appends the address
that connected to it, so a visitor cannot forge the entry that many places from the end. With fewer entries,
or without trusted proxies, it is the address of the connection. Behind a proxy that is not counted, all
visitors share the proxy's address and its limits.
"""

from ipaddress import IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64  # bits; a household or a rented machine has at least one such network


def address_of(request: HttpRequest) -> str:
    """The address of a request; for IPv6, its network."""
    return visitor(request.META.get("REMOTE_ADDR", ""), request.headers.get("x-forwarded-for", ""))


def visitor(connection: str, forwarded_for: str) -> str:
    """The same, given the address of the connection and the header's value."""
    count = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    entries = [entry.strip() for entry in forwarded_for.split(",")] if forwarded_for else []
    trusted = entries[-count] if 0 < count <= len(entries) else connection
    return _network(trusted) or _network(connection) or "unknown"


def _network(text: str) -> str:
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address, IPV6_PREFIX), strict=False).network_address)
