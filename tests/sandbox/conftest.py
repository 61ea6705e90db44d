"""Real boxes for the tests of the sandbox, and the choice of tests that run with Docker in `make test`."""

import pytest

from tests.support.boxes import artifacts, compiled, opened, program, sandbox, session, warm, warm_box
from tests.support.cpu_load import counted_waits, uncounted_waits

__all__ = ["artifacts", "compiled", "counted_waits", "opened", "program", "sandbox", "session"]
__all__ += ["uncounted_waits", "warm", "warm_box"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With Docker, only `make test-all` runs all parameters of tests marked `one_with_docker`."""
    seen = set()
    for item in items:
        if item.get_closest_marker("one_with_docker") and "[docker" in item.name:
            function = item.nodeid.partition("[")[0]
            if function in seen:
                item.add_marker(pytest.mark.exhaustive)
            seen.add(function)
