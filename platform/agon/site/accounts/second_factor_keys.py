"""The secrets of second factors are encrypted in the database: who copies it, or a backup, cannot make codes.

The keys are derived from SECRET_KEY; secrets of former ones (SECRET_KEY_FALLBACKS) are read, too. What none
of them reads is never taken for turned off: its owner signs in with a passkey, or asks the operator.
"""

from base64 import urlsafe_b64encode
from typing import Any, NamedTuple

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

ENCRYPTED = "fernet:"  # before what is encrypted; earlier versions stored secrets as they are
SECRETS = ("secret", "seed", "migrated_codes")  # of the data that allauth keeps, what it encrypts
UNREADABLE = _(
    "The site can no longer read the secrets of your second factor, since its key was changed. "
    "Sign in with a passkey, or ask the site's operator to remove the second factor."
)


class Unreadable(ValidationError, PermissionDenied):
    """No key reads a secret. An error at the field of the code, 403 for a page, and nothing in a template."""

    silent_variable_failure = True


class Rewritten(NamedTuple):
    """How many second factors were encrypted with the present key, and whose no key reads."""

    encrypted: int
    unreadable: list[str]


class Adapter(DefaultMFAAdapter):
    """What allauth calls before it stores a secret, and after it has read one."""

    def encrypt(self, text: str) -> str:
        return ENCRYPTED + _keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises Unreadable."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        try:
            return _keys().decrypt(encrypted_text.removeprefix(ENCRYPTED)).decode()
        except InvalidToken:
            raise Unreadable(UNREADABLE, code="unreadable") from None


def encrypt_anew() -> Rewritten:
    """Encrypt all secrets with the present key. Each in its own transaction: people sign in meanwhile."""
    encrypted = 0
    unreadable = set[str]()
    for pk in Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).values_list("pk", flat=True):
        with transaction.atomic():
            authenticator = Authenticator.objects.select_for_update(of=("self",)).filter(pk=pk).first()
            if authenticator is None:  # removed meanwhile
                continue
            try:
                authenticator.data = with_present_key(authenticator.data)
            except Unreadable:
                unreadable.add(authenticator.user.username)
                continue
            authenticator.save(update_fields=["data"])
            encrypted += 1
    return Rewritten(encrypted, sorted(unreadable))


def with_present_key(data: dict[str, Any]) -> dict[str, Any]:
    """What allauth keeps of a second factor, encrypted with the present key. Raises Unreadable."""
    adapter = Adapter()

    def encrypted(stored: Any) -> Any:
        if isinstance(stored, list):
            return [encrypted(secret) for secret in stored]
        return adapter.encrypt(adapter.decrypt(stored))

    return data | {name: encrypted(data[name]) for name in SECRETS if name in data}


def _keys() -> MultiFernet:
    """The first encrypts, all decrypt."""
    return MultiFernet(
        [Fernet(_derived(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _derived(secret: str) -> bytes:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"agon: secrets of second factors")
    return urlsafe_b64encode(kdf.derive(secret.encode()))
