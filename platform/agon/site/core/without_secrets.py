"""Takes passwords and keys out of texts for operators, such as errors of libraries."""

import re
from urllib.parse import unquote, urlsplit

from django.conf import settings

HIDDEN = "[secret]"
SHORTEST = 6  # characters: a shorter one would be found in ordinary words
# scheme://user:password@host
_IN_ADDRESSES = re.compile(r"(?<=://)([^\s:/@]*):[^\s/@]+@")


def without_secrets(text: str) -> str:
    """The text without the site's secrets, and without the password of any address in it."""
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    return _IN_ADDRESSES.sub(rf"\1:{HIDDEN}@", text)


def _secrets() -> list[str]:
    secrets = [
        settings.SECRET_KEY,
        *settings.SECRET_KEY_FALLBACKS,
        settings.ARCHIVE_KEY,
        settings.AGON_METRICS_TOKEN,
        settings.AGON_REGISTRATION_CODE,
        *(
            app["secret"]
            for socialaccount_provider in settings.SOCIALACCOUNT_PROVIDERS.values()
            for app in socialaccount_provider["APPS"]
        ),
        settings.DATABASES["default"].get("PASSWORD") or "",
        unquote(urlsplit(settings.REDIS_URL).password or ""),
        getattr(settings, "EMAIL_HOST_PASSWORD", None) or "",  # None: the server takes none
        settings.STORAGES["default"].get("OPTIONS", {}).get("secret_key", ""),
    ]
    return sorted((secret for secret in secrets if len(secret) >= SHORTEST), key=len, reverse=True)
