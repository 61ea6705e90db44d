"""What uploads and built bots take on the disk is bounded, is given back, and its end is said in words."""

from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import artifacts
from agon.site.bots.models import Submission
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.core import disk_space
from agon.site.core.db import database_size
from agon.site.core.queue import broker
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import qualification
from agon.site.workers.building import build_next
from agon.site.workers.playing import play_waiting
from agon.site.workers.tasks import sweep
from sandbox.backends import open_sandbox
from sandbox.building import store
from tests.support.factories import played, submit
from tests.support.small_disk import small_disk

pytestmark = pytest.mark.production

PROGRAM = b"print('READY')\n"
MIB = 1 << 20


@pytest.fixture
def sandbox():
    with closing(open_sandbox("bubblewrap")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_held():
    yield
    artifacts.release()


def stored(folder: str) -> list[Path]:
    return [path for path in Path(default_storage.path(folder)).rglob("*") if path.is_file()]


def built(user, competition, sandbox, name="Rita", program=PROGRAM) -> Submission:
    """A submission that is built and being tried."""
    submission = receive(user, competition, name, "good.py", program)
    assert build_next(sandbox)
    submission.refresh_from_db()
    assert submission.state == State.QUALIFYING, submission.reason
    return submission


def reject(submission: Submission, commit) -> None:
    """Let it make a fault in its qualification match, on the real way through the lease."""
    match = leases.claim("w")
    assert match.qualifies_id == submission.pk
    with commit(execute=True):
        assert leases.finish(match, played(match, {(0, 0): ("crash", "it ended")}))
    submission.refresh_from_db()
    assert submission.state == State.REJECTED


def test_a_rejected_version_leaves_no_artifact(
    user, competition, sandbox, settings, django_capture_on_commit_callbacks
):
    submission = built(user, competition, sandbox)
    assert len(stored("artifacts")) == 1
    assert submission.artifact_bytes == stored("artifacts")[0].stat().st_size
    reject(submission, django_capture_on_commit_callbacks)

    assert stored("artifacts") == []
    assert submission.artifact_bytes == 0
    artifacts.remove_leftovers()
    assert store.artifacts(settings.AGON_ARTIFACTS) == []


def test_one_that_the_process_died_over_is_removed_by_the_sweeper(user, competition, sandbox):
    submission = built(user, competition, sandbox)
    Submission.objects.filter(pk=submission.pk).update(state=State.REJECTED)
    sweep()
    assert len(stored("artifacts")) == 1  # its match is not over yet
    Match.objects.update(state=MatchState.VOID)
    sweep()
    assert stored("artifacts") == []


def test_the_same_upload_of_another_keeps_its_artifact(
    user, competition, sandbox, settings, django_capture_on_commit_callbacks
):
    first = built(user, competition, sandbox)
    second = built(user, competition, sandbox, name="Sina")
    assert first.artifact_digest == second.artifact_digest
    reject(first, django_capture_on_commit_callbacks)
    artifacts.remove_leftovers()
    assert (artifacts.fetch(second).files / "good.py").read_bytes() == PROGRAM
    artifacts.release()
    assert store.remove(settings.AGON_ARTIFACTS / second.artifact_digest)
    assert (artifacts.fetch(second).files / "good.py").read_bytes() == PROGRAM


def test_a_replaced_version_goes_when_no_match_and_no_tournament_waits_for_it(user, competition, sandbox):
    older = built(user, competition, sandbox)
    Match.objects.update(state=MatchState.VOID)
    qualification.activate(older)
    newer = built(user, competition, sandbox, program=PROGRAM + b"# 2\n")
    waiting = Match.objects.filter(kind=Match.Kind.LADDER)
    qualification.activate(newer)
    assert len(stored("artifacts")) == 2
    sweep()
    assert len(stored("artifacts")) == 2  # it was replaced only just now
    Submission.objects.filter(pk=newer.pk).update(activated=timezone.now() - timedelta(hours=2))
    if waiting.exists():
        sweep()
        assert len(stored("artifacts")) == 2
    Match.objects.update(state=MatchState.VOID)
    sweep()
    assert len(stored("artifacts")) == 2  # the last one that was replaced stays, to be compared with
    newest = built(user, competition, sandbox, program=PROGRAM + b"# 3\n")
    qualification.activate(newest)
    Submission.objects.filter(pk=newest.pk).update(activated=timezone.now() - timedelta(hours=2))
    Match.objects.update(state=MatchState.VOID)
    sweep()
    kept = [
        Path(Submission.objects.get(pk=submission.pk).artifact.name).name for submission in (newer, newest)
    ]
    assert sorted(path.name for path in stored("artifacts")) == sorted(kept)


def test_the_cache_is_pruned_and_what_was_pruned_is_fetched_again(user, competition, sandbox, settings):
    first = built(user, competition, sandbox, "Rita", PROGRAM)
    second = built(user, competition, sandbox, "Sina", PROGRAM + b"# 2\n")
    settings.AGON_ARTIFACTS_MIB = 0
    artifacts.remove_leftovers()
    assert store.artifacts(settings.AGON_ARTIFACTS) == []
    assert (artifacts.fetch(first).files / "good.py").exists()
    assert (artifacts.fetch(second).files / "good.py").exists()
    artifacts.remove_leftovers()  # both are held
    assert len(store.artifacts(settings.AGON_ARTIFACTS)) == 2
    artifacts.release(spare=[second.artifact_digest])
    artifacts.remove_leftovers()
    assert [artifact.folder.name for artifact in store.artifacts(settings.AGON_ARTIFACTS)] == [
        second.artifact_digest
    ]


def test_an_account_that_has_used_its_room_is_refused_in_words(user, competition, settings):
    settings.AGON_ACCOUNT_MIB = 1
    receive(user, competition, "Rita", "a.py", PROGRAM + b"#" * (MIB - 100))
    with pytest.raises(Refused, match=r"Your bots use 1 of the 1 MiB allowed per account"):
        receive(user, competition, "Sina", "a.py", PROGRAM * 10)
    assert len(stored("sources")) == 1
    receive(User.objects.create_user("bob"), competition, "Tilo", "a.py", PROGRAM)


@pytest.mark.parametrize(
    ("setting", "words"),
    [("AGON_COMPETITION_MIB", "This competition has no"), ("AGON_SITE_MIB", "This site has no")],
)
def test_a_competition_and_the_site_have_so_much_room_and_no_more(
    user, competition, coup, settings, setting, words
):
    receive(user, competition, "Rita", "a.py", PROGRAM)
    setattr(settings, setting, 0)
    with pytest.raises(Refused, match=words):
        receive(User.objects.create_user("bob"), competition, "Tilo", "a.py", PROGRAM)


def test_a_build_that_is_too_big_for_its_account_is_rejected_and_leaves_nothing(
    user, competition, sandbox, settings
):
    submission = receive(user, competition, "Rita", "a.py", PROGRAM)
    settings.AGON_ACCOUNT_MIB = 0
    assert build_next(sandbox)
    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    assert "Your bots use 0 of the 0 MiB" in str(submission.reason)
    assert stored("artifacts") == []


def test_a_later_upload_takes_no_room_from_the_build_of_one_before(user, competition, sandbox, settings):
    """An author could have the last upload before a deadline rejected, so that another one counts."""
    settings.AGON_ACCOUNT_MIB = 1
    submission = receive(user, competition, "Rita", "a.py", PROGRAM)
    receive(user, competition, "Sina", "a.py", PROGRAM + b"#" * (MIB - 100))
    assert build_next(sandbox)
    submission.refresh_from_db()
    assert submission.state == State.QUALIFYING, submission.reason


def test_a_build_for_which_the_site_has_no_room_waits(user, competition, sandbox, settings):
    submission = receive(user, competition, "Rita", "a.py", PROGRAM)
    settings.AGON_SITE_MIB = 0
    assert build_next(sandbox)
    submission.refresh_from_db()
    assert submission.state == State.RECEIVED
    assert "This site has no storage left for more bots" in str(submission.reason)
    assert stored("artifacts") == []

    settings.AGON_SITE_MIB = 100
    Submission.objects.update(lease_until=None)
    assert build_next(sandbox)
    submission.refresh_from_db()
    assert submission.state == State.QUALIFYING


@pytest.fixture
def disk(tmp_path):
    """A disk of 8 MiB."""
    with small_disk(tmp_path / "disk", "size=8m") as folder:
        yield folder


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    return ballast


def test_a_full_disk_refuses_uploads_keeps_matches_waiting_and_goes_on_by_itself(
    user, competition, settings, disk, admin_client, client
):
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "agon.site.core.storage.WholeFiles",
            "OPTIONS": {"location": disk / "media"},
        }
    }
    settings.MEDIA_ROOT = disk / "media"
    settings.AGON_FREE_MIB = 2
    match = qualification.start(submit(user, competition, state=State.BUILT))
    assert "nearly full" not in admin_client.get("/").content.decode()

    ballast = fill(disk)
    with pytest.raises(Refused, match="This site's disk is nearly full"):
        receive(user, competition, "Rita", "a.py", PROGRAM)
    play_waiting("interactive")
    match.refresh_from_db()
    assert (match.state, match.attempt) == (MatchState.QUEUED, 0)
    notice = f"The disk that holds {disk}"
    assert notice in admin_client.get("/").content.decode()
    assert notice in admin_client.get("/admin/").content.decode()
    assert notice not in client.get("/").content.decode()

    ballast.unlink()
    assert disk_space.shortage() is None
    receive(user, competition, "Rita", "a.py", PROGRAM)
    assert notice not in admin_client.get("/").content.decode()


