"""What the processes of a site import when they start, which every site pays for at every start."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest

from agon.supervisor import consumer

WORKER = """
import sys
from agon.supervisor import consumer
consumer.app.loader.init_worker()
assert "agon.site.workers.tasks.play" in consumer.app.tasks
print(*sys.modules)
"""
SCHEDULER = """
import sys
from agon.supervisor import consumer
consumer.Scheduler(app=consumer.app, **consumer.QUIET).init_loader()
assert consumer.app.conf.beat_schedule
print(*sys.modules)
"""


def imported(code: str) -> set[str]:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "CELERY_SKIP_CHECKS": "true",
    }
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_a_worker_imports_neither_pages_nor_what_it_seldom_needs() -> None:
    assert imported(WORKER).isdisjoint({"PIL", "docker", "markdown_it", "numpy", "prompt_toolkit"})


def test_the_scheduler_imports_no_apps() -> None:
    assert imported(SCHEDULER).isdisjoint(
        {"agon.site.matches", "agon.site.workers", "numpy", "prompt_toolkit"}
    )


@pytest.mark.parametrize("words", [[], ["worker"], ["worker", "one"], ["schedular"], ["scheduler", "two"]])
def test_words_that_name_no_process_start_none(words: list[str]) -> None:
    """A second scheduler, least of all."""
    command = [sys.executable, "-m", "agon.supervisor.consumer", *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    said = f"expected: worker NAME QUEUES, or: scheduler; got: {' '.join(words) or 'nothing'}\n"
    assert (run.returncode, run.stdout, run.stderr) == (2, "", said)


def test_a_clock_that_was_put_back_does_not_stop_the_scheduler() -> None:
    """As that of a machine whose wrong time at the start is corrected later."""
    schedule = consumer.WatchedSchedule(app=consumer.app, schedule={}, lazy=True)
    task = {"task": "agon.site.workers.tasks.sweep", "schedule": 3.0, "args": ()}
    schedule.merge_inplace({"a task": task})
    schedule.schedule["a task"].last_run_at = consumer.app.now() + timedelta(hours=1)  # by the clock before
    assert schedule.tick() <= 3.0
