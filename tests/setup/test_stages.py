"""How `make test` carries out its steps: all of them, whatever fails, and with output that can be read."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))  # for what it imports
SPEC = importlib.util.spec_from_file_location("make_test", SCRIPTS / "test.py")
make_test = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_test)

EVERYTHING = {
    "AGON_TEST_POSTGRES_URL": "postgres://p/a",
    "AGON_TEST_REDIS_URL": "redis://r/0",
    "DOCKER_HOST": "d",
}
ALL = make_test.Scope(make_test.families(), make_test.LEFT_OUT["all"])
USUAL = make_test.Scope(make_test.families()[:1], make_test.LEFT_OUT[""])


def step(name, code):
    return make_test.Step(name, [sys.executable, "-u", "-c", code], {"STEP": name})


def test_steps_side_by_side_are_printed_whole_and_those_that_failed_are_named(capfd, tmp_path):
    """Each waits for the other, so they do run at once."""
    meet = "import os, time\nmine, other = {}\nprint(os.environ['STEP'], 'begins')\nopen(mine, 'w')\n"
    meet += "while not os.path.exists(other): time.sleep(0.01)\nprint('and ends')\nraise SystemExit({})"
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    steps = [step("good", meet.format((a, b), 0)), step("bad", meet.format((b, a), 1))]

    assert make_test.run(steps, tmp_path) == ["bad"]

    said = capfd.readouterr().out
    assert "good begins\nand ends\n--- good: passed in " in said
    assert "bad begins\nand ends\n--- bad: FAILED in " in said


def test_a_silent_step_is_printed_only_if_it_failed(capfd, tmp_path):
    steps = [
        step(name, f"print('of', {name!r}); raise SystemExit({name == 'bad'})") for name in ("good", "bad")
    ]
    assert make_test.run([a_step._replace(silent=True) for a_step in steps], tmp_path) == ["bad"]
    assert re.findall("^of .*", capfd.readouterr().out, re.M) == ["of bad"]


def test_files_are_kept_in_memory_where_there_is_enough(monkeypatch, tmp_path):
    monkeypatch.setattr(make_test, "SHARED_MEMORY", tmp_path)
    monkeypatch.setattr(make_test, "ENOUGH_MEMORY", 1)
    assert make_test.memory() == tmp_path
    monkeypatch.setattr(make_test, "ENOUGH_MEMORY", 1 << 60)
    assert make_test.memory() is None
    monkeypatch.setattr(make_test, "ENOUGH_MEMORY", 1)
    monkeypatch.setattr(make_test, "SHARED_MEMORY", tmp_path / "none")
    assert make_test.memory() is None


def test_what_runs_is_ended_when_the_run_is(tmp_path):
    """As CI ends it, with a signal to the one process."""
    code = "import signal, sys; sys.path.insert(0, sys.argv[1]); import test as t\n"
    # What a shell starts in the background ignores Ctrl-C, and so would the two that sleep.
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))\n"
    code += "sleep = lambda n: t.Step(n, ['sh', '-c', f'echo $$ > {sys.argv[2]}/{n}; exec sleep 600'], {})\n"
    code += "from pathlib import Path\ntry: t.run([sleep('one'), sleep('two')], Path(sys.argv[2]))\n"
    code += "finally: t.kill_descendants()"  # as main does
    running = subprocess.Popen([sys.executable, "-c", code, SCRIPTS, tmp_path], stdout=subprocess.DEVNULL)
    pids = []
    while len(pids) < 2:
        assert running.poll() is None
        pids = [int(text) for name in ("one", "two") if (text := read(tmp_path / name))]
    running.send_signal(signal.SIGTERM)
    assert running.wait(60) == 1
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def read(path):
    return path.read_text() if path.exists() else ""


def test_every_test_is_in_one_stage_and_those_of_production_in_two():
    first, *others = make_test.stages(EVERYTHING, ALL)
    assert [first_step.name for first_step in first] == [
        "sandbox images",
        "lint",
        "compiling the tests",
        "tests with PostgreSQL and Redis",
    ]
    assert first[3].environment["DATABASE_URL"] == "postgres://p/a"
    assert [marks(a_step) for a_step in (first[3], *(step for [step] in others))] == [
        "(production and not serial)",
        "(not serial)",
        "(serial and one_core)",
        "(serial and not one_core)",
    ]
    assert [step.environment.get("AGON_TEST_ONE_CORE") for [step] in others] == [None, "1", None]


def test_long_runs_are_left_to_ci_and_sqlite_for_what_runs_with_postgresql_to_test_all():
    _, [tests], *_ = make_test.stages(EVERYTHING, USUAL)
    usual = "(not serial and not production) and not exhaustive and not minutes and not languages"
    assert marks(tests) == usual
    _, [tests], *_ = make_test.stages(EVERYTHING, USUAL._replace(left_out=make_test.LEFT_OUT["ci"]))
    assert marks(tests) == "(not serial and not production) and not minutes and not languages"
    assert [make_test.Scope((), make_test.LEFT_OUT[name]).profile for name in ("", "ci", "all")] == [
        "unhurried",
        "long",
        "thorough",
    ]


def test_of_every_language_and_long_runs_ci_has_one():
    with_languages, without = (make_test.scope_of("ci", every) for every in (True, False))
    assert with_languages == (make_test.families(), make_test.LEFT_OUT[""])
    assert without == (make_test.families()[:1], make_test.LEFT_OUT["ci"])
    assert make_test.scope_of("all", True) == (make_test.families(), ())


def test_without_services_there_is_still_lint_and_tests():
    stages = make_test.stages({}, USUAL)
    assert [[a_step.name for a_step in steps] for steps in stages] == [
        ["lint", "compiling the tests"],
        ["tests"],
        ["serial tests, one on each core"],
        ["serial tests"],
    ]
    assert marks(stages[1][0]) == "(not serial) and not exhaustive and not minutes and not languages"


def marks(step):
    *_, last = [place for place, word in enumerate(step.command) if word == "-m"]
    return step.command[last + 1]


def collected(*arguments, long_runs="1/1"):
    """The ids of tests in two files of the sandbox, those left out of `make test` not among them."""
    files = [f"tests/sandbox/{name}.py" for name in ("test_program", "test_quick_answers")]
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", *arguments, *files]
    environment = os.environ | {"AGON_TEST_LONG_RUNS": long_runs}
    asked = subprocess.run(
        command, cwd=SCRIPTS.parent, env=environment, capture_output=True, text=True, check=True
    )
    return [line for line in asked.stdout.splitlines() if "::" in line]


@pytest.fixture(scope="module")
def every():
    return collected()


@pytest.fixture(scope="module")
def chosen():
    return collected("-m", "not exhaustive")


@pytest.mark.slow
def test_other_parameters_than_the_first_and_most_with_docker_are_left_to_make_test_all(every, chosen):
    name = "test_a_bot_that_signals_every_process_it_can_is_itself_too_late"  # marked first(1)
    for backend in ("bubblewrap", "docker"):
        many, kept = (sum(f"{name}[{backend}" in test_id for test_id in ids) for ids in (every, chosen))
        assert (many > 1, kept) == (True, 1), backend
    assert any("test_quick_answers" in test_id and "docker" in test_id for test_id in every)
    assert not any("test_quick_answers" in test_id and "docker" in test_id for test_id in chosen)
    assert {test_id.partition("[")[0] for test_id in chosen} <= {
        test_id.partition("[")[0] for test_id in every
    }


@pytest.mark.slow
def test_the_parts_of_the_long_runs_are_all_of_them_and_every_part_has_the_other_tests(every, chosen):
    parts = [set(collected(long_runs=f"{part}/2")) for part in (1, 2)]
    long_runs = [part - set(chosen) for part in parts]
    assert all(part >= set(chosen) for part in parts)
    assert all(long_runs)
    assert not set.intersection(*long_runs)
    assert set.union(*parts) == set(every)


@pytest.mark.parametrize("mark", ["production", "serial"])
def test_the_marked_tests_are_where_they_are_looked_for(mark):
    """A file that is not collected by itself, as a conftest.py is not, must give no such marks."""
    root = SCRIPTS.parent
    marked = {path for path in (root / "tests").rglob("*.py") if f"mark.{mark}" in path.read_text()}
    searched = {root / name for name in make_test.files_with(mark)}
    assert searched
    assert marked - searched == set()


def test_what_make_test_quick_runs_is_there():
    assert [name for name in make_test.QUICK if not (SCRIPTS.parent / name).exists()] == []
