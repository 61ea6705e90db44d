"""`make test`: runs lint and all tests, on a machine that has only Python 3.11, git and make.

    python3.11 scripts/test.py             `make test`: with the languages of the core family
    python3.11 scripts/test.py all         `make test-all`: with the long runs and every language there is
    python3.11 scripts/test.py ci          `make ci`: with every language if changed.py says so,
                                           otherwise with a fifth of the long runs
    python3.11 scripts/test.py quick       `make test-quick`: without services, in less than a minute

1. As root: install the Debian packages that are missing.   packages.py
2. Set up `.venv` with what the tests need.                 bootstrap.py
3. Meanwhile, start PostgreSQL, Redis and a Docker engine.  services.py
4. At the same time: build the sandbox images (kept in var/test/docker), lint, compile the tests, and run the
   tests marked `production` with PostgreSQL and Redis.
5. Run all tests that are not `serial`, in several processes, with SQLite. Those marked `production` ran in
   step 4; with SQLite they are run only by `make test-all`.
6. Run the tests marked `serial` and `one_core`, in one process per core.
7. Run the other tests marked `serial`, one after another, with nothing else running.

docs/explanations/testing.md says which tests run where. Services and tests write to a file system in
memory, if there is enough of it.

- Processes: every process that is started is stopped again, even if this one is interrupted: it adopts
  orphans (as a subreaper) and kills all of its descendants at the end.
- Failure: without root, the tests that lack a service are skipped and named; in CI (CI=true) they fail. Every
  step is run even if an earlier one failed; the exit status is 1 if any did.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import changed
import packages
import services
from agon.supervisor.children import adopt_orphans, kill_descendants
from sandbox.languages.registry import families

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")
SET_UP = [sys.executable, str(ROOT / "scripts" / "bootstrap.py"), "test"]
VAR = ROOT / "var" / "test"
SHARED_MEMORY = Path("/dev/shm")
ENOUGH_MEMORY = 8 << 30  # bytes, programs included: the files of a run take less than 1 GiB of them
CLEANUP = 20.0  # seconds that an interrupted command may take to end
CORES = len(os.sched_getaffinity(0))
# Many tests wait for a bot most of the time: three times as many processes as cores keep the cores busy.
WORKERS = 3 * CORES
# With PostgreSQL, client and server take turns.
WORKERS_WITH_SERVER = CORES + (CORES + 1) // 2
PYTEST = [PYTHON, "-m", "pytest", "--quiet", "--no-header", "--durations=10"]
NO_SERVICE = (
    "not (docker or postgres or redis or browser or compilers or gettext or slow or exhaustive or serial)"
)
LEFT_OUT = {"": ("exhaustive", "minutes"), "ci": ("minutes",), "all": ()}
# Of the files with long runs `make ci` runs one part a day, in turn: all take longer than all other tests.
PARTS = 5
# The tests of `make test-quick`: rules, driver, formats, records, standings, uploads, pages of most use.
QUICK = (
    "games",
    "tests/agon/contest/test_archive.py",
    "tests/agon/contest/test_formats.py",
    "tests/agon/contest/test_match_clock.py",
    "tests/agon/contest/test_standings.py",
    "tests/agon/contest/test_verify.py",
    "tests/games",
    "tests/agon/site/web/test_life_of_bots.py",
    "tests/agon/site/web/test_list_of_matches.py",
    "tests/agon/site/web/test_organizing.py",
    "tests/agon/site/web/test_reading.py",
    "tests/agon/site/web/test_rules.py",
    "tests/agon/site/web/test_signing_in.py",
    "tests/agon/site/web/test_signing_up.py",
    "tests/agon/site/web/test_upload_form.py",
    "tests/agon/site/web/test_uploading.py",
    "tests/sandbox/test_languages.py",
    "tests/sandbox/test_uploads.py",
    "tests/sandbox/test_uploads_refused.py",
    "tests/sandbox/test_wire.py",
    "tests/agon/site/core/test_states.py",
    "tests/agon/site/bots/test_uploads.py",
)


class Scope(NamedTuple):
    """What is tested: families of languages, and the marks that are left out."""

    families: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def profile(self) -> str:
        """The profile of hypothesis (tests/conftest.py)."""
        if not self.left_out:
            return "thorough"
        return "unhurried" if "exhaustive" in self.left_out else "long"


class Step(NamedTuple):
    """A command of a stage.

    environment: variables in addition to those of this process. silent: its output is shown only if it fails.
    """

    name: str
    command: list[str]
    environment: dict[str, str]
    silent: bool = False


def main(words: list[str]) -> int:
    if words == ["quick"]:
        return quick()
    every_language = words == ["all"] or (words == ["ci"] and changed.languages_concerned(ROOT))
    scope = scope_of(" ".join(words), every_language)
    say(f"languages: {', '.join(scope.families)}")
    adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(128 + signal.SIGTERM))
    install_packages(scope.families)
    with ExitStack() as stack:
        stack.callback(kill_descendants)
        temporary = tempfile.TemporaryDirectory(prefix="agon-", dir=memory(), ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(temporary))
        folder.chmod(0o711)  # for the user that PostgreSQL runs as
        files = folder / "files"
        files.mkdir()
        files.chmod(0o1777)  # as /tmp
        setting_up = subprocess.Popen(SET_UP)
        environment = {
            **({"AGON_TEST_LONG_RUNS": changed.part_of_the_day(ROOT, PARTS)} if words == ["ci"] else {}),
            "AGON_TEST_STORE": str(folder / "caches" / "agon"),
            "TMPDIR": str(files),
            **start_services(stack, folder),
        }
        if status := setting_up.wait():
            raise subprocess.CalledProcessError(status, SET_UP)
        failed: list[str] = []
        for steps in stages(environment, scope):
            failed += run(steps, folder)
    say(f"FAILED: {', '.join(failed)}" if failed else "passed")
    return 1 if failed else 0


def scope_of(run: str, every_language: bool) -> Scope:
    """What this run tests; run: a key of LEFT_OUT.

    Of languages and long runs, `make ci` has one: with both it took up to 90 minutes on a slow machine.
    """
    if run == "ci" and every_language:
        return Scope(families(), LEFT_OUT[""])
    return Scope(families() if every_language else families()[:1], LEFT_OUT[run])


def memory() -> Path | None:
    """The folder whose files are in memory; None if it, or the machine, has not ENOUGH_MEMORY free."""
    available = int(re.findall(r"^MemAvailable: +(\d+)", Path("/proc/meminfo").read_text(), re.M)[0])
    try:
        space = os.statvfs(SHARED_MEMORY)
    except OSError:
        return None
    enough = min(1024 * available, space.f_bavail * space.f_frsize) >= ENOUGH_MEMORY
    usable = os.access(SHARED_MEMORY, os.W_OK) and not space.f_flag & os.ST_NOEXEC
    return SHARED_MEMORY if enough and usable else None


def quick() -> int:
    """Run the tests that need neither root nor services; returns the exit status."""
    subprocess.run(SET_UP, check=True)
    tests = [*PYTEST, "-n", str(CORES), "-m", NO_SERVICE, *QUICK]
    return subprocess.run(tests, cwd=ROOT, stdin=subprocess.DEVNULL).returncode


def install_packages(wanted: tuple[str, ...]) -> None:
    missing = packages.missing(wanted)
    if missing and os.geteuid() == 0:
        say(f"installing {' '.join(missing)}")
        packages.install(missing)
    elif missing:
        say(f"not root, so not installed: {' '.join(missing)}")


def start_services(stack: ExitStack, folder: Path) -> dict[str, str]:
    environment: dict[str, str] = {}
    wanted: list[tuple[str, AbstractContextManager[dict[str, str]]]] = [
        ("PostgreSQL", services.postgres(folder)),
        ("Redis", services.redis(folder)),
        ("Docker", services.docker(folder, VAR / "docker")),
    ]
    for name, service in wanted:
        try:
            environment |= stack.enter_context(service)
        except services.Unavailable as why:
            say(f"no {name}: {why}; its tests {'fail' if os.environ.get('CI') == 'true' else 'are skipped'}")
    return environment


def stages(environment: dict[str, str], scope: Scope) -> list[list[Step]]:
    """The stages, to run one after the other; the steps of a stage run at the same time."""
    # Otherwise each process of the next stage would compile all tests.
    compiling = [PYTHON, "-m", "pytest", "-qq", "--collect-only"]
    first = [
        Step("lint", [PYTHON, str(ROOT / "scripts" / "lint.py")], environment),
        Step("compiling the tests", compiling, environment, silent=True),
    ]
    other_tests = "not serial"
    if "DOCKER_HOST" in environment:
        images = [PYTHON, "-m", "sandbox.images", "--local-base", "--network", "host", *scope.families]
        first.insert(0, Step("sandbox images", images, environment))
    if {"AGON_TEST_POSTGRES_URL", "AGON_TEST_REDIS_URL"} <= environment.keys():
        production = {
            "DATABASE_URL": environment["AGON_TEST_POSTGRES_URL"],
            "REDIS_URL": environment["AGON_TEST_REDIS_URL"],
        }
        tests = [*pytest("production and not serial", scope, WORKERS_WITH_SERVER), *files_with("production")]
        first.append(Step("tests with PostgreSQL and Redis", tests, environment | production))
        if scope.left_out:
            other_tests = "not serial and not production"
    serial = files_with("serial")
    per_core = [*pytest("serial and one_core", scope, CORES), "--dist", "loadgroup", *serial]
    alone = [*pytest("serial and not one_core", scope, 0), *serial]
    return [
        first,
        [Step("tests", pytest(other_tests, scope, WORKERS), environment)],
        [Step("serial tests, one on each core", per_core, environment | {"AGON_TEST_ONE_CORE": "1"})],
        [Step("serial tests", alone, environment)],
    ]


def pytest(marks: str, scope: Scope, workers: int) -> list[str]:
    """The command that runs the tests with these marks, as far as they are in the scope."""
    left_out = [*scope.left_out, *(["languages"] if scope.families != families() else [])]
    chosen = " and not ".join([f"({marks})", *left_out])
    return [*PYTEST, "-n", str(workers), "-m", chosen, "--hypothesis-profile", scope.profile]


def files_with(mark: str) -> list[str]:
    """The test files that use this mark. Passing them to pytest saves importing all others."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if f"mark.{mark}" in file.read_text()]


