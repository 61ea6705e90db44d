"""Is SHA256SUMS of an archive what its manifest leads to, and is its signature good?"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from agon.contest.archive.manifest import BadArchive
from agon.contest.archive.manifest_reader import Stated
from agon.contest.archive.reader import Files, read
from agon.contest.archive.signature import MATCH_NAMESPACE, NAMESPACE, BadSignature, Signers, read_signature
from agon.contest.archive.writer import MANIFEST, SIGNATURE, SUMS, Hashed, sum_line

_LONGEST_LINE = 64 << 10


@dataclass(frozen=True)
class Verdict:
    """Who signed. kind: "unsigned", "signed" (by `by`, a key's fingerprint and perhaps its owner), "forged".

    differences: why it is forged, or why SHA256SUMS is not what the manifest leads to.
    """

    kind: str
    by: str
    differences: tuple[str, ...] = ()


def check_sums(files: Files, manifest: Stated, own: str, signers: Signers | None) -> Verdict:
    """own: the SHA-256 of manifest.json (hex). signers: those who may have signed; None accepts any, and no
    signature, too.
    """
    entry = manifest.ledger.entry(SUMS)
    if entry is None:
        return Verdict("unsigned", "", (f"{SUMS}: missing",))
    sums = Hashed(files.pieces(entry))
    lines = _lines(sums)
    try:
        different = tuple(_first_difference(lines, manifest, own))
        deque(lines, maxlen=0)  # what is left of it is signed, too
    except BadArchive as error:
        return Verdict("unsigned", "", (str(error),))
    signed = _signature(files, sums.sha512.digest(), manifest, signers)
    return Verdict(signed.kind, signed.by, different + signed.differences)


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines, each with its end; one that is longer than any is cut."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield f"{line.decode(errors='replace')}\n"
        if len(rest) > _LONGEST_LINE:
            yield rest.decode(errors="replace")
            rest = b""
    if rest:
        yield rest.decode(errors="replace")


def _first_difference(lines: Iterator[str], manifest: Stated, own: str) -> Iterator[str]:
    listed = chain(
        ((path, sha256) for path, sha256 in manifest.ledger.listed() if path != MANIFEST), [(MANIFEST, own)]
    )
    expected = (sum_line(path, sha256) for path, sha256 in listed)
    for number, (line, right) in enumerate(zip_longest(lines, expected, fillvalue=None), 1):
        if right is None or line != f"{right}\n":
            what = f"the digest of {right.split('  ', 1)[1]} as {MANIFEST} states it" if right else "the end"
            yield f"{SUMS}: line {number}: expected {what}, got {(line or '').strip()!r}"
            return


def _signature(files: Files, sums: bytes, manifest: Stated, signers: Signers | None) -> Verdict:
    """sums: the SHA-512 of SHA256SUMS."""
    namespace = MATCH_NAMESPACE if manifest.is_one_match else NAMESPACE
    entry = manifest.ledger.entry(SIGNATURE)
    if entry is None:
        claimed = str(manifest.origin.site.get("key", ""))
        missing: tuple[str, ...] = ()
        if signers is not None:
            missing = (f"{SIGNATURE}: missing: expected a signature by {signers.names}",)
        elif claimed:
            missing = (f"{SIGNATURE}: missing: {MANIFEST} states one by {claimed[:100]}",)
        return Verdict("unsigned", "", missing)
    try:
        signature = read_signature(read(files, entry))
        signature.check(sums, namespace)
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
