"""Is SHA256SUMS of an archive what its manifest leads to, and is its signature good?"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from agon.contest.archive.manifest import BadArchive, Digest, Manifest
from agon.contest.archive.reader import Files
from agon.contest.archive.signature import MATCH_NAMESPACE, NAMESPACE, BadSignature, Signers, read_signature
from agon.contest.archive.writer import MANIFEST, SIGNATURE, SUMS, sum_line


@dataclass(frozen=True)
class Verdict:
    """Who signed. kind: "unsigned", "signed" (by `by`, a key's fingerprint and perhaps its owner), "forged".

    differences: why it is forged, or why SHA256SUMS is not what the manifest leads to.
    """

    kind: str
    by: str
    differences: tuple[str, ...] = ()


def check_sums(files: Files, manifest: Manifest, own: Digest, signers: Signers | None) -> Verdict:
    """own: of manifest.json. signers: those who may have signed; None accepts any, and no signature, too."""
    try:
        sums = files.read(SUMS) if SUMS in files.paths else None
    except BadArchive as error:
        return Verdict("unsigned", "", (str(error),))
    if sums is None:
        return Verdict("unsigned", "", (f"{SUMS}: missing",))
    different = tuple(_first_difference(sums, manifest, own))
    signed = _signature(files, sums, manifest, signers)
    return Verdict(signed.kind, signed.by, different + signed.differences)


def _first_difference(sums: bytes, manifest: Manifest, own: Digest) -> Iterator[str]:
    listed = {**manifest.files, MANIFEST: own}
    expected = (sum_line(path, digest.sha256) for path, digest in listed.items())
    lines = (line.decode(errors="replace") for line in io.BytesIO(sums))
    for number, (line, right) in enumerate(zip_longest(lines, expected, fillvalue=None), 1):
        if right is None or line != f"{right}\n":
            what = f"the digest of {right.split('  ', 1)[1]} as {MANIFEST} states it" if right else "the end"
            yield f"{SUMS}: line {number}: expected {what}, got {(line or '').strip()!r}"
            return


def _signature(files: Files, sums: bytes, manifest: Manifest, signers: Signers | None) -> Verdict:
    namespace = MATCH_NAMESPACE if manifest.is_one_match else NAMESPACE
    if SIGNATURE not in files.paths:
        claimed = str(manifest.origin.site.get("key", ""))
        missing: tuple[str, ...] = ()
        if signers is not None:
            missing = (f"{SIGNATURE}: missing: expected a signature by {signers.names}",)
        elif claimed:
            missing = (f"{SIGNATURE}: missing: {MANIFEST} states one by {claimed[:100]}",)
        return Verdict("unsigned", "", missing)
    try:
        signature = read_signature(files.read(SIGNATURE))
        signature.check(hashlib.sha512(sums).digest(), namespace)
    except (BadArchive, BadSignature) as error:
        wrong = f"{error}" if isinstance(error, BadArchive) else f"{SIGNATURE}: {error}"
        return Verdict("forged", "", (wrong,))
    by = signature.fingerprint
    if signers is None:
        return Verdict("signed", by)
    owner = signers.owner(signature.public_key, namespace)
    if owner is None:
        return Verdict("forged", by, (f"{SIGNATURE}: signed with {by}, expected a key of {signers.names}",))
    return Verdict("signed", f"{owner} ({by})")