def run(steps: Sequence[Step], folder: Path) -> list[str]:
    """Run `steps` at the same time; returns the names of those that failed.

    If there are several, the output of each is printed as a whole when it ends.
    """
    say(" | ".join(step.name for step in steps))
    started = time.monotonic()
    running = []
    failed = []
    try:
        for number, step in enumerate(steps):
            output = folder / f"output-{number}" if len(steps) > 1 else None
            running.append((step, start(step, output), output))
        while running:
            for entry in running.copy():
                step, process, output = entry
                with suppress(subprocess.TimeoutExpired):
                    passed = process.wait(0.1) == 0
                    running.remove(entry)
                    if not (step.silent and passed):
                        show(output)
                    failed += [] if passed else [step.name]
                    took = time.monotonic() - started
                    say(f"{step.name}: {'passed' if passed else 'FAILED'} in {took:.0f} s")
    except (KeyboardInterrupt, SystemExit) as stopped:
        for _, process, _ in running:
            if isinstance(stopped, SystemExit):  # the terminal sends Ctrl-C to all commands, but not SIGTERM
                process.send_signal(signal.SIGINT)
        for _, process, output in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(CLEANUP)
            show(output)
        raise
    return failed


def start(step: Step, output: Path | None) -> subprocess.Popen[bytes]:
    with ExitStack() as stack:
        into = stack.enter_context(open(output, "wb")) if output else None
        return subprocess.Popen(
            step.command,
            cwd=ROOT,
            env=os.environ | step.environment,
            stdin=subprocess.DEVNULL,
            stdout=into,
            stderr=into,
        )


def show(output: Path | None) -> None:
    if output is not None:
        sys.stdout.buffer.write(output.read_bytes())


def say(words: str) -> None:
    print(f"--- {words}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except packages.Failed as error:
        sys.exit(f"agon: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"agon: `{' '.join(map(str, error.cmd))}` failed: the reason is above")
