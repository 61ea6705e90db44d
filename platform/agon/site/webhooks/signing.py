"""Signatures as Standard Webhooks defines them (https://www.standardwebhooks.com): HMAC-SHA256, version 1."""

import base64
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
BYTES = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def headers(secret: str, message: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers of a message. message: its id. seconds: the time of the attempt, since 1970."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message}.{seconds}.".encode() + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }
