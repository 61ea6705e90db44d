"""Files in a bucket of a server that speaks S3, which machines share that have no folder in common."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse

from agon.site.archives import storing
from agon.site.core.readiness import storage_is_writable
from agon.site.core.storage import storage_setting
from agon.site.core.without_secrets import without_secrets
from agon.site.fleet.models import PausedWorker
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from agon.site.tournaments import scheduling, services
from agon.site.workers import playing
from agon.site.workers.worker import worker
from tests.support import s3

from .test_fetching import QUICK, empty_cache, no_pause_between_failures
from .test_workers import closed, entered, queue, same_sandbox, sandbox

__all__ = ["closed", "empty_cache", "no_pause_between_failures", "same_sandbox", "sandbox"]
pytestmark = [pytest.mark.slow, pytest.mark.production]


@pytest.fixture
def bucket(settings):
    with s3.bucket() as bucket_url:
        files = storage_setting(bucket_url.setting, Path("unused"))
        settings.STORAGES = settings.STORAGES | {"default": files}
        yield bucket_url


@pytest.fixture
def four(bucket, user, competition, sandbox):
    return entered(user, competition, ["north", "east", "south", "west"], sandbox, QUICK)


def artifacts_in(bucket):
    return [name for name in bucket.names() if name.startswith("files/artifacts/")]


def test_another_machine_plays_what_was_built_here_and_the_archive_is_in_the_bucket(
    bucket, four, closed, empty_cache, user
):
    assert len(artifacts_in(bucket)) == 4
    cup = services.create(user, closed, "Cup", "rotations", 1, 11, [submission.bot for submission in four])
    services.start(cup)

    while Match.objects.filter(state=State.QUEUED).exists():
        playing.play_waiting("bulk")
    scheduling.tick()

    cup.refresh_from_db()
    assert cup.state == cup.State.FINISHED
    assert len([path for path in empty_cache.iterdir() if path.name != "tmp"]) == 4
    storing.make(cup)
    response = Client().get(reverse("tournament_archive", args=[cup.pk]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert "manifest.json" in archive.namelist()
    assert four[0].artifact.name in "".join(bucket.names())


def test_a_program_that_was_changed_in_the_bucket_is_never_run(bucket, four, closed, empty_cache):
    [match] = queue(closed, four)
    victim = next(name for name in artifacts_in(bucket) if four[2].artifact.name in name)
    changed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(bucket.read(victim))) as old,
        tarfile.open(fileobj=changed, mode="w") as new,
    ):
        for member in old:
            data = old.extractfile(member).read() if member.isreg() else b""
            data = data.replace(b"NAME = 'south'", b"NAME = 'SOUTH'")
            new.addfile(member, io.BytesIO(data))
    bucket.write(victim, changed.getvalue())

    playing.play_waiting("bulk")

    match.refresh_from_db()
    assert match.state == State.QUEUED
    assert "other bytes" in str(FailedAttempt.objects.get().details)
    assert not PausedWorker.objects.exists(), "the machine is well, the file is not"


def test_a_server_that_is_gone_spoils_no_match(bucket, four, closed, empty_cache, settings, monkeypatch):
    queue(closed, four)
    gone = storage_setting("s3://k:s@127.0.0.1:9/agon/files?tls=off", Path("unused"))
    settings.STORAGES = settings.STORAGES | {"default": gone}

    playing.play_waiting("bulk")

    assert list(Match.objects.values_list("state", "attempt")) == [(State.QUEUED, 0)]
    assert worker.name.startswith(PausedWorker.objects.get().worker)
    with pytest.raises(OSError, match="127"):
        storage_is_writable()


def test_it_behaves_as_a_folder_does(bucket):
    storage_is_writable()
    assert default_storage.listdir("") == ([], [])
    with pytest.raises(FileNotFoundError):
        default_storage.open("none")
    with pytest.raises(FileNotFoundError):
        default_storage.size("none")
    default_storage.delete("none")
    data = ContentFile(b"first")
    first = default_storage.save("a/file", data)
    second = default_storage.save("a/file", ContentFile(b"second"))
    assert (data.read(), data.seek(0), data.read())[2] == b"first", "what was stored can be used on"
    for name, text in ((first, b"first"), (second, b"second")):
        with default_storage.open(name) as file:
            assert file.read() == text
    assert default_storage.listdir("a")[1] == sorted([first[2:], second[2:]])


def test_the_secret_of_the_bucket_is_in_no_message(bucket):
    assert "its own" not in without_secrets(f"refused: {s3.SECRET}")


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("s3://host/bucket", "got no KEY"),
        ("s3://key@host/bucket", "got no SECRET"),
        ("s3://key:secret@host", "got no BUCKET"),
        ("s3://key:secret@/bucket", "got no HOST"),
        ("s3://key:secret@host:99999/bucket", "Port"),
        ("s3://key:secret@host/bucket?tsl=off", "'tsl'"),
        ("s3://key:secret@host/bucket?tls=no", "on or off for tls; got 'no'"),
        ("s3:", "got no KEY"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_without_its_secret(setting, why):
    with pytest.raises(ImproperlyConfigured, match=r"^STORAGE: expected") as refused:
        storage_setting(setting, Path("unused"))
    assert why in str(refused.value)
    assert "key:secret" not in str(refused.value)