def test_a_database_that_has_grown_too_large_refuses_uploads_and_keeps_matches_waiting(
    user, competition, settings, admin_client, client, monkeypatch
):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite's file is on the site's own disk")
    monkeypatch.setattr(database_size, "FRESH", 0.0)
    match = qualification.start(submit(user, competition, state=State.BUILT))
    notice = "at most 1 MiB are allowed (AGON_DATABASE_MIB)"
    assert notice not in admin_client.get("/").content.decode()

    settings.AGON_DATABASE_MIB = 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    assert f"The database has {size >> 20} MiB, at most 1 MiB are allowed" in str(disk_space.shortage())
    with pytest.raises(Refused, match="This site's disk is nearly full"):
        receive(user, competition, "Rita", "a.py", PROGRAM)
    play_waiting("interactive")
    match.refresh_from_db()
    assert (match.state, match.attempt) == (MatchState.QUEUED, 0)
    assert notice in admin_client.get("/").content.decode()
    assert notice in admin_client.get("/admin/").content.decode()
    assert notice not in client.get("/").content.decode()

    settings.AGON_DATABASE_MIB = 65_536
    receive(user, competition, "Rita", "a.py", PROGRAM)


def test_a_disk_that_fills_while_a_file_is_written_keeps_nothing_of_it(user, competition, settings, disk):
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "agon.site.core.storage.WholeFiles",
            "OPTIONS": {"location": disk / "media"},
        }
    }
    settings.AGON_FREE_MIB = 0
    ballast = fill(disk)
    with open(ballast, "r+b") as file:
        file.truncate(ballast.stat().st_size - (1 << 17))
    with pytest.raises(OSError, match="No space left") as raised:
        receive(user, competition, "Rita", "a.py", PROGRAM + b"#" * (1 << 18))
    assert disk_space.is_full(raised.value)
    assert not Submission.objects.exists()
    assert [path for path in disk.rglob("*") if path.is_file()] == [ballast]


