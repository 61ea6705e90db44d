"""Downloads of single matches are signed although the process that serves them has no key."""

import io
import json
import logging
import zipfile
from contextlib import closing

import pytest
from django.core.cache import cache
from django.test import Client, override_settings

from agon.contest.archive.signature import new_key, read_signers
from agon.contest.archive.verify import verify
from agon.site.archives import contents, keys, seals, services, tasks
from agon.site.archives.models import Signer
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, played
from tests.support.processes import Workers, until

pytestmark = pytest.mark.django_db

KEY = new_key()
STDERR = b"seat 1 says hello\n"


@pytest.fixture(autouse=True)
def web(settings):
    """This process is one that faces the internet: of a production site, and without the key."""
    settings.EMBEDDED, settings.ARCHIVE_KEY = False, ""
    cache.clear()


@pytest.fixture
def match(user, competition):
    four = activate(user, competition, ["A", "B", "C", "D"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("w")
    leases.finish(match, played(match))
    return Match.objects.get(pk=match.pk)


@pytest.fixture
def asked(monkeypatch):
    """What the process with the key was asked for. It answers at once."""
    requests = []

    def sign(task, queue, words):
        assert (task, queue) == ("agon.site.archives.tasks.sign_match", "signing")
        requests.append(words)
        as_signer(tasks.sign_match, words)

    as_signer(tasks.remember_key)
    monkeypatch.setattr(seals, "request_task", sign)
    return requests


def as_signer(do, *arguments):
    with override_settings(ARCHIVE_KEY=KEY):
        return do(*arguments)


def get(match, client=None):
    return (client or Client()).get(f"/matches/{match.pk}/archive")


def checked(answer, tmp_path, is_signed=True):
    """What `agon verify` says of the signature of a download that is otherwise sound, and its files."""
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content)
    (tmp_path / "match.zip").write_bytes(data)
    listed = Client().get("/archives/signers").content.decode()
    signers = read_signers(listed, "signers") if is_signed else None
    report = verify(tmp_path / "match.zip", signers=signers)
    assert report.differences == ()
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return report.signature, {name: packed.read(name) for name in packed.namelist()}


def test_a_process_without_the_key_serves_what_one_with_the_key_has_signed(match, asked, tmp_path):
    assert keys.signing_key() is None
    signature, files = checked(get(match), tmp_path)
    assert signature.startswith("signed by 127.0.0.1 ")
    assert b"".join(get(match).streaming_content) == as_signer(services.of_match, match, lambda seat: False)
    assert STDERR not in files.values()
    assert asked == [str(match.pk)]  # the second reader got what was signed for the first


def test_each_reader_gets_a_signature_of_what_they_may_read(match, user, asked, tmp_path):
    owner = Client()
    owner.force_login(user)
    signature, files = checked(get(match, owner), tmp_path)
    assert signature.startswith("signed by ")
    assert STDERR in files.values()
    _, public = checked(get(match), tmp_path)
    assert STDERR not in public.values()
    assert asked == [f"{match.pk} 0 1 2 3", str(match.pk)]


def test_what_has_changed_since_it_was_signed_is_signed_anew(match, asked, tmp_path):
    checked(get(match), tmp_path)
    Match.objects.filter(pk=match.pk).update(kind=Match.Kind.COMPARISON)
    signature, files = checked(get(match), tmp_path)
    assert signature.startswith("signed by ")
    assert json.loads(files["manifest.json"])["match"]["kind"] == "comparison"
    assert len(asked) == 2


def test_a_signature_of_something_else_is_not_handed_out(match, asked, tmp_path):
    """As someone could put it there who can write to the cache."""
    key = f"signature-{match.pk}"
    given = {"fingerprint": "SHA256:x", "sha512": "00" * 64, "signature": "-----BEGIN SSH SIGNATURE-----"}
    cache.set(key, given)
    signature, _ = checked(get(match), tmp_path)
    assert signature.startswith("signed by ")


@pytest.mark.parametrize("change", [{"state": "running"}, {"state": "void"}, {"pk": 0}])
def test_what_is_not_over_is_not_signed_whoever_asks(match, asked, caplog, change):
    words = str(change.pop("pk", match.pk))
    Match.objects.filter(pk=match.pk).update(**change or {"kind": match.kind})
    with caplog.at_level(logging.ERROR):
        as_signer(tasks.sign_match, words)
    assert "is not signed: it is not over" in caplog.text
    assert cache.get(f"signature-{words}") is None


def test_without_an_answer_the_reader_is_asked_to_come_back(match, monkeypatch):
    as_signer(tasks.remember_key)
    monkeypatch.setattr(seals, "PATIENCE", 0.1)
    answer = get(match)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")


def test_a_site_that_has_no_key_any_more_serves_unsigned_downloads(match, monkeypatch, tmp_path):
    as_signer(tasks.remember_key)
    monkeypatch.setattr(seals, "request_task", lambda task, queue, words: tasks.sign_match(words))
    assert "SHA256SUMS.sig" not in checked(get(match), tmp_path, is_signed=False)[1]


def test_a_site_that_never_had_a_key_asks_nobody(match, monkeypatch, tmp_path):
    monkeypatch.setattr(seals, "request_task", None)
    assert "SHA256SUMS.sig" not in checked(get(match), tmp_path, is_signed=False)[1]
    assert not Signer.objects.exists()


def test_a_download_whose_record_is_lost_is_asked_of_nobody(match, asked, monkeypatch):
    def lost(match):
        raise FileNotFoundError("the record is lost")

    monkeypatch.setattr(contents.records, "record_json", lost)
    assert get(match).status_code == 404
    assert asked == []


@pytest.mark.slow
@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_worker_with_the_key_signs_for_this_process(match, tmp_path, monkeypatch):
    def is_made():
        """On a busy machine the worker signs only after the first answer, which is a 503 then."""
        with closing(get(match)) as answer:
            return answer.status_code == 200

    workers = Workers(tmp_path)
    monkeypatch.setenv("ARCHIVE_KEY", KEY)
    monkeypatch.setenv("AGON_SANDBOX", "docker")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")  # it needs none
    try:
        workers.worker("signing")
        monkeypatch.delenv("ARCHIVE_KEY")
        until(Signer.objects.exists, 60, workers)
        until(is_made, 60, workers)
        assert checked(get(match), tmp_path)[0].startswith("signed by ")
        assert "sandbox" not in workers.said()
    finally:
        workers.stop_all()
