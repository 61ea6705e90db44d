"""An engine that is stopped or killed, whatever was going on: no bot is blamed, and nothing is left of it."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.fleet.models import LoggedError, Process, Total
from agon.site.matches.models import Fault, Match
from agon.site.matches.states import State as MatchState
from agon.site.workers import building
from agon.site.workers.worker import worker as own_worker
from sandbox.backends import open_sandbox
from sandbox.leftovers import this_process
from tests.support.engine import Engine
from tests.support.processes import Workers, until
from tests.support.traces import bots, snapshot

from .test_workers import SLOW, closed, entered, queue, states

__all__ = ["closed"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start an engine"),
]


@pytest.fixture(scope="module")
def engine():
    folder = Path(tempfile.mkdtemp(prefix="agon-engine-"))
    engine = Engine(folder)
    engine.start()
    engine.load_image()
    yield engine
    engine.end(signal.SIGTERM)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def at_that_engine(engine, monkeypatch, tmp_path):
    """Workers play with it, and put what is for a while only into a folder of this test."""
    short = engine.folder / "tmp"  # the path of a socket must not be long
    short.mkdir(exist_ok=True)
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    monkeypatch.setenv("AGON_SANDBOX", "docker")
    monkeypatch.setenv("AGON_SANDBOX_SOCKETS", str(short))
    monkeypatch.setenv("TMPDIR", str(short))
    return short


@pytest.fixture
def sandbox(at_that_engine):
    own_worker.close()  # another test may have left it with the other sandbox
    opened = open_sandbox("docker")
    yield opened
    opened.close()
    own_worker.close()


@pytest.fixture
def four(user, competition, sandbox):
    """So slow that an engine can be ended before a match is over, on a busy machine, too."""
    names = ["north", "east", "south", "west"]
    return entered(user, competition, names, sandbox, SLOW.replace("sleep(0.1)", "sleep(0.2)"))


@pytest.fixture(scope="module")
def scheduler(engine, django_db_setup, django_db_blocker, tmp_path_factory):
    """Has what dead workers held swept; for all tests, since it knows no engine and no files."""
    with django_db_blocker.unblock():
        running = Workers(tmp_path_factory.mktemp("scheduler"))
        running.scheduler()
    yield
    running.stop_all()
    with django_db_blocker.unblock():  # what it wrote at its end, after the last test was cleared away
        for model in (Process, Total, LoggedError):
            model.objects.all().delete()


@pytest.fixture
def workers(tmp_path, engine, at_that_engine, scheduler):
    """What was there before they were started is there when they have stopped, and nothing else."""
    before = snapshot(engine, at_that_engine, [])
    running = Workers(tmp_path)
    yield running
    running.stop_all()
    pids = [worker.pid for worker in running.started]
    assert swept(lambda: snapshot(engine, at_that_engine, pids), before) == before


def swept(look: Callable[[], object], expected: object) -> object:
    """What there is once it is as expected, or after a minute.

    An engine that was killed may keep a container whose worker has stopped: the next worker removes it.
    """
    deadline = time.monotonic() + 60
    with closing(open_sandbox("docker")) as sandbox:
        while (there := look()) != expected and time.monotonic() < deadline:
            sandbox.remove_leftovers()
            time.sleep(0.05)
    return there


def test_a_match_during_which_the_engine_ended_is_played_again(four, closed, workers, engine):
    matches = queue(closed, four, 2)
    workers.worker("interactive,bulk")
    for number in (signal.SIGTERM, signal.SIGKILL):
        until(lambda: len(bots()) == 4, 60, workers)
        engine.restart(number)

    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)
    assert sum(Match.objects.values_list("attempt", flat=True)) == 2 + 2
    assert not Fault.objects.exists()


@pytest.mark.exhaustive
def test_an_engine_that_dies_while_boxes_are_opened_costs_one_attempt(four, closed, workers, engine):
    matches = queue(closed, four, 2)
    there = engine.containers()
    workers.worker("interactive,bulk")
    until(lambda: engine.containers() - there, 60, workers)

    engine.restart(signal.SIGKILL)

    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)
    assert sorted(Match.objects.values_list("attempt", flat=True)) == [1, 2]
    assert not Fault.objects.exists()


@pytest.mark.exhaustive
def test_boxes_that_were_warm_when_the_engine_ended_cost_no_attempt(four, closed, workers, engine):
    first, second = queue(closed, four), queue(closed, four)
    Match.objects.filter(pk=second[0].pk).update(state=MatchState.HELD)
    workers.worker("interactive,bulk")
    until(lambda: states(first) == {MatchState.FINISHED}, 60, workers)
    assert len(engine.containers()) == 4

    engine.restart(signal.SIGTERM)
    Match.objects.filter(pk=second[0].pk).update(state=MatchState.QUEUED)

    until(lambda: states(second) == {MatchState.FINISHED}, 120, workers)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


@pytest.mark.exhaustive
def test_the_command_line_waits_for_an_engine_that_is_started_again(engine, at_that_engine, tmp_path):
    """A killed engine leaves its containers to play on: they are killed, too, before there is another one."""
    slow = tmp_path / "slow.py"
    slow.write_text(SLOW)
    command = [
        sys.executable,
        "-m",
        "agon",
        "play",
        "samurai",
        *[str(slow)] * 4,
        "--matches",
        "3",
        "--json",
    ]
    before = engine.containers()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(tmp_path)}
    tmp_path.chmod(0o755)
    with subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True) as playing:
        deadline = time.monotonic() + 60
        while len(bots()) < 4:
            assert playing.poll() is None, playing.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        agents = engine.agents()
        engine.end(signal.SIGKILL)
        for agent in agents:
            os.kill(agent, signal.SIGKILL)
        engine.start()
        out, err = playing.communicate(timeout=120)
    assert (playing.returncode, re.sub(r"\(.*\)", "()", err)) == (
        0,
        "agon: the sandbox is failing (): retrying for up to 30 s\n",
    )
    assert [match["faults"] for match in json.loads(out)["matches"]] == [[]] * 3
    assert swept(engine.containers, before) == before


@pytest.mark.exhaustive
def test_a_build_during_which_the_engine_was_stopped_is_made_again(
    user, competition, sandbox, workers, engine
):
    files = {"compile.sh": "sleep 5\necho made > made\n", "run.sh": "read line; echo $line\n"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    submission = receive(user, competition, "Rita", "rita.zip", packed.getvalue())
    stopping = threading.Thread(target=stop_during_a_build, args=(engine, workers))
    stopping.start()

    building.build_next(sandbox)

    stopping.join()
    engine.start()
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == (State.RECEIVED, 1)
    Submission.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    building.build_next(sandbox)
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == (State.QUALIFYING, 2), submission.build_log


def stop_during_a_build(engine, workers):
    until(lambda: bots(named="sleep"), 60, workers)
    engine.end(signal.SIGTERM)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "processes"), [("docker", 4), ("bubblewrap", 16)])
def test_a_worker_killed_in_the_middle_of_a_match_leaves_nothing(
    user, competition, workers, at_that_engine, monkeypatch, request, name, processes
):
    """processes: of uids of their own; bubblewrap's own, the agents have one as well."""
    monkeypatch.setenv("AGON_SANDBOX", name)
    sandbox = open_sandbox(name)
    entrants = entered(user, competition, ["north", "east", "south", "west"], sandbox)
    sandbox.close()
    matches = queue(request.getfixturevalue("closed"), entrants)
    doomed = workers.worker("interactive,bulk")
    until(lambda: len(bots()) >= processes, 60, workers)

    doomed.send_signal(signal.SIGKILL)
    doomed.wait()
    namespace, boot = this_process().split("-")[2:]
    (at_that_engine / f"agon-{doomed.pid}-1-{namespace}-{boot}-x").mkdir()  # as if it had been opening a box

    Match.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    workers.worker("interactive,bulk")
    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)
    assert Match.objects.get().attempt == 2
    assert not Fault.objects.exists()
