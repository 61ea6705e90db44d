"""The same upload is built once, by any user, packed in any format."""

import io
import zipfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.bots.sources import source_of
from agon.site.bots.states import State
from agon.site.workers import building
from agon.site.workers.building import build_next
from sandbox.backends import open_sandbox
from sandbox.building.build import build

PROGRAM = (Path(__file__).parents[3] / "bots" / "samurai" / "good.c").read_bytes()


@pytest.fixture
def sandbox():
    with closing(open_sandbox("bubblewrap")) as opened:
        yield opened


def forbid_builds(artifacts: Path) -> None:
    """Every build begins in the folder tmp/ of the artifacts: with a file in its place each would fail."""
    (artifacts / "tmp").rmdir()
    (artifacts / "tmp").write_text("")


@pytest.mark.compilers
def test_an_upload_that_was_built_before_is_not_built_again(user, competition, sandbox, settings):
    first = receive(user, competition, "Rita", "good.c", PROGRAM)
    assert build_next(sandbox)
    forbid_builds(settings.AGON_ARTIFACTS)

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("good.c", PROGRAM)
    second = receive(user, competition, "Sina", "another.zip", packed.getvalue())
    assert build_next(sandbox)
    for submission in (first, second):
        submission.refresh_from_db()
        assert submission.state != State.RECEIVED, submission.build_log
        assert submission.artifact
    assert second.artifact_digest == first.artifact_digest
    assert second.build_log == first.build_log

    changed = receive(user, competition, "Tilo", "good.c", PROGRAM + b"/* changed */\n")
    assert build_next(sandbox)
    assert (
        Submission.objects.get(pk=changed.pk).state == State.RECEIVED
    )  # to be tried again: it must be built


def test_a_build_whose_worker_was_given_up_leaves_nothing_in_the_storage(
    user, competition, sandbox, settings
):
    """It took longer than its lease: another worker builds it, and its artifact counts."""
    submission = receive(user, competition, "Rita", "good.py", b"print('READY')\n")
    slow = building.claim()
    built = build(source_of(slow), sandbox, settings.AGON_ARTIFACTS)
    Submission.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    building.give_back_expired()
    Submission.objects.update(lease_until=None)
    assert build_next(sandbox)

    assert not building.finish(slow, built)

    submission.refresh_from_db()
    kept = [path for path in Path(default_storage.path("artifacts")).rglob("*") if path.is_file()]
    assert kept == [Path(submission.artifact.path)]
