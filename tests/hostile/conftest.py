from collections.abc import Iterator

import pytest

from sandbox.boxes import extension
from tests.hostile.attack_counts import FIGURES
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if FIGURES.cleaning_s:
        terminalreporter.write_line(f"hostile bots: {FIGURES}")
