"""Signatures as `ssh-keygen -Y sign` makes them and `ssh-keygen -Y verify` checks them.

The format is OpenSSH's PROTOCOL.sshsig: the signed message is "SSHSIG", the namespace, the hash algorithm and
the hash of the file; the signature with the key that made it is kept in an armored envelope. Keys are
Ed25519, hashes SHA-512. The namespace says what was signed: a signed match does not pass as a tournament.
"""

import base64
import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NAMESPACE = "agon-archive"  # of a tournament
MATCH_NAMESPACE = "agon-match"  # of a single match
DATA_NAMESPACE = "agon-data"  # of the manifest of a competition's matches as data
NAMESPACES = (NAMESPACE, MATCH_NAMESPACE, DATA_NAMESPACE)
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASH = b"sha512"
_KIND = b"ssh-ed25519"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_LARGEST = 4096  # bytes of a signature
LARGEST_LIST = 1 << 20  # characters of a list of keys
_WIDTH = 70


class BadSignature(Exception):
    """A signature that is damaged or wrong; str(e) says why."""


class BadKey(Exception):
    """Not an Ed25519 key, or not a list of keys; str(e) says why."""


@dataclass(frozen=True)
class SigningKey:
    """A private key."""

    private: Ed25519PrivateKey

    @property
    def public_key(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    def sign(self, sha512: bytes, namespace: str = NAMESPACE) -> bytes:
        """The signature of a file with this SHA-512, as `ssh-keygen -Y sign -n NAMESPACE` writes it."""
        signed = _string(_KIND) + _string(self.private.sign(_message(sha512, namespace)))
        blob = _MAGIC + struct.pack(">I", _VERSION) + _string(_blob(self.public_key))
        blob += _string(namespace.encode()) + _string(b"") + _string(_HASH) + _string(signed)
        text = base64.b64encode(blob).decode()
        lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
        return "\n".join([_BEGIN, *lines, _END, ""]).encode()


def new_key() -> str:
    """A new private key as `ssh-keygen -t ed25519` writes one, without a passphrase."""
    return (
        Ed25519PrivateKey.generate()
        .private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        .decode()
    )


def read_key(text: str) -> SigningKey:
    """A private key as OpenSSH writes it. Raises BadKey."""
    try:
        key = serialization.load_ssh_private_key(f"{text.strip()}\n".encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadKey(f"expected an OpenSSH private key without a passphrase: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKey("expected an Ed25519 key (ssh-keygen -t ed25519)")
    return SigningKey(key)


def public_line(public_key: bytes) -> str:
    """A public key as in a .pub file: kind and key."""
    return f"{_KIND.decode()} {base64.b64encode(_blob(public_key)).decode()}"


def fingerprint(public_key: bytes) -> str:
    """The fingerprint of a key, as `ssh-keygen -l` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(_blob(public_key)).digest()).decode().rstrip("=")


@dataclass(frozen=True)
class Signature:
    """A signature and the key that it names."""

    public_key: bytes
    signed: bytes
    namespace: str

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    def check(self, sha512: bytes, namespace: str = NAMESPACE) -> None:
        """Raises BadSignature unless the key has signed a file with this SHA-512 for this purpose."""
        if self.namespace != namespace:
            raise BadSignature(f"namespace: expected {namespace!r}, got {self.namespace!r}")
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(
                self.signed, _message(sha512, namespace)
            )
        except (InvalidSignature, ValueError):
            raise BadSignature(f"not the signature of SHA256SUMS by {self.fingerprint}") from None


def read_signature(data: bytes) -> Signature:
    """Raises BadSignature."""
    lines = data.decode(errors="replace").split()
    text = "".join(lines[3:-3])
    if len(data) > _LARGEST or " ".join(lines[:3]) != _BEGIN or " ".join(lines[-3:]) != _END:
        raise BadSignature(f"expected the text of a signature from {_BEGIN} to {_END}")
    try:
        blob = _Blob(base64.b64decode(text, validate=True))
        blob.expect("magic", blob.take(len(_MAGIC)), _MAGIC)
        blob.expect("version", blob.take(4), struct.pack(">I", _VERSION))
        public_key = _public_key(blob.string())
        namespace = _namespace(blob.string())
        blob.string()
        blob.expect("hash algorithm", blob.string(), _HASH)
        inner = _Blob(blob.string())
        blob.end()
        inner.expect("kind of key", inner.string(), _KIND)
        signed = inner.string()
        inner.end()
    except (ValueError, struct.error, BadKey) as error:
        raise BadSignature(f"damaged: {error}") from None
    return Signature(public_key, signed, namespace)


@dataclass(frozen=True)
class Signers:
    """Keys that are trusted, and whose they are. names: where they are from, for messages.

    namespaces: what each may sign; a key that is not in it may sign all.
    """

    names: str
    keys: Mapping[bytes, str]
    namespaces: Mapping[bytes, frozenset[str]] = field(default_factory=dict)

    def owner(self, public_key: bytes, namespace: str = NAMESPACE) -> str | None:
        if namespace not in self.namespaces.get(public_key, NAMESPACES):
            return None
        return self.keys.get(public_key)


def read_signers(text: str, names: str) -> Signers:
    """Public keys as in a .pub file or in an allowed_signers file of OpenSSH. Raises BadKey.

    names: the file's name. Options of a line that restrict it to times are not read, but `namespaces` is.
    """
    if len(text) > LARGEST_LIST:
        raise BadKey(f"{names}: expected at most {LARGEST_LIST >> 20} MiB")
    keys: dict[bytes, str] = {}
    namespaces: dict[bytes, frozenset[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if _KIND.decode() not in words[:-1]:
            raise BadKey(f"{names}: line {number}: expected `principal ssh-ed25519 KEY`, got {line[:60]!r}")
        at = words.index(_KIND.decode())
        allowed = set(NAMESPACES)
        for option in (word for word in words[1:at] if word.startswith("namespaces=")):
            allowed &= set(option.partition("=")[2].strip('"').split(","))
        if not allowed:
            continue
        try:
            key = _public_key(base64.b64decode(words[at + 1], validate=True))
        except (ValueError, struct.error, BadSignature, BadKey) as error:
            raise BadKey(f"{names}: line {number}: not a key: {error}") from None
        namespaces[key] = frozenset(allowed) | namespaces.get(key, frozenset())
        keys[key] = words[0] if at else (words[2] if len(words) > 2 else "its key")
    if not keys:
        raise BadKey(f"{names}: expected at least one ssh-ed25519 key, got none")
    return Signers(names, keys, namespaces)


class _Blob:
    """Bytes that are read field by field. Raises BadSignature or struct.error."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, size: int) -> bytes:
        if size > len(self._data):
            raise BadSignature(f"damaged: expected {size} bytes more, got {len(self._data)}")
        taken, self._data = self._data[:size], self._data[size:]
        return taken

    def string(self) -> bytes:
        (size,) = struct.unpack(">I", self.take(4))
        return self.take(size)

    def expect(self, what: str, got: bytes, expected: bytes) -> None:
        if got != expected:
            raise BadSignature(f"{what}: expected {expected!r}, got {got[:60]!r}")

    def end(self) -> None:
        if self._data:
            raise BadSignature(f"damaged: {len(self._data)} bytes too many")


def _public_key(blob: bytes) -> bytes:
    fields = _Blob(blob)
    kind = fields.string()
    if kind != _KIND:
        raise BadKey(f"expected an ssh-ed25519 key, got {kind[:40]!r}")
    key = fields.string()
    fields.end()
    return key


def _namespace(got: bytes) -> str:
    known = {namespace.encode(): namespace for namespace in NAMESPACES}
    if got not in known:
        raise BadSignature(f"namespace: expected {' or '.join(map(repr, NAMESPACES))}, got {got[:60]!r}")
    return known[got]


def _message(sha512: bytes, namespace: str) -> bytes:
    return _MAGIC + _string(namespace.encode()) + _string(b"") + _string(_HASH) + _string(sha512)


def _blob(public_key: bytes) -> bytes:
    return _string(_KIND) + _string(public_key)


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data
