"""The setting STORAGE for a bucket of a server that speaks S3:

    s3://KEY:SECRET@HOST[:PORT]/BUCKET[/FOLDER][?option=value&...]

Options: `region`; `ca`, a file of certificates to trust; `tls=off`, for a network that is safe by itself;
`style=virtual` if the server has buckets in host names. Key and secret are quoted as in any URL.
"""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

OPTIONS = {"region", "ca", "tls", "style"}
FORM = "s3://KEY:SECRET@HOST/BUCKET"


def s3_options(url: str, ca: str = "") -> dict[str, Any]:
    """The options of S3Files that the setting STORAGE means. ca: certificates to trust if it names none.

    Raises ImproperlyConfigured, which names no secret.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"STORAGE: expected {FORM}: {error}") from None
    bucket, _, folder = parts.path.strip("/").partition("/")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name, value in (
        ("KEY", parts.username),
        ("SECRET", parts.password),
        ("HOST", host),
        ("BUCKET", bucket),
    ):
        if not value:
            raise ImproperlyConfigured(f"STORAGE: expected {FORM}; got no {name}")
    if unknown := sorted(given.keys() - OPTIONS):
        raise ImproperlyConfigured(
            f"STORAGE: expected the options {', '.join(sorted(OPTIONS))}; got {unknown[0][:100]!r}"
        )
    for option, expected in (("tls", ("on", "off")), ("style", ("path", "virtual"))):
        if option in given and given[option] not in expected:
            raise ImproperlyConfigured(
                f"STORAGE: expected {' or '.join(expected)} for {option}; got {given[option][:100]!r}"
            )
    scheme = "http" if given.get("tls") == "off" else "https"
    shown_host = f"[{host}]" if ":" in (host or "") else host
    return {
        "access_key": unquote(parts.username or ""),
        "secret_key": unquote(parts.password or ""),
        "endpoint_url": f"{scheme}://{shown_host}{f':{port}' if port else ''}",
        "bucket_name": bucket,
        "location": unquote(folder),
        "region_name": given.get("region", "us-east-1"),
        "verify": given.get("ca") or ca or None,
        "style": given.get("style", "path"),
    }
