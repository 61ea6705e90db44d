"""The values that settings may have: what is expected, and what was got."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network

from django.core.exceptions import ImproperlyConfigured


def networks(setting: str, texts: Sequence[str]) -> list[IPv4Network | IPv6Network]:
    """The networks that these texts name. Raises ImproperlyConfigured, which names the setting."""
    found = []
    for text in texts:
        try:
            found.append(ip_network(text.strip()))
        except ValueError:
            raise ImproperlyConfigured(
                f"{setting}: expected addresses or networks such as 10.0.0.0/24, separated by commas; "
                f"got {text!r}"
            ) from None
    return found


def one_of(setting: str, text: str, expected: Sequence[str]) -> str:
    """The text, if it is one of those expected. Raises ImproperlyConfigured, which names the setting."""
    if text not in expected:
        raise ImproperlyConfigured(f"{setting}: expected one of {', '.join(expected)}; got {text!r}")
    return text
