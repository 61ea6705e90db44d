"""The key that signs archives: made once and kept private, exchanged, taken back."""

import os
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client

from agon.contest.archive.signature import new_key, public_line, read_signers
from agon.site.archives import keys

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.EMBEDDED = True


def listed():
    return read_signers(Client().get("/archives/signers").content.decode(), "signers").keys


def test_an_embedded_site_makes_its_key_once_and_only_its_owner_reads_it(tmp_path):
    first = keys.signing_key()
    assert keys.signing_key().fingerprint == first.fingerprint
    assert stat.S_IMODE(os.stat(tmp_path / "archive_key").st_mode) == 0o600
    assert listed() == {first.public_key: "127.0.0.1"}


def test_a_new_key_takes_over_and_the_old_one_stays_known(tmp_path, capsys):
    old = keys.signing_key()
    call_command("archive_keys", rotate=True)
    new = keys.signing_key()
    assert old.fingerprint != new.fingerprint
    assert listed().keys() == {old.public_key, new.public_key}
    assert capsys.readouterr().out == Client().get("/archives/signers").content.decode()
    assert len(list(Path(tmp_path).glob("archive_key.until-*"))) == 1

    call_command("archive_keys", revoke=public_line(old.public_key))
    assert listed().keys() == {new.public_key}
    with pytest.raises(CommandError, match="this key is not in it"):
        call_command("archive_keys", revoke=public_line(old.public_key))


def test_the_key_that_signs_is_not_revoked_before_there_is_another(capsys):
    """Whatever it signed afterwards, no one could verify."""
    present = keys.signing_key()
    with pytest.raises(CommandError, match="give it another one first"):
        call_command("archive_keys", revoke=public_line(present.public_key))
    assert listed().keys() == {present.public_key}


def test_a_production_site_is_given_its_key_or_has_none(settings, tmp_path):
    settings.EMBEDDED = False
    assert keys.signing_key() is None
    assert Client().get("/archives/signers").content == b""
    settings.ARCHIVE_KEY = new_key()
    assert listed().keys() == {keys.signing_key().public_key}
    assert not (tmp_path / "archive_key").exists()
    with pytest.raises(CommandError, match="this site's key is in ARCHIVE_KEY"):
        call_command("archive_keys", rotate=True)


@pytest.mark.parametrize(
    "text", ["x", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"]
)
def test_what_is_no_key_is_refused_in_words(text, settings):
    settings.ARCHIVE_KEY = text
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_KEY: expected an OpenSSH private key"):
        keys.signing_key()