def test_a_message_that_does_not_fit_on_the_disk_leaves_nothing(disk):
    channel = SimpleNamespace(data_folder_out=str(disk))
    ballast = fill(disk)
    with pytest.raises(OSError, match="No space left"):
        broker.Channel._put(channel, "build", {"text": "x" * 100_000})
    assert list(disk.iterdir()) == [ballast]


def test_a_file_is_never_written_over():
    first = default_storage.save("a/file", ContentFile(b"first"))
    second = default_storage.save("a/file", ContentFile(b"second"))
    assert first != second
    assert Path(default_storage.path(first)).read_bytes() == b"first"
    assert Path(default_storage.path(second)).read_bytes() == b"second"


@pytest.mark.django_db(transaction=True)
def test_a_page_that_the_database_has_no_room_for_says_so(client, settings):
    """SQLite's own limit on pages gives the error of a full disk."""
    settings.ACCOUNT_RATE_LIMITS = {"signup": None}
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps its files elsewhere")
    words = "correct horse battery"
    form = {"username": "ada", "password1": words, "password2": words}
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count")
        (most,) = cursor.fetchone()
        cursor.execute("CREATE TABLE ballast (bytes BLOB)")
        cursor.execute("PRAGMA max_page_count = 1")
        try:
            for size in (4000, 1000, 100, 10):
                with suppress(OperationalError):
                    while True:
                        cursor.execute("INSERT INTO ballast VALUES (randomblob(%s))", [size])
            pages = [
                Client(raise_request_exception=False).post("/accounts/signup/", form | {"username": f"u{n}"})
                for n in range(40)
            ]
        finally:
            cursor.execute(f"PRAGMA max_page_count = {most}")
            cursor.execute("DROP TABLE ballast")
    page = pages[-1]
    assert page.status_code == 503
    assert "This site’s disk is full" in page.content.decode()
    assert page.headers["Retry-After"]
    assert client.post("/accounts/signup/", form).status_code == 302
