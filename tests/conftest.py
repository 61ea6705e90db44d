"""What tests of every kind share: the services that some of them need.

`make test` starts the services and names them in the environment. Where one is missing, the tests marked with
its name are skipped and say why; in CI (CI=true) that is a failure, so that no test is lost without a word.
"""

import gc
import itertools
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import connection
from django.db.models.signals import post_migrate
from django.utils import translation
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from sandbox import SandboxError, open_sandbox
from tests.support.databases import migrated

# How long an example takes is the machine's business, not only in CI.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Passwords of tests are no secrets: slow hashes would be half the time of some pages.

    Static files are looked for when one is asked for: each of a thousand clients would look at them all.
    """
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    django_settings.WHITENOISE_AUTOREFRESH = True


class ByFileAndBackend(LoadScopeScheduling):
    """A file's tests of one backend go to one worker: they share boxes, compiled bots and module fixtures.

    Those directly in tests/browser share a site.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/browser/test_"):
            return "tests/browser"
        backend = re.search(r"\[.*\b(bubblewrap|docker)\b", nodeid)
        return f"{nodeid.partition('::')[0]} {backend[1] if backend else ''}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files first, so that no worker is left alone with one of them at the end.

    Before all others the one whose tests each run many tests again, as an ordinary user.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path.name != "test_ordinary_user.py", item.path not in slow))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the process: thousands of tests and their modules."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """With `--dist loadgroup` each test by itself goes to the next worker that has nothing to do."""
    config.option.loadscopereorder = False
    return None if config.option.dist == "loadgroup" else ByFileAndBackend(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """pytest-xdist cannot send what cannot be encoded, and some bots print just that."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


def restore_organizers(sender: Any, **how: Any) -> None:
    """A transactional test ends with a flush, which takes away even what the migrations have written."""
    if sender.name == "tournaments" and "plan" not in how:  # a flush, no migration
        migration = import_module("tournaments.migrations.0002_organisers")
        migration.create_group(apps, SimpleNamespace(connection=connection))
        apps.get_model("auth", "Group").objects.filter(name="Organisers").update(name="Organizers")


post_migrate.connect(restore_organizers)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark, missing in SERVICES.items():
        if item.get_closest_marker(mark) and (why := missing()):
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"needs {mark}: {why}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Where the time of a long run went, for docs/testing.md: tests and seconds of each folder."""
    tests, seconds = Counter[str](), Counter[str]()
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            folder = report.nodeid.partition("::")[0].rpartition("/")[0]
            tests[folder] += report.when == "call"
            seconds[folder] += report.duration
    if seconds.total() > 60:
        terminalreporter.section("seconds by folder")
        for folder, took in seconds.most_common():
            terminalreporter.write_line(f"{took:6.0f} s {tests[folder]:5} tests  {folder}")


@pytest.fixture(autouse=True)
def language_left_behind() -> Iterator[None]:
    """A page in another language leaves that one behind in its thread: not for the next test."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def store() -> Path:
    """The store of artifacts of the whole run: what one test has built is there for the next."""
    return Path(os.environ["AGON_TEST_STORE"])


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """With SQLite the test database is there before Django makes one: a copy of one that was migrated."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool, store: Path
) -> None:
    if django_db_keepdb:
        test = connection.settings_dict["TEST"]
        shutil.copyfile(migrated(store.parent), test["NAME"])
        test["MIGRATE"] = False


@cache
def no_docker() -> str:
    try:
        open_sandbox("docker").close()
    except SandboxError as error:
        return str(error)
    return ""


def not_named(variable: str) -> Callable[[], str]:
    return lambda: (
        "" if os.environ.get(variable) else f"{variable} is not set (`make test` as root starts one)"
    )


def no_chromium() -> str:
    missing = "chromium-headless-shell is not installed (`make test` as root installs it)"
    return "" if shutil.which("chromium-headless-shell") else missing


def no_compilers() -> str:
    missing = [name for name in ("gcc", "g++") if not shutil.which(name)]
    return f"not installed: {' '.join(missing)} (`make test` as root installs them)" if missing else ""


def no_gettext() -> str:
    return "" if shutil.which("xgettext") else "gettext is not installed (`make test` as root installs it)"


SERVICES: dict[str, Callable[[], str]] = {
    "docker": no_docker,
    "postgres": not_named("AGON_TEST_POSTGRES_URL"),
    "redis": not_named("AGON_TEST_REDIS_URL"),
    "browser": no_chromium,
    "gettext": no_gettext,
    "compilers": no_compilers,
}


@pytest.fixture
def postgres_url() -> str:
    """`postgres://...` of an empty server; for tests marked `postgres`."""
    return os.environ["AGON_TEST_POSTGRES_URL"]


@pytest.fixture
def redis_url() -> str:
    """`redis://...` of a server that holds nothing else; for tests marked `redis`."""
    return os.environ["AGON_TEST_REDIS_URL"]
