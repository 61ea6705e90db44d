from collections.abc import Iterator

import pytest

from sandbox.boxes import extension
from tests.hostile.attack_counts import FIGURES
from tests.hostile.targets import HERE
from tests.support.boxes import artifacts, compiled, opened, sandbox

__all__ = ["artifacts", "compiled", "opened", "sandbox"]


@pytest.fixture(scope="session", autouse=True)
def impatience() -> Iterator[None]:
    """Wait for at most 3 s beyond a limit: other tests keep the host busy, and many attacks never answer.

    tests/sandbox/test_extension.py is about these waits.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extension, "PATIENCE_US", 3_000_000)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With Docker, only `make test-all` tries bots that are spawned, run for a move, or functions.

    A container holds a bot alike, however it was started. With bubblewrap, `make test` tries every way.
    """
    ways = ("spawned", "run_for_a_move", "hostile_function")
    for item in items:
        again = any(way in item.name for way in ways)
        if item.path.is_relative_to(HERE) and "docker" in item.name and again:
            item.add_marker(pytest.mark.exhaustive)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if FIGURES.cleaning_s:
        terminalreporter.write_line(f"hostile bots: {FIGURES}")
