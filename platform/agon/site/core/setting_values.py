"""The values that settings may have: what is expected, and what was got."""

from collections.abc import Sequence
from email.utils import formataddr, parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

SHORTEST_TOKEN = 16  # characters


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


def sender(setting: str, text: str, host: str) -> str:
    """The sender of mails that the text names; for "", `noreply` at this host, or here if it is a number.

    Raises ImproperlyConfigured, which names the setting.
    """
    if not text:
        return formataddr(("Agon", f"noreply@{'localhost' if _is_number(host) else host}"))
    if not text.isprintable():
        raise ImproperlyConfigured(f"{setting}: expected one line that can be printed; got {text!r}")
    name, address = parseaddr(text)
    try:
        validate_email(address)
    except ValidationError:
        raise ImproperlyConfigured(
            f"{setting}: expected a sender such as `Agon <agon@example.org>`; got {text!r}"
        ) from None
    return formataddr((name, address))


def redis_tls(url: str, ca: str) -> dict[str, object]:
    """What Redis' client has to know to reach this URL by TLS; {} if it does not say `rediss://`.

    ca: a file of certificates to trust; "" for those of the system.
    """
    if not url.startswith("rediss:"):
        return {}
    own = {"ssl_ca_certs": ca} if ca else {}
    return {"ssl_cert_reqs": "required", "ssl_check_hostname": True, **own}


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def token(setting: str, text: str) -> str:
    """The text, if it is "" or cannot be guessed. Raises ImproperlyConfigured, which names the setting."""
    if text and (len(text) < SHORTEST_TOKEN or not text.isascii() or not text.isprintable() or " " in text):
        raise ImproperlyConfigured(
            f"{setting}: expected at least {SHORTEST_TOKEN} characters of ASCII, without spaces; "
            f"got {len(text)} characters"
        )
    return text


def never_or_at_least(setting: str, value: int, least: int) -> None:
    """Raise ImproperlyConfigured, which names the setting, if the value is neither 0 nor `least` or more."""
    if value != 0 and value < least:
        raise ImproperlyConfigured(f"{setting}: expected 0, or at least {least}; got {value}")
