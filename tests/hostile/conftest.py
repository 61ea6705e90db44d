import pytest

from tests.hostile.attack_counts import FIGURES
from tests.support.boxes import artifacts, compiled, opened, sandbox

__all__ = ["artifacts", "compiled", "opened", "sandbox"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if FIGURES.cleaning_s:
        terminalreporter.write_line(f"hostile bots: {FIGURES}")
