"""However an archive was forged, checking it takes a bounded share of memory and ends in a sentence."""

import struct
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from agon.contest.archive.ledger import Ledger, Played
from agon.contest.archive.manifest import Digest, Header
from agon.contest.archive.manifest_reader import read_manifest
from agon.contest.formats import ScheduledMatch
from games.core.record import SeatInfo
from tests.support.manifests import Manifest, to_json

pytestmark = pytest.mark.slow

MOST_MIB = 90  # of which Python and the rules take 50
HEAD = b'{"archive": 1, "game": "coup", "format": "round_robin", "rounds": 1, "seed": 1, "points": "score"'
SIZE = 16 << 20
VERIFY = """
import atexit, re, sys
from agon.__main__ import main
peak = sys.argv.pop(1)
status = open("/proc/self/status")
atexit.register(lambda: open(peak, "w").write(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1]))
sys.exit(main())
"""


def long_run(*values: object) -> ParameterSet:
    """More of the same: seconds of a processor for each, so in `make test-all` only."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)


def verify(path: Path, tmp_path: Path) -> tuple[int, str, int]:
    """Exit status, what was said, and the most memory that the command has taken (MiB).

    It says so itself at its end: ru_maxrss would be that of these tests, if that is more.
    """
    peak = tmp_path / "peak"
    command = [sys.executable, "-c", VERIFY, str(peak), "verify", str(path)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ran.returncode, ran.stdout, int(peak.read_text()) >> 10


def zipped(path: Path, **files: tuple[bytes, bytes, bytes]) -> Path:
    """A zip of files of SIZE bytes: a beginning, something repeated, an end."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, (begin, again, end) in files.items():
            with archive.open(name.replace("__", "/").replace("_json", ".json"), "w") as file:
                file.write(begin)
                piece = again * ((1 << 20) // len(again))
                for _ in range(SIZE >> 20):
                    file.write(piece)
                file.write(end)
    return path


@pytest.mark.parametrize(
    ("begin", "again", "end", "words"),
    [
        (b', "entrants": [', b"[],", b"0]}", "entrants[0]: expected an object"),
        (b', "other": ', b"[", b"", "nested too deeply"),
        (
            b', "matches": [',
            b'{"index":0,"round":0,"number":0,"seats":[' + b"0," * 63 + b"0]},",
            b"0]}",
            "matches[",
        ),
        long_run(b', "entrants": [', b'{"":0},', b"0]}", "entrants[0].name: missing"),
        long_run(b', "other": [', b"[],", b"0]}", "expected a value of at most 16 KiB"),
        long_run(b', "other": ', b"1", b"}", "manifest.json: "),
        long_run(b', "files": {', b'"a":{},', b'"a":0}}', "a.sha256: missing"),
        long_run(b"}", b" ", b"x", "extra data"),
        long_run(b"", b"\\", b"", "expected ','"),
    ],
)
def test_a_manifest_of_16_mib(tmp_path: Path, begin: bytes, again: bytes, end: bytes, words: str) -> None:
    path = zipped(tmp_path / "a.zip", manifest_json=(HEAD + begin, again, end))
    assert path.stat().st_size < 2 << 20
    status, said, mib = verify(path, tmp_path)
    assert (status, "Traceback" in said) == (1, False)
    assert "manifest.json: " in said
    assert words in said
    assert mib < MOST_MIB


@pytest.mark.parametrize(
    ("begin", "again", "end"),
    [
        (b"[", b'{"":0},', b"0]"),
        long_run(b"[", b"[],", b"0]"),
        long_run(b'{"exchanges":[', b"{},", b"{}]}"),
        long_run(b"", b"[", b""),
    ],
)
def test_a_record_of_10_mib(tmp_path: Path, begin: bytes, again: bytes, end: bytes) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(begin + again * ((10 << 20) // len(again)) + end)
    status, said, mib = verify(path, tmp_path)
    assert status == 1
    assert "not a record: " in said
    assert "record.json" in said
    assert mib < MOST_MIB


def test_a_directory_of_100000_files(tmp_path: Path) -> None:
    """`zipfile` would make 60 MiB of it."""
    names = [b"%08d" % number for number in range(100_000)]
    before = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 8) + bytes(16)
    directory = before + before.join(names)
    end = b"PK\x05\x06" + bytes(4) + b"\x01\x00\x01\x00" + len(directory).to_bytes(4, "little") + bytes(6)
    path = tmp_path / "a.zip"
    path.write_bytes(directory + end)
    status, said, mib = verify(path, tmp_path)
    assert status == 1
    assert "manifest.json: missing" in said
    assert mib < MOST_MIB


@pytest.mark.exhaustive
def test_an_honest_manifest_of_25000_matches_is_read() -> None:
    entrants = tuple(SeatInfo(f"bot {number}", f"{number:064x}") for number in range(8))
    matches = tuple(ScheduledMatch(n, n // 1000, n % 1000, (n % 8, (n + 1) % 8)) for n in range(25_000))
    files = {
        f"matches/{n}/{name}": Digest(f"{n:064x}", n) for n in range(25_000) for name in ("record.json", "a")
    }
    header = Header("coup", "round_robin", 1, 7, "score", 2, entrants)
    manifest = Manifest(header, matches, files, "0" * 64, tuple(1 << 255 | n for n in range(25_000)))
    with closing(Ledger()) as ledger:
        read = read_manifest([to_json(manifest).encode()], ledger)
        assert read.header == header
        assert list(ledger.played()) == [
            Played(match, seed, 0) for match, seed in zip(matches, manifest.seeds, strict=True)
        ]
        assert list(ledger.listed()) == [(path, digest.sha256) for path, digest in files.items()]
