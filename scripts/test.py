"""`make test`: everything that CI checks, on a machine that has nothing but Python 3.11, git and make.

    python3.11 scripts/test.py             `make test`: with the languages of the core family
    python3.11 scripts/test.py all         `make test-all`: with every language there is
    python3.11 scripts/test.py changed     `make ci`: the one or the other, see changed.py

1. As root: install the Debian packages that are missing.   packages.py
2. Set up `.venv` with what the tests need.                 bootstrap.py
3. Start PostgreSQL, Redis and a Docker engine.              services.py
   Build the sandbox images (kept in var/test/docker).
4. Linters, types, import contracts.                        lint.py
5. pytest: the tests that touch the database with PostgreSQL and Redis, then all of them with SQLite.

Whatever is started is stopped again, however this ends; as a subreaper this process kills what anything left
behind. Without root the tests that lack a service are skipped and named; in CI (CI=true) they fail.
Every step is carried out even if an earlier one failed; the exit status is 1 if any did.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

import changed
import packages
import services
from sandbox.languages.registry import families
from supervisor.children import adopt_orphans, kill_descendants

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")
VAR = ROOT / "var" / "test"
CLEANING_UP = 20.0  # seconds that an interrupted command may take to end
PYTEST = [PYTHON, "-m", "pytest", "--no-header", "--durations=10"]


def main(words: list[str]) -> int:
    everything = words == ["all"] or (words == ["changed"] and changed.languages_concerned(ROOT))
    wanted = families() if everything else families()[:1]
    say(f"languages: {', '.join(wanted)}")
    adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(128 + signal.SIGTERM))
    install_packages(wanted)
    subprocess.run([sys.executable, str(ROOT / "scripts" / "bootstrap.py"), "test"], check=True)
    with ExitStack() as stack:
        stack.callback(kill_descendants)
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="agon-", ignore_cleanup_errors=True))
        )
        folder.chmod(0o711)  # for the user that PostgreSQL runs as
        environment = start_services(stack, folder)
        failed = [
            name
            for name, command, services_of in checks(environment, wanted)
            if not passes(name, command, services_of)
        ]
        if failed:
            say(f"FAILED before the tests: {', '.join(failed)}")
        say("tests")
        tests_passed = run(pytest(wanted), environment)  # its closing line is the last thing said
    return 0 if tests_passed and not failed else 1


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


def pytest(wanted: tuple[str, ...]) -> list[str]:
    """The tests of languages beyond the core only where all of them are wanted."""
    return PYTEST if wanted == families() else [*PYTEST, "-m", "not languages"]


def checks(
    environment: dict[str, str], wanted: tuple[str, ...]
) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Name, command and environment of everything but the tests themselves."""
    scripts = ROOT / "scripts"
    if "DOCKER_HOST" in environment:
        images = [PYTHON, "-m", "sandbox.images", "--local-base", "--network", "host", *wanted]
        yield "sandbox images", images, environment
    yield "lint", [PYTHON, str(scripts / "lint.py")], environment
    if {"AGON_TEST_POSTGRES_URL", "AGON_TEST_REDIS_URL"} <= environment.keys():
        production = {
            "DATABASE_URL": environment["AGON_TEST_POSTGRES_URL"],
            "REDIS_URL": environment["AGON_TEST_REDIS_URL"],
        }
        yield "database tests, PostgreSQL and Redis", [*PYTEST, "--only-database"], environment | production


def passes(name: str, command: list[str], environment: dict[str, str]) -> bool:
    say(name)
    started = time.monotonic()
    passed = run(command, environment)
    say(f"{name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.0f} s")
    return passed


def run(command: list[str], environment: dict[str, str]) -> bool:
    everything = os.environ | environment
    process = subprocess.Popen(command, cwd=ROOT, env=everything, stdin=subprocess.DEVNULL)
    try:
        return process.wait() == 0
    except (KeyboardInterrupt, SystemExit) as stopped:
        if isinstance(stopped, SystemExit):  # Ctrl-C the command has heard too, this it has not
            process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(CLEANING_UP)
        raise


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
