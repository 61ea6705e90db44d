"""Tampered archives: what can be found without a signature is named with its file, and with one all is found.

One small archive is made once; each case changes a copy of it (tamperings.py).
"""

import hashlib
import shutil
import subprocess
import zipfile

import pytest
from typer.testing import CliRunner

from agon.__main__ import application
from agon.cli.output import CommandError
from agon.contest.archive.signature import public_line, read_key
from agon.contest.archive.writer import About, write_zip
from tests.support.folders import write_folder

from .tamperings import FOUND, HIDDEN, KEY, SIGNATURES, remove


@pytest.fixture(scope="module")
def original(tournament, tmp_path_factory):
    """An archive of six matches of Coup, signed."""
    folder = tmp_path_factory.mktemp("tampering") / "original"
    write_folder(folder, *tournament("coup", 3), About(sign=KEY.sign))
    return folder


@pytest.fixture
def archive(original, tmp_path):
    shutil.copytree(original, tmp_path / "archive")
    return tmp_path / "archive"


def verified(archive, *options):
    """Exit status and output of the command, as one text."""
    result = CliRunner().invoke(application(["verify"]), ["verify", str(archive), *map(str, options)])
    if isinstance(result.exception, CommandError):
        return result.exception.code, str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def signers(tmp_path):
    (tmp_path / "signers").write_text(f'site namespaces="agon-archive" {public_line(KEY.public_key)}\n')
    return tmp_path / "signers"


def test_the_untouched_archive_is_sound_and_says_who_signed_it(original, archive, signers):
    assert verified(original, "--signer", signers) == (
        0,
        f"{original}: sound; 6 matches replayed, 34 files checked; signed by site ({KEY.fingerprint})\n",
    )
    remove("SHA256SUMS.sig")(archive)
    assert verified(archive) == (0, f"{archive}: sound; 6 matches replayed, 33 files checked; unsigned\n")


@pytest.mark.parametrize("tampering", FOUND)
def test_tampering_is_found_without_a_signature_and_named(tampering, archive):
    tamper, file, words = FOUND[tampering]
    remove("SHA256SUMS.sig")(archive)
    tamper(archive)
    status, said = verified(archive)
    assert (status, "Traceback" in said) == (1, False)
    assert any(line.startswith(f"  {file}: ") and words in line for line in said.splitlines()), said


@pytest.mark.parametrize("tampering", [*FOUND, *HIDDEN])
def test_tampering_is_always_found_with_a_signature(tampering, archive, signers):
    tamper = HIDDEN[tampering] if tampering in HIDDEN else FOUND[tampering][0]
    tamper(archive)
    status, said = verified(archive, "--signer", signers)
    assert (status, "Traceback" in said) == (1, False)


@pytest.mark.parametrize("tampering", HIDDEN)
def test_what_only_a_signature_shows_is_forged_with_one_and_unsigned_without(tampering, archive, signers):
    HIDDEN[tampering](archive)
    status, said = verified(archive)
    assert (status, "; forged" in said) == (1, True)
    assert f"SHA256SUMS.sig: not the signature of SHA256SUMS by {KEY.fingerprint}" in said
    remove("SHA256SUMS.sig")(archive)
    status, said = verified(archive)
    assert (status, "; unsigned" in said) == (0, True)


@pytest.mark.parametrize("kind", SIGNATURES)
def test_a_signature_that_is_not_the_sites_is_named(kind, archive, signers):
    tamper, words = SIGNATURES[kind]
    tamper(archive)
    status, said = verified(archive, "--signer", signers)
    assert status == 1
    assert words in said


def test_a_signature_is_what_ssh_keygen_makes_and_checks(archive, signers, tmp_path):
    """The list of digests is what sha256sum checks; neither program knows of Agon."""
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=archive, check=True)
    command = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "site", "-n", "agon-archive"]
    sums = (archive / "SHA256SUMS").read_bytes()
    done = subprocess.run(
        [*command, "-s", archive / "SHA256SUMS.sig"], input=sums, capture_output=True, text=False
    )
    assert done.returncode == 0, done.stderr
    assert f"ED25519 key {KEY.fingerprint}" in done.stdout.decode()
    assert subprocess.run([*command, "-s", archive / "SHA256SUMS.sig"], input=sums + b"x").returncode != 0

    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    (archive / "SHA256SUMS.sig").unlink()
    sign_it = ["ssh-keygen", "-q", "-Y", "sign", "-f", tmp_path / "key", "-n", "agon-archive"]
    subprocess.run([*sign_it, archive / "SHA256SUMS"], check=True, stderr=subprocess.DEVNULL)
    key = read_key((tmp_path / "key").read_text())
    status, said = verified(archive, "--signer", tmp_path / "key.pub")
    assert (status, f"({key.fingerprint})" in said) == (0, True)
    ours = key.sign(hashlib.sha512((archive / "SHA256SUMS").read_bytes()).digest())
    assert ours == (archive / "SHA256SUMS.sig").read_bytes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected at least one ssh-ed25519 key, got none"),
        ("ssh-rsa AAAA\n", "line 1: expected `principal ssh-ed25519 KEY`, got 'ssh-rsa AAAA'"),
        ("site ssh-ed25519 AAAA\n", "line 1: not a key"),
        ("\n# no key\nsite ssh-ed25519 ****\n", "line 3: not a key"),
        ("site ssh-ed25519 ключ\n", "line 1: not a key"),
    ],
)
def test_a_list_of_signers_that_is_none_is_refused(text, words, archive, tmp_path):
    (tmp_path / "signers").write_text(text)
    status, said = verified(archive, "--signer", tmp_path / "signers")
    assert status == 2
    assert words in said


@pytest.mark.parametrize("size", [0, 10, 1000, -1, -30, -2000])
def test_a_truncated_zip_is_refused_in_a_sentence(size, tournament, tmp_path):
    with open(tmp_path / "a.zip", "w+b") as file:
        write_zip(file, *tournament("coup", 2))
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes()[:size])
    status, said = verified(tmp_path / "a.zip")
    assert (status, "Traceback" in said) == (1, False)
    assert "not an archive: expected a folder, a zip without a comment, or a record" in said


def test_the_same_archive_is_the_same_zip(tournament, tmp_path):
    for name in ("a.zip", "b.zip"):
        with open(tmp_path / name, "w+b") as file:
            write_zip(file, *tournament("coup", 2), About(sign=KEY.sign))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert opened.namelist()[-3:] == ["manifest.json", "SHA256SUMS", "SHA256SUMS.sig"]
