import os
import shutil
import signal
import time

import pytest

from agon.supervisor.supervisor import GRACE
from tests.support.cpu_load import if_alone

from .conftest import STUBBORN, WEB, WORKER, eventually

pytestmark = pytest.mark.slow


@pytest.mark.first(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_and_leaves_no_process_behind(site, number):
    running = site(web=WEB, worker=WORKER)
    running.wait_until_ready()
    running.process.send_signal(number)
    assert running.process.wait(timeout=60) == 0
    assert running.processes() == []


def test_what_ignores_the_request_to_stop_is_killed_with_all_it_left_behind(site):
    running = site(web=WEB, stubborn=STUBBORN)
    running.wait_until_ready()
    eventually(lambda: len(running.processes()) == 4)
    asked = time.monotonic()
    running.process.terminate()
    assert running.process.wait(timeout=60) == 0
    assert time.monotonic() - asked < if_alone(GRACE + 2)
    assert running.processes() == []


def test_children_do_not_outlive_a_supervisor_that_is_killed(site):
    running = site(web=WEB, worker=WORKER)
    running.wait_until_ready()
    running.process.kill()
    running.process.wait()
    eventually(lambda: running.processes() == [])


@pytest.mark.first(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_for_make_alone_stops_the_site_too(site, number):
    running = site(under_make=True, web=WEB, worker=WORKER)
    running.wait_until_ready()
    running.process.send_signal(number)
    assert running.process.wait(timeout=60) == -number
    eventually(lambda: running.processes() == [])


def test_a_make_in_the_background_of_a_script_is_not_taken_for_an_interrupted_one(site):
    running = site(under_make=True, ignoring_interrupts=True, web=WEB, tick="print('tick')")
    running.wait_until_ready()
    eventually(lambda: running.log("tick").count("tick") >= 3)
    assert running.process.poll() is None
    running.process.terminate()
    assert running.process.wait(timeout=60) == -signal.SIGTERM


def test_a_child_that_ends_is_started_again_and_less_and_less_often(site):
    running = site(web=WEB, mayfly="import time; print(time.monotonic())")
    running.wait_until_ready()
    eventually(lambda: len(running.log("mayfly").splitlines()) >= 4)
    first, second, third, fourth = map(float, running.log("mayfly").splitlines()[:4])
    assert third - second >= 1
    assert fourth - third >= 2
    assert fourth - third > third - second > second - first


def test_a_killed_child_is_replaced_and_the_terminal_says_so(site):
    running = site(web=WEB, worker="import os, signal; print(os.getpid()); signal.pause()")
    running.wait_until_ready()
    eventually(lambda: running.log("worker").count("\n") == 1)
    os.kill(int(running.log("worker")), signal.SIGKILL)
    eventually(lambda: running.log("worker").count("\n") == 2)
    running.process.terminate()
    _, said = running.process.communicate(timeout=60)
    assert "worker was ended by SIGKILL" in said


@pytest.mark.parametrize("in_the_way", [False, True], ids=["removed", "cannot be made again"])
def test_a_killed_child_is_replaced_also_if_the_folder_of_logs_is_gone(site, tmp_path, in_the_way):
    pids = tmp_path.with_suffix(".pids")
    says_its_pid = f"import os, signal; print(os.getpid(), file=open({str(pids)!r}, 'a')); signal.pause()"
    running = site(web=WEB, worker=says_its_pid)
    running.wait_until_ready()
    eventually(lambda: pids.exists() and pids.read_text().count("\n") == 1)
    shutil.rmtree(tmp_path)
    if in_the_way:
        tmp_path.touch()
    os.kill(int(pids.read_text()), signal.SIGKILL)
    eventually(lambda: pids.read_text().count("\n") == 2, seconds=20)
    assert tmp_path.is_dir() != in_the_way
    running.process.terminate()
    assert running.process.wait(timeout=60) == 0


def test_a_disk_that_cannot_be_looked_at_ends_nothing_and_the_terminal_says_so(site, monkeypatch):
    monkeypatch.setenv("AGON_TEST_SHORTAGE", "lambda: os.statvfs('/proc/0')")
    running = site(web=WEB, tick="print('tick')")
    running.wait_until_ready()
    eventually(lambda: running.log("tick").count("tick") >= 3)
    running.process.terminate()
    _, said = running.process.communicate(timeout=60)
    assert running.process.returncode == 0
    assert said.count("The disk of the site's data cannot be looked at: ") == 1


def test_what_a_dead_child_left_behind_is_killed_while_the_site_goes_on(site):
    left_behind = (
        "import os, sys; print(os.getpid()); os.fork() and sys.exit(); import signal; signal.pause()"
    )
    running = site(web=WEB, worker=left_behind)
    running.wait_until_ready()
    eventually(lambda: running.log("worker").count("\n") >= 2)
    # The supervisor, the web server, and no more than the latest worker with what it leaves behind.
    eventually(lambda: len(running.processes()) <= 4)
    assert running.process.poll() is None


def test_a_web_server_that_cannot_start_is_reported_with_its_last_words(site):
    running = site(web="print('something before'); raise SystemExit('no such table: bots')", worker=WORKER)
    _, said = running.process.communicate(timeout=60)
    assert running.process.returncode == 1
    assert "no such table: bots" in said
    assert len(said.splitlines()) == 1
    assert running.processes() == []
