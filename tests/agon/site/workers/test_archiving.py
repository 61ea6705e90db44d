"""Archives are made, and days of the chain closed, by a worker that builds, soon after they are due."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.archives.models import Day, Download
from agon.site.core import disk_space
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import services
from agon.site.workers import archiving
from agon.site.workers.worker import worker
from tests.support.factories import activate, played

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch):
    """The tasks that were sent."""
    tasks = []
    monkeypatch.setattr(archiving.app, "send_task", lambda name, **how: tasks.append((name, how["queue"])))
    return tasks


@pytest.fixture
def over(user, competition):
    """A tournament that is over, and a match of the day before yesterday."""
    four = activate(user, competition, ["a", "b", "c", "d"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four)
    match = leases.claim("w")
    assert leases.finish(match, played(match))
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(days=2))
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 7, [submission.bot for submission in four]
    )
    services.start(cup)
    services.cancel(cup)
    return cup


def test_what_is_due_is_done_once_by_a_worker_that_builds(over, sent, monkeypatch):
    archiving.send_if_due()
    assert sent == [("agon.site.workers.tasks.archive", "archives")]
    archiving.catch_up()
    assert set(over.downloads.values_list("kind", flat=True)) == {"archive", "csv", "jsonl", "parquet"}
    assert Day.objects.exists()
    archiving.send_if_due()
    assert len(sent) == 1


def test_a_disk_that_is_full_keeps_it_waiting(over, sent, monkeypatch):
    monkeypatch.setattr(disk_space, "shortage", lambda: "no room")
    archiving.send_if_due()
    archiving.catch_up()
    assert (sent, Download.objects.count(), Day.objects.count()) == ([], 0, 0)


@pytest.mark.docker
def test_the_environment_of_a_docker_sandbox_names_its_images_by_digest(monkeypatch):
    monkeypatch.setenv("AGON_SANDBOX", "docker")
    worker.close()
    try:
        environment = worker.environment()
    finally:
        worker.close()
    assert environment["sandbox"] == "docker"
    assert "sha256:" in environment["images"]["core"]


def test_that_of_bubblewrap_has_none(monkeypatch):
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    worker.close()
    try:
        environment = worker.environment()
    finally:
        worker.close()
    assert (environment["sandbox"], environment["images"]) == ("bubblewrap", {})
    assert {"agon", "python", "linux"} < set(environment)
