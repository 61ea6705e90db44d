"""Builds in a box of their own, in both backends."""

import os
import signal
import tempfile
import time

import pytest

from sandbox.api import Limits, SandboxError
from sandbox.boxes.runs import Runs
from sandbox.reason_texts import english
from tests.support.boxes import agents, children, is_first
from tests.support.cpu_load import busy_processor, if_alone
from tests.support.small_disk import small_disk

LIMITS = Limits(memory_mib=256, processes=32, work_mib=32)


@pytest.fixture
def build(sandbox, tmp_path):
    """build(script, seconds): run a shell script on a folder holding input.txt; (run, result folder)."""

    def make(script, seconds=60.0, limits=LIMITS):
        source = tmp_path / "source"
        source.mkdir()
        (source / "input.txt").write_text("given")
        (source / "build.sh").write_text(script)
        result = tmp_path / "result"
        run = sandbox.build(source, [["sh", "build.sh"]], limits, seconds, result)
        assert sorted(path.name for path in source.iterdir()) == ["build.sh", "input.txt"], "a copy is built"
        return run, result

    return make


def test_a_build_gives_its_files_with_their_executable_bits(build):
    run, result = build(
        "mkdir sub; cat input.txt > sub/out; printf 'x' > run; chmod +x run; echo fine; echo bad >&2"
    )
    assert run.ok
    assert run.log == "$ sh build.sh\nfine\nbad\n"
    assert (result / "sub" / "out").read_text() == "given"
    assert os.access(result / "run", os.X_OK)
    assert not os.access(result / "sub" / "out", os.X_OK)


def test_a_step_that_fails_ends_the_build_and_says_how(build):
    run, result = build("echo before; exit 3")
    assert (run.ok, english(run.reason)) == (False, "sh build.sh: exited with status 3")
    assert "before" in run.log
    assert not result.exists()


def test_a_result_for_which_the_host_has_no_room_is_not_the_builds_fault(build, tmp_path, monkeypatch):
    with small_disk(tmp_path / "disk", "size=1m,mode=1777") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(SandboxError, match="No space left on device"):
            build("head -c 3000000 /dev/zero > large")


def test_steps_are_run_in_order_until_one_fails(sandbox, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    run = sandbox.build(
        source, [["echo", "1"], ["nothing-of-this-name"], ["echo", "3"]], LIMITS, 60.0, tmp_path / "r"
    )
    assert english(run.reason) == "nothing-of-this-name: could not be started: No such file or directory"
    assert run.log == "$ echo 1\n1\n$ nothing-of-this-name\n"


def test_while_a_build_waits_its_worker_does(build):
    before = time.thread_time()
    run, _ = build("sleep 2")
    assert run.ok
    assert time.thread_time() - before < 0.2


def test_an_endless_build_is_stopped(build):
    run, _ = build("sleep 1000", seconds=0.3)
    assert english(run.reason) == "sh build.sh: took too long and was stopped"
    assert run.seconds < if_alone(3)


def test_a_build_that_prints_without_end_is_stopped_and_its_log_kept_within_bounds(build):
    run, _ = build("echo first; head -c 300000000 /dev/zero | tr '\\0' 'x'; echo; echo last")
    assert english(run.reason) == "sh build.sh: printed more than 1 MiB and was stopped"
    assert run.log.startswith("$ sh build.sh\nfirst\nxxx")
    assert len(run.log) < 150_000


def test_links_devices_and_pipes_do_not_come_out(build):
    run, result = build("ln -s /etc/passwd link; mkfifo pipe; ln input.txt hard; mkdir empty")
    assert run.ok
    assert sorted(path.name for path in result.iterdir()) == ["build.sh", "empty", "hard", "input.txt"]


def test_too_many_files_are_refused(build):
    run, result = build(
        "mkdir d; cd d; seq 1 4000 | xargs touch; mkdir ../e; cd ../e; seq 1 200 | xargs touch"
    )
    assert not run.ok
    assert not result.exists() or not any(result.iterdir())


def test_a_sparse_giant_is_refused(build):
    run, _ = build("truncate -s 1000000000000 big || dd if=/dev/zero of=big bs=1 count=0 seek=1T")
    assert not run.ok


def test_a_build_that_needs_too_much_memory_fails_for_that(build):
    run, _ = build("python3 -c 'x = b\"x\" * (1 << 30)'")
    assert not run.ok
    assert "memory" in english(run.reason)


def test_processes_left_by_a_step_are_gone_before_the_next(sandbox, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    left = "(setsid sh -c 'sleep 1000' >/dev/null 2>&1 &) ; until grep -x sleep /proc/[0-9]*/comm; do :; done"
    look = "grep -x sleep /proc/[0-9]*/comm 2>/dev/null || echo gone"
    run = sandbox.build(source, [["sh", "-c", left], ["sh", "-c", look]], LIMITS, 60.0, tmp_path / "r")
    assert run.ok, run.log
    assert run.log.splitlines()[-1] == "gone"


def test_a_build_that_ends_what_runs_its_steps_has_failed(build, sandbox, monkeypatch):
    """However that happened: only the build's own processes can have done it."""

    def end_spawner_first(runs, most_files, most_bytes):
        (agent,) = agents(sandbox)
        for pid in children(agent):
            if not is_first(pid):
                os.kill(pid, signal.SIGKILL)
        return pack(runs, most_files, most_bytes)

    pack = Runs.pack
    monkeypatch.setattr(Runs, "pack", end_spawner_first)
    run, result = build("echo done")
    assert (run.ok, english(run.reason)) == (False, "ended the process that runs its steps")
    assert not result.exists()


@pytest.mark.serial
@pytest.mark.one_core
def test_the_steps_of_a_build_are_not_charged_for_what_others_do(sandbox, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    work = "import time\nwhile time.process_time() < 0.1: pass"
    with busy_processor(3):
        run = sandbox.build(source, [["python3", "-c", work]] * 2, LIMITS, 0.6, tmp_path / "result")
    assert run.ok, run
    assert run.seconds > 0.6, "the machine was not busy"


def test_a_result_with_a_path_that_is_too_long_here_is_the_authors_fault(sandbox, tmp_path):
    """Paths in a box begin with a shorter folder than those of a store."""
    source = tmp_path / "source"
    source.mkdir()
    make = "import os; os.makedirs('/'.join(['\U0001f600' * 61] * 16))"
    run = sandbox.build(source, [["python3", "-c", make]], LIMITS, 60.0, tmp_path / ("r" * 200))
    assert (run.ok, run.reason.code) == (False, "result_bad"), run
