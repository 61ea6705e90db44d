"""Configuration of all tests: services, order, distribution to processes, and common fixtures.

`make test` starts the services and puts their addresses into the environment. If a service is missing, the
tests marked with its name are skipped with a reason; in CI (CI=true) they fail, so that no test is lost
unnoticed.
"""

import gc
import itertools
import math
import os
import re
import shutil
import signal
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import Style
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.utils import translation
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from sandbox.api import SandboxError
from sandbox.backends import open_sandbox
from tests.support.databases import migrated, migrated_on_server

# An example takes as long as other processes let it: no deadlines. scripts/test.py chooses the profile.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", unhurried)  # a hundred examples
settings.register_profile("long", unhurried, max_examples=25)
settings.register_profile("unhurried", unhurried, max_examples=10)
settings.load_profile("unhurried")

# What both backends have to do alike; whatever is built on that runs with bubblewrap alone in `make test`.
WITH_DOCKER = {
    *("test_build_box.py", "test_stdio.py", "test_program.py", "test_sessions.py"),
    *("test_agent_death.py", "test_build.py", "test_attacks.py", "test_builds.py", "test_functions.py"),
}

# A shell starts its background jobs with SIGINT ignored, and so would be all programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Use a fast password hash: the default one would take half the time of some pages.

    WhiteNoise finds static files on request, instead of scanning all of them for each of a thousand clients.
    """
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    django_settings.WHITENOISE_AUTOREFRESH = True


class ByFileAndBackend(LoadScopeScheduling):
    """Sends the tests of one file and one backend to the same worker: they share boxes and module fixtures.

    All test files directly in tests/browser go to one worker, because they share a site.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/browser/test_"):
            return "tests/browser"
        return f"{nodeid.partition('::')[0]} {_backend(nodeid)}"


def leave_to_make_test_all(items: list[pytest.Item]) -> None:
    """Mark the parameters that `make test` leaves out as exhaustive.

    Of a test marked `first(n)`, it runs the first n. What runs with bubblewrap runs with Docker only in the
    files WITH_DOCKER, each test once.
    """
    with_bubblewrap = {_function(item.nodeid) for item in items if _backend(item.nodeid) == "bubblewrap"}
    taken = Counter[tuple[str, str]]()
    for item in items:
        if any(item.get_closest_marker(mark) for mark in ("exhaustive", "minutes", "languages")):
            continue
        function, backend = _function(item.nodeid), _backend(item.nodeid)
        first = item.get_closest_marker("first")
        most: float = first.args[0] if first else math.inf
        if backend == "docker" and function in with_bubblewrap:
            most = 1 if item.path.name in WITH_DOCKER else 0
        if taken[function, backend] >= most:
            item.add_marker(pytest.mark.exhaustive)
        taken[function, backend] += 1


def leave_to_other_days(items: list[pytest.Item]) -> None:
    """Of the long runs, keep those of some of the files: of a fifth if AGON_TEST_LONG_RUNS is "1/5".

    `make ci` runs each fifth every fifth day, `make test-all` all of them.
    """
    part, _, parts = os.environ.get("AGON_TEST_LONG_RUNS", "1/1").partition("/")
    items[:] = [
        item
        for item in items
        if not item.get_closest_marker("exhaustive")
        or zlib.crc32(item.path.name.encode()) % int(parts) == int(part) - 1
    ]


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _backend(nodeid: str) -> str:
    matched = re.search(r"\[.*\b(bubblewrap|docker)\b", nodeid)
    return matched[1] if matched else ""


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Run slow files first, so that no worker is left alone with one of them at the end.

    The very first is test_ordinary_user.py, each of whose tests runs many other tests as an ordinary user.
    """
    leave_to_make_test_all(items)  # before they are chosen by their marks
    leave_to_other_days(items)
    yield
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path.name != "test_ordinary_user.py", item.path not in slow))


def pytest_collection_finish() -> None:
    """Exclude the collected tests and modules from garbage collection: they live as long as the process.

    Rare collections save a tenth of the processor time of pages.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """With `--dist loadgroup`, tests are not grouped: each goes to the next idle worker."""
    config.option.loadscopereorder = False
    return None if config.option.dist == "loadgroup" else ByFileAndBackend(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape surrogates in captured output: some bots print them, and pytest-xdist cannot send them."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark, missing in SERVICES.items():
        if item.get_closest_marker(mark) and (reason := missing()):
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"needs {mark}: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """After a long run, print the number of tests and the seconds of each folder."""
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
    """Reset the language of the thread, which a page in another language leaves active."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def store() -> Path:
    """The artifact store of the whole run, so that each bot is built once."""
    return Path(os.environ["AGON_TEST_STORE"])


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """With SQLite, keep the existing test database: it is a copy of one that was migrated."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool, store: Path
) -> None:
    test = connection.settings_dict["TEST"]
    test["MIGRATE"] = False
    if django_db_keepdb:
        shutil.copyfile(migrated(store.parent), test["NAME"])
    else:
        test["TEMPLATE"] = migrated_on_server(os.environ["DATABASE_URL"], store.parent)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """After the flush at the end of a transactional test, restore what migrations have written, as rows.

    Django would send post_migrate, whose receivers take twenty times as long, and do not make our group.
    """
    tables: list[type[Model]] = [ContentType, Permission, Group, Group.permissions.through]
    with django_db_blocker.unblock():
        written = [(table, list(table._base_manager.all())) for table in tables]

    def restore(verbosity: int, interactive: bool, db: str) -> None:
        for table, rows in written:
            table._base_manager.using(db).bulk_create(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", restore)
        if connection.vendor == "postgresql":
            patch.setattr(flush, "sql_flush", statements_that_delete)
        yield


def statements_that_delete(
    style: Style, database: BaseDatabaseWrapper, reset_sequences: bool, allow_cascade: bool
) -> list[str]:
    """What empties all tables at the end of a transactional test.

    Django would truncate them, which makes new files of all tables and indexes: that takes the server five
    times as much processor time, as the tables have few rows.
    """
    assert not reset_sequences
    tables = database.introspection.django_table_names(only_existing=True, include_views=False)
    return ["; ".join(f"DELETE FROM {database.ops.quote_name(table)}" for table in tables)]


@cache
def no_docker() -> str:
    try:
        open_sandbox("docker").close()
    except SandboxError as error:
        return str(error)
    return ""


def unset(variable: str) -> Callable[[], str]:
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


# For each marker, a function that returns why its service is missing; "" if it is available.
SERVICES: dict[str, Callable[[], str]] = {
    "docker": no_docker,
    "postgres": unset("AGON_TEST_POSTGRES_URL"),
    "redis": unset("AGON_TEST_REDIS_URL"),
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
