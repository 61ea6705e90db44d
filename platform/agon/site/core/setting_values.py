"""The values that settings may have: what is expected, and what was got."""

from collections.abc import Callable, Collection, Sequence
from email.utils import formataddr, parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from django.utils.encoding import punycode

SHORTEST_TOKEN = 16  # characters
PROVIDER = "provider"  # in addresses: /accounts/oidc/provider/login/callback/
USUAL_PORTS = {"http": 80, "https": 443}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SHORTEST_CODE = 8  # characters
LONGEST_NAME = 60  # characters of a site's name
REGISTRATIONS = ("open", "code", "closed")


def networks(setting: str, texts: Sequence[str]) -> list[IPv4Network | IPv6Network]:
    """The networks that these texts name. Raises ImproperlyConfigured, which names the setting."""
    result = []
    for text in texts:
        try:
            result.append(ip_network(text.strip()))
        except ValueError:
            raise ImproperlyConfigured(
                f"{setting}: expected addresses or networks such as 10.0.0.0/24, separated by commas; "
                f"got {text!r}"
            ) from None
    return result


def address(setting: str, text: str) -> str:
    """The address of a site as browsers send it (Origin): its host name in ASCII and small letters, no usual
    port, no slash at the end.

    Raises ImproperlyConfigured, which names the setting. So it does for a path, under which no page would be
    found, and for a user's name, which would be in every link; it may come with a password, and is not shown.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
        is_whole = parts.scheme in USUAL_PORTS and bool(host) and not any(map(str.isspace, host))
        host = f"[{host}]" if ":" in host else punycode(host)
    except ValueError:  # UnicodeError is one
        is_whole = False
    if "@" in text:
        raise ImproperlyConfigured(f"{setting}: expected an address without the name of a user")
    if not is_whole:
        raise ImproperlyConfigured(
            f"{setting}: expected an address such as https://agon.example.org; got {text!r}"
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{setting}: expected an address such as https://agon.example.org, since a site has a host name"
            f" of its own, with nothing after it; got {text!r}"
        )
    return f"{parts.scheme}://{host}" + ("" if port in (None, USUAL_PORTS[parts.scheme]) else f":{port}")


def one_of(setting: str, text: str, expected: Sequence[str]) -> str:
    """The text, if it is one of those expected. Raises ImproperlyConfigured, which names the setting."""
    if text not in expected:
        raise ImproperlyConfigured(f"{setting}: expected one of {', '.join(expected)}; got {text!r}")
    return text


def sender(setting: str, text: str, name: str, host: str) -> str:
    """The sender of mails that the text names; for "", this name and `noreply` at the host, here if a number.

    Raises ImproperlyConfigured, which names the setting.
    """
    if not text:
        return formataddr((name, f"noreply@{'localhost' if _is_number(host) else host}"))
    if not text.isprintable():
        raise ImproperlyConfigured(f"{setting}: expected one line that can be printed; got {text!r}")
    name, address = parseaddr(text)
    try:
        validate_email(address)
    except ValidationError:
        raise ImproperlyConfigured(
            f"{setting}: expected a sender such as `Agon <agon@example.org>`; got {text!r}"
        ) from None
    user, _at, domain = address.rpartition("@")
    return formataddr((name, f"{user}@{punycode(domain)}"))


def known_scheme(setting: str, url: str, schemes: Collection[str], example: str) -> str:
    """The URL, if it begins with one of these schemes. Raises ImproperlyConfigured, which names the setting.

    It may have a password in it, so it is not shown.
    """
    if url.partition(":")[0] not in schemes:
        raise ImproperlyConfigured(f"{setting}: expected an address such as {example}")
    return url


def parsed(setting: str, url: str, parse: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """What `parse` makes of the URL. Raises ImproperlyConfigured, which names the setting, where it is none.

    Mostly a password ends its host too early then. So nothing of it is shown, as the error would do.
    """
    try:
        return parse(url)
    except ValueError:
        raise ImproperlyConfigured(
            f"{setting}: its host and port cannot be read. In a name and a password, / is written as %2F, ?"
            " as %3F, # as %23, @ as %40, % as %25"
        ) from None


def redis(setting: str, url: str) -> str:
    """The URL, if it is one of a Redis, or "". Raises ImproperlyConfigured, which names the setting."""
    if url:
        known_scheme(setting, url, ("redis", "rediss"), "redis://:password@host:6379/0")
        parsed(setting, url, lambda url: {"port": urlsplit(url).port})
    return url


def plain(setting: str, text: str) -> str:
    """The text, if it is one line that can be shown. Raises ImproperlyConfigured, which names the setting."""
    if not text.strip() or not text.isprintable() or len(text) > LONGEST_NAME:
        raise ImproperlyConfigured(
            f"{setting}: expected one line of at most {LONGEST_NAME} characters that can be printed; "
            f"got {text[:100]!r}"
        )
    return text.strip()


def registration(who: str, code: str) -> tuple[str, str]:
    """Who makes an account, and the code. Raises ImproperlyConfigured if they do not fit together."""
    one_of("AGON_REGISTRATION", who, REGISTRATIONS)
    if code and (len(code) < SHORTEST_CODE or not code.isprintable()):
        raise ImproperlyConfigured(
            f"AGON_REGISTRATION_CODE: expected at least {SHORTEST_CODE} characters that can be printed; "
            f"got {len(code)} characters"
        )
    if bool(code) != (who == "code"):
        raise ImproperlyConfigured(
            "AGON_REGISTRATION_CODE goes with AGON_REGISTRATION=code: expected both or none"
        )
    return who, code


def openid(url: str, name: str, client: str, secret: str) -> dict[str, Any]:
    """The provider as allauth wants it; {} for none. Raises ImproperlyConfigured, which names settings."""
    if not any((url, name, client, secret)):
        return {}
    if not all((url, client, secret)):
        raise ImproperlyConfigured(
            "AGON_OIDC_URL, AGON_OIDC_CLIENT and AGON_OIDC_SECRET: expected all of them, or none"
        )
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)):
        raise ImproperlyConfigured(
            f"AGON_OIDC_URL: expected an address that begins with https://; got {url!r}"
        )
    app = {
        "provider_id": PROVIDER,
        "name": plain("AGON_OIDC_NAME", name or host),
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": url, "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app]}}


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


def at_least(setting: str, value: float, least: int) -> None:
    """Raise ImproperlyConfigured, which names the setting, if the value is less than `least`."""
    if value < least:
        raise ImproperlyConfigured(f"{setting}: expected at least {least}; got {value:g}")


def never_or_at_least(setting: str, value: int, least: int) -> None:
    """Raise ImproperlyConfigured, which names the setting, if the value is neither 0 nor `least` or more."""
    if value != 0 and value < least:
        raise ImproperlyConfigured(f"{setting}: expected 0, or at least {least}; got {value}")
