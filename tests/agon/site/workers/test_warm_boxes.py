"""A worker's boxes stay warm between its tasks, and are closed when it has had nothing to do for a while."""

import threading

import pytest

from agon.site.workers import worker
from agon.site.workers.worker import Worker


@pytest.fixture
def idle(monkeypatch):
    """Set as soon as a worker is idle."""
    event = threading.Event()
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(Worker, "on_idle", lambda self: event.set())
    return event


def test_boxes_are_closed_some_time_after_a_task(idle):
    with Worker().using_boxes():
        assert not idle.wait(0.1)
    assert idle.wait(60)


def test_and_after_a_task_that_failed(idle):
    with pytest.raises(ZeroDivisionError), Worker().using_boxes():
        _ = 1 / 0
    assert idle.wait(5)
